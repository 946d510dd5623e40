// Code generated from golden/killed/jobs/fates_case_test.go by go test ./generator -update. DO NOT EDIT.

//go:build unix

package jobs

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
)

func TestKillerStopsAtItsCrashBudgetAndItsHundredNeighboursFinish(t *testing.T) {
	t.Parallel()
	h := newTheatre(t, "400ms")
	enqueued := map[string]bool{}
	for range 50 {
		enqueued[h.plain("nothing")] = true
	}
	killer := h.plain("kill")
	enqueued[killer] = true
	for range 50 {
		enqueued[h.plain("nothing")] = true
	}
	over := func() bool {
		return len(h.strings("select job_id from "+jobTable+" where state in ('scheduled', 'running')")) == 0
	}
	deaths := 0
	for !over() {
		p := h.start("worker")
		ended := make(chan error, 1)
		go func() { ended <- p.end() }()
		died := false
		h.until("the process dies, or all is over", func() bool {
			select {
			case err := <-ended:
				if err == nil || err.Error() != errKilled {
					t.Errorf("a process ended with %v", err)
				}
				died = true
			default:
			}
			return died || over()
		})
		if !died {
			p.signal(syscall.SIGTERM)
			if err := <-ended; err != nil {
				t.Error(err)
			}
			break
		}
		if deaths++; deaths > 8 {
			t.Fatalf("%d processes were killed", deaths)
		}
	}
	h.audit(enqueued)
	rows := h.attempts(killer)
	if len(rows) < 2 || !strings.HasSuffix(rows[len(rows)-1], "crashed dead crashes") || len(rows) != deaths {
		t.Errorf("%d processes were killed; ledger %q", deaths, rows)
	}
	if left := h.strings("select job_id from " + jobTable); len(left) != 1 {
		t.Errorf("%d jobs are not done, want the killer alone", len(left))
	}
}

func TestStoppingOnTheLastAttemptBurnsNothing(t *testing.T) {
	t.Parallel()
	h := newTheatre(t, "1s")
	id := h.plain("last")
	p := h.start("worker")
	p.mustAwait("in handler")
	p.stop()
	h.wantAttempts(id, "1 unmatched retry", "2 unmatched retry", "3 interrupted retry")
	if got := h.strings("select failures || ' ' || interrupts from " + jobTable); got[0] != "2 1" {
		t.Errorf("failures and interrupts are %s", got[0])
	}
	next := h.start("worker")
	h.until("the job is done", func() bool { return len(h.strings("select job_id from "+jobTable)) == 0 })
	next.stop()
	h.wantAttempts(id, "1 unmatched retry", "2 unmatched retry", "3 interrupted retry", "4 ok done")
}

func TestOneKeyFromManyProcessesAtOnceIsOneJob(t *testing.T) {
	t.Parallel()
	h := newTheatre(t, "1s")
	var all []*child
	for range 5 {
		all = append(all, h.start("producer", "EVENT=the same", "SAME=yes", "JOBS=10"))
	}
	for _, p := range all {
		p.mustAwait("ready")
	}
	for _, p := range all {
		p.tell("go")
	}
	answers := map[string]int{}
	for _, p := range all {
		p.mustAwait("produced")
		for _, line := range p.seen {
			if strings.HasPrefix(line, "enqueued") || strings.HasPrefix(line, "failed") {
				answers[line]++
			}
		}
		p.kill()
	}
	ids := h.strings("select job_id from " + jobTable)
	if len(ids) != 1 || answers["enqueued "+ids[0]+" false"] != 1 || answers["enqueued "+ids[0]+" true"] != 49 {
		t.Errorf("jobs %q, answers %v", ids, answers)
	}
}

func TestLateSuccessOfAProcessThatStoodStillIsRefusedWithItsEffects(t *testing.T) {
	t.Parallel()
	h := newTheatre(t, "400ms")
	id := h.paid("e", "wait effect")
	stalled := h.start("worker")
	stalled.mustAwait("in handler")
	stalled.signal(syscall.SIGSTOP)
	other := h.start("worker")
	h.until("the job is done elsewhere", func() bool {
		return strings.HasSuffix(strings.Join(h.attempts(id), ","), "ok done")
	})
	stalled.signal(syscall.SIGCONT)
	stalled.tell("go")
	stalled.mustAwait("late result discarded")
	stalled.stop()
	other.stop()
	rows, effects := h.attempts(id), h.strings("select attempt from effect")
	if rows[0] != "1 crashed retry" || len(effects) != 1 || effects[0] == "1" {
		t.Errorf("ledger %q, effects of attempts %v", rows, effects)
	}
}

func TestOlderBinaryLeavesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	h := newTheatre(t, "400ms")
	crashed := h.paid("of a queue that the old binary does not know, in a process that dies", "nothing")
	dies := h.start("worker", "PAUSE=handler")
	dies.mustAwait("at handler")
	dies.kill()
	other := h.paid("of that queue too", "nothing")
	h.until("the lease of the dead is over", func() bool {
		return len(h.strings("select job_id from "+jobTable+" where lease_until < "+databaseClock)) == 1
	})
	newer := h.plain("nothing")
	h.exec("update "+jobTable+" set payload = ?, schema_hash = 'newer' where job_id = ?", []byte(`{"does":"nothing","currency":"EUR"}`), newer)
	known := h.plain("nothing")
	old := h.start("worker", "ONLY_PLAIN=yes")
	old.mustAwait("job put back")
	h.until("what it knows is done", func() bool { return len(h.attempts(known)) == 1 })
	old.stop()
	h.wantAttempts(newer)
	h.wantAttempts(other)
	h.wantAttempts(crashed)
	if got := h.strings("select state || ' ' || attempt from " + jobTable + " order by queue, attempt desc"); fmt.Sprint(got) != "[running 1 scheduled 0 scheduled 0]" {
		t.Errorf("jobs %q", got)
	}
	fresh := h.start("worker", "SCHEMA=newer")
	h.over()
	fresh.stop()
	h.wantAttempts(newer, "1 ok done")
	h.wantAttempts(other, "1 ok done")
	h.wantAttempts(crashed, "1 crashed retry", "2 ok done")
}

func TestDatabaseLockedForLongerThanItsBusyTimeoutLosesNothing(t *testing.T) {
	t.Parallel()
	h := newTheatre(t, "30s")
	enqueued := map[string]bool{}
	for i := range 8 {
		enqueued[h.paid(fmt.Sprint(i), "wait effect")] = true
	}
	p := h.start("worker", "BUSY=50")
	for range enqueued {
		p.mustAwait("in handler")
	}
	unlock := h.lock()
	defer unlock()
	p.tell("go")
	for range 10 {
		p.mustAwait("effects could not be committed; trying again")
	}
	unlock()
	h.over()
	p.stop()
	h.audit(enqueued)
	if got := h.strings("select distinct attempt || ' ' || outcome from " + ledgerTable); fmt.Sprint(got) != "[1 ok]" {
		t.Errorf("attempts %q", got)
	}
}

func TestFailuresAreCountedOnceForAllProcesses(t *testing.T) {
	t.Parallel()
	h := newTheatre(t, "5s")
	enqueued := map[string]bool{}
	var all []*child
	for range 4 {
		all = append(all, h.start("worker"))
	}
	for _, p := range all {
		p.mustAwait("ready")
	}
	for range 30 {
		enqueued[h.plain("fail")] = true
	}
	h.until("every job is dead", func() bool {
		return len(h.strings("select job_id from "+jobTable+" where state = 'dead'")) == len(enqueued)
	})
	for _, p := range all {
		p.stop()
	}
	h.audit(enqueued)
	for id := range enqueued {
		h.wantAttempts(id, "1 unmatched retry", "2 unmatched retry", "3 unmatched dead failures")
	}
}
