package worker

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

func insertsEffect(ctx context.Context, tx Tx) error {
	return execTx(ctx, tx, "insert into effect values (1)")
}

// until waits for a moment that is sure to come.
func (h *harness) until(what string, come func() bool) {
	h.Helper()
	for deadline := time.Now().Add(20 * time.Second); !come(); runtime.Gosched() {
		if time.Now().After(deadline) {
			h.Fatalf("%s: it did not come", what)
		}
	}
}

func (p *process) stuckNow() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.stuck)
}

// A reaper's row bears the token of the process that it judged. That process must not take it for its own.
func TestRowOfAReaperIsNotTakenForALostAnswer(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(errBroken))
	id := h.enqueue(note{}).JobID
	h.start(h.lanes[0], h.begin(h.token)[0])
	f := <-h.ended
	h.advance(h.queue.lease + time.Millisecond)
	if err := h.another(h.store, "process-2", fails(nil)).reap(t.Context()); err != nil {
		t.Fatal(err)
	}
	recorded, err := h.store.recorded(t.Context(), h.token, []result{f.result})
	if err != nil || len(recorded) != 0 {
		t.Errorf("recorded %v (%v)", recorded, err)
	}
	h.wantLedger(id, "1 transient crashed retry")
}

func TestLockedDatabaseIsWaitedForOnceAndNotOncePerRow(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(errBroken))
	for range 50 {
		h.enqueue(note{})
	}
	for _, c := range h.begin(h.token) {
		h.start(h.lanes[0], c)
	}
	for range 50 {
		h.unwritten = append(h.unwritten, <-h.ended)
	}
	unlock := h.lock()
	begun := time.Now()
	h.turn(t.Context(), true) // which waits 20 ms for a lock
	if took := time.Since(begun); len(h.unwritten) != 50 || len(h.stubborn) != 0 || h.failing != 1 || took > 500*time.Millisecond {
		t.Errorf("%d kept, %d blamed, %d failing, took %s", len(h.unwritten), len(h.stubborn), h.failing, took)
	}
	unlock()
	h.turn(t.Context(), true)
	if h.running() != 0 || h.failing != 0 {
		t.Errorf("%d running, %d failing", h.running(), h.failing)
	}
}

func TestEndThatIsRefusedForEverStopsNoOtherJobAndNoneThatRunsAlone(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	lone := h.enqueue(note{}).JobID
	h.crash()
	h.advance(time.Hour)
	refused := h.enqueue(note{}).JobID
	h.refuse("new.job_id = '" + refused + "'")
	h.turn(t.Context(), false) // no one has looked yet: the plain one is claimed
	h.collect(<-h.ended)
	h.look(t.Context())
	h.turn(t.Context(), true)
	if len(h.stubborn) != 1 {
		t.Fatalf("%d refused", len(h.stubborn))
	}
	plain := h.enqueue(note{}).JobID
	for range 2 {
		h.look(t.Context())
		h.turn(t.Context(), false)
		h.collect(<-h.ended)
	}
	h.turn(t.Context(), true)
	h.wantLedger(lone, "1 transient crashed retry", "2 ok done")
	h.wantLedger(plain, "1 ok done")
}

func TestSuspectThatIsInterruptedStillRunsAlone(t *testing.T) {
	h := newHarness(t, notePolicy(), func(ctx context.Context, _ *Job[note]) error { <-ctx.Done(); return ctx.Err() })
	h.enqueue(note{})
	h.crash()
	h.advance(time.Hour)
	h.stop(ErrStopped)
	h.runDue()
	if got := h.strings("select interrupts from " + jobTable + " where run_alone"); !slices.Equal(got, []string{"1"}) {
		t.Errorf("interrupts of jobs that run alone are %q", got)
	}
}

func TestEffectThatNeverReturnsHoldsUpNoOther(t *testing.T) {
	release := make(chan struct{})
	h := newHarness(t, notePolicy(), func(_ context.Context, job *Job[note]) error {
		job.OnCommit(func(ctx context.Context, tx Tx) error {
			if err := insertsEffect(ctx, tx); job.Payload.Text != "hangs" {
				return err
			}
			<-release
			return nil
		})
		return nil
	})
	h.exec("create table effect (attempt integer)")
	h.queue.lease = 2 * time.Second // an effect has a quarter of it
	hangs := h.enqueue(note{Text: "hangs"}).JobID
	h.runDue()
	h.until("the transaction of the effect is gone", func() bool { // its rows are locked for as long as it is not
		h.turn(t.Context(), true)
		return h.running() == 0
	})
	h.wantLedger(hangs, "1 transient timeout retry")
	good := h.enqueue(note{}).JobID
	h.queue.lease = time.Minute
	h.runDue()
	h.wantLedger(good, "1 ok done")
	h.advance(time.Minute)
	h.runDue() // its first run goes on: this one is put back
	h.wantLedger(hangs, "1 transient timeout retry")
	if got := h.strings("select attempt from effect"); len(got) != 1 {
		t.Errorf("%d effects, want that of the other job alone", len(got))
	}
	close(release)
	h.until("the effect returns", func() bool { return h.stuckNow() == 0 })
}

func TestStopWithoutADatabaseSaysWhatWasNotWritten(t *testing.T) {
	p := notePolicy()
	p.grace = 50 * time.Millisecond
	started, effects := make(chan struct{}), make(chan bool, 1)
	h := newHarness(t, p, func(_ context.Context, job *Job[note]) error {
		close(started)
		<-effects
		job.OnCommit(insertsEffect)
		return nil
	})
	h.exec("create table effect (attempt integer)")
	id := h.enqueue(note{}).JobID
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- Run(ctx, h.store, h.lanes[0].worker) }()
	<-started
	unlock := h.lock()
	effects <- true
	stop()
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "could not be written") {
		t.Errorf("error %v", err)
	}
	unlock()
	h.wantLedger(id)
	h.wantState(id, "running")
}

func TestReaperThatHadToWaitForTheLockJudgesNobody(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	h.queue.lease = 30 * time.Millisecond
	id := h.enqueue(note{}).JobID
	h.begin("another process")
	h.advance(h.queue.lease + time.Millisecond)
	unlock := h.lock() // nor can the other process renew
	if err := h.reap(t.Context()); !away(err) {
		t.Errorf("error %v", err)
	}
	unlock()
	h.wantLedger(id)
}

func TestRefusedEndOfACrashDoesNotStopTheReaper(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	h.refuse("true")
	h.enqueue(note{})
	h.begin("a process that dies")
	h.advance(h.queue.lease + time.Millisecond)
	if err := h.reap(t.Context()); err == nil || away(err) {
		t.Errorf("error %v, away %t", err, away(err))
	}
}

func TestClockThatGoesBackWhileALeaseIsJudgedWritesNoHalf(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	id := h.enqueue(note{}).JobID
	h.begin("a process that dies")
	h.advance(h.queue.lease + time.Millisecond)
	h.onLedgerInsert("after", "true", "update test_clock set ms = ms - 100")
	if err := h.reap(t.Context()); err != nil {
		t.Error(err)
	}
	h.wantLedger(id, "1 transient crashed retry")
	if states := h.strings("select state from " + jobTable); !slices.Equal(states, []string{"scheduled"}) {
		t.Errorf("a row without its job's next state was taken: %v", states)
	}
}

// The token is that of this process, which knows one of the two claims.
func TestClaimWhoseAnswerWasLostIsGivenBackAndIsNoAttempt(t *testing.T) {
	release := make(chan struct{})
	h := newHarness(t, notePolicy(), func(context.Context, *Job[note]) error { <-release; return nil })
	h.enqueue(note{})
	h.enqueue(note{})
	jobs := h.begin(h.token)
	h.start(h.lanes[0], jobs[0])
	h.astray = true
	h.turn(t.Context(), true)
	h.wantState(jobs[0].jobID, "running")
	h.wantState(jobs[1].jobID, "scheduled")
	if got := h.strings("select attempt || ' ' || crashes || ' ' || interrupts from "+jobTable+" where job_id = ?", jobs[1].jobID); got[0] != "0 0 0" || h.astray {
		t.Errorf("attempt, crashes and interrupts are %s; astray %t", got[0], h.astray)
	}
	close(release)
	h.collect(<-h.ended)
	h.turn(t.Context(), true)
	h.runDue()
	for _, c := range jobs {
		h.wantLedger(c.jobID, "1 ok done")
	}
}

// The first attempt's end is lost, so that its job is in flight here, and its second claim is one that nobody knows of; another
// job has been put back at once, and waits.
func TestClaimOfAJobThatIsStillInFlightIsGivenBackAndAPutBackIsNot(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	id := h.enqueue(note{}).JobID
	h.start(h.lanes[0], h.begin(h.token)[0])
	h.collect(<-h.ended)
	h.advance(h.queue.lease + time.Millisecond)
	if err := h.another(h.store, "process-2", fails(nil)).reap(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.advance(time.Minute)
	h.begin(h.token)
	waits := h.enqueue(note{}).JobID
	h.stuck[waits] = true
	for _, c := range h.begin(h.token) {
		h.start(h.lanes[0], c)
	}
	h.stuck[waits] = false
	h.astray = true
	h.turn(t.Context(), true)
	for _, id := range []string{id, waits} {
		h.wantState(id, "scheduled")
	}
	if n := len(h.begin("another process")); n != 1 {
		t.Errorf("%d jobs are due, want the first alone", n)
	}
	h.wantLedger(id, "1 transient crashed retry")
}

func TestProcessFullOfHandlersThatIgnoreTheirContextStopsItself(t *testing.T) {
	release := make(chan struct{})
	p := notePolicy()
	p.grace = 20 * time.Millisecond
	h := newHarness(t, p, func(context.Context, *Job[note]) error { <-release; return nil })
	h.queue.timeout, h.queue.lease, h.queue.concurrency = time.Millisecond, 100*time.Millisecond, 2
	for range manyStuck + 2 {
		h.enqueue(note{})
	}
	if err := Run(t.Context(), h.store, h.lanes[0].worker); !errors.Is(err, ErrStuck) {
		t.Errorf("error %v", err)
	}
	close(release)
}
