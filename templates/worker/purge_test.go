//retryc:when retention

package worker

import (
	"context"
	"fmt"
	"testing"
	"time"
)

var keep = retentionTable{attempts: 24 * time.Hour, keys: 72 * time.Hour}

// purgeNow purges by a retention of the test's own.
func (h *harness) purgeNow() Purged {
	h.Helper()
	done, err := h.store.purge(h.Context(), keep)
	if err != nil {
		h.Fatal(err)
	}
	return done
}

// count is how many rows a table has.
func (h *harness) count(table string) string {
	h.Helper()
	return h.strings("select count(*) from " + table)[0]
}

// endsAs ends as the text of the payload says, and succeeds at the second attempt where that is "retry".
func endsAs(_ context.Context, job *Job[note]) error {
	switch job.Payload.Text {
	case "dead":
		return Permanent(errNever)
	case "retry":
		if job.Attempt == 1 {
			return errBroken
		}
	}
	return nil
}

func TestPurgeDeletesWhatIsFinishedAndPastItsTimeAndNothingElse(t *testing.T) {
	h := newHarness(t, notePolicy(), endsAs)
	plain, keyed := h.enqueue(note{Text: "retry"}).JobID, h.enqueue(note{Key: "k", Text: "retry"}).JobID
	dead, deadKeyed := h.enqueue(note{Text: "dead"}).JobID, h.enqueue(note{Key: "d", Text: "dead"}).JobID
	h.runDue()
	h.advance(30 * time.Second)
	h.runDue()
	ended := []string{"1 transient unmatched retry", "2 ok done"}
	h.wantLedger(plain, ended...)

	h.advance(keep.attempts) // to the millisecond: not past it
	if done := h.purgeNow(); done != (Purged{}) {
		t.Errorf("%+v was purged at the end of the retention", done)
	}
	h.advance(time.Millisecond)
	if done := h.purgeNow(); done != (Purged{Jobs: 1, Attempts: 2}) {
		t.Errorf("%+v, want one job without a key", done)
	}
	h.wantLedger(plain)
	h.wantLedger(keyed, ended...)
	h.wantState(keyed, "done")

	h.advance(keep.keys - keep.attempts - time.Millisecond)
	if done := h.purgeNow(); done != (Purged{}) {
		t.Errorf("%+v was purged although the key had to be kept", done)
	}
	h.advance(time.Millisecond)
	if done := h.purgeNow(); done != (Purged{Jobs: 1, Attempts: 2}) {
		t.Errorf("%+v, want one job with a key", done)
	}
	h.wantLedger(keyed)
	h.wantState(keyed, "")

	h.advance(1000 * time.Hour)
	if done := h.purgeNow(); done != (Purged{}) {
		t.Errorf("%+v of the dead jobs was purged", done)
	}
	for _, id := range []string{dead, deadKeyed} {
		h.wantLedger(id, "1 permanent marked dead permanent")
		h.wantState(id, "dead")
	}
	if got := h.strings("select jobs || ' ' || attempts from " + purgeTable + " where purged_by <> '' and attempts_before > keys_before order by purge_id"); fmt.Sprint(got) != "[1 2 1 2]" {
		t.Errorf("on record: %q", got)
	}
}

func TestKeyOfAPurgedJobBeginsAnew(t *testing.T) {
	h := newHarness(t, notePolicy(), endsAs)
	first := h.enqueue(note{Key: "k", Text: "retry"})
	h.runDue()
	h.advance(30 * time.Second)
	h.runDue()
	h.advance(keep.keys + time.Millisecond)
	h.purgeNow()
	again := h.enqueue(note{Key: "k", Text: "retry"})
	if again.JobID != first.JobID || again.Duplicate {
		t.Errorf("%+v after %+v", again, first)
	}
	h.runDue()
	h.wantLedger(again.JobID, "1 transient unmatched retry")
	h.advance(30 * time.Second)
	h.runDue()
	h.wantLedger(again.JobID, "1 transient unmatched retry", "2 ok done")
}

// However old its first attempt is, a job that is not finished keeps it, and so does one that has ended just now.
func TestJobInUseIsNeverPurged(t *testing.T) {
	h := newHarness(t, notePolicy(), endsAs)
	ids := []string{h.enqueue(note{Key: "k", Text: "retry"}).JobID, h.enqueue(note{Text: "retry"}).JobID}
	h.runDue()
	h.advance(10 * keep.keys)
	untouched := func(what string, ledger ...string) {
		t.Helper()
		if done := h.purgeNow(); done != (Purged{}) {
			t.Errorf("%s: %+v was purged", what, done)
		}
		for _, id := range ids {
			h.wantLedger(id, ledger...)
		}
	}
	untouched("scheduled", "1 transient unmatched retry")
	running := h.begin(h.token)
	untouched("running", "1 transient unmatched retry")
	for _, c := range running {
		h.end(h.process, c)
	}
	untouched("done just now", "1 transient unmatched retry", "2 ok done")
	h.advance(keep.keys + time.Millisecond)
	if done := h.purgeNow(); done != (Purged{Jobs: 2, Attempts: 4}) {
		t.Errorf("%+v, want both jobs", done)
	}
}

func TestPurgeGoesOnWhereItWasStopped(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	const moments, each = 5, purgeAttempts / 2
	for range moments {
		if _, err := enqueueMany(t.Context(), h.store, nil, h.queue, make([]note, each)); err != nil {
			t.Fatal(err)
		}
		_, jobs, err := h.store.finish(t.Context(), nil, []want{{h.queue.name, each, h.queue.lease, false}}, h.token, h.name)
		if err != nil {
			t.Fatal(err)
		}
		var ends []result
		for _, c := range jobs[0] {
			ends = append(ends, result{JobID: c.jobID, Attempt: c.attempt, Token: h.token, Outcome: ok, Decision: "done", Next: "gone"})
		}
		if accepted, _, err := h.store.finish(t.Context(), ends, nil, h.token, h.name); err != nil || len(accepted) != each {
			t.Fatalf("%d of %d ended, %v", len(accepted), each, err)
		}
		h.advance(time.Second)
	}
	h.advance(keep.attempts)
	ended, stop := context.WithCancel(t.Context())
	stop()
	if done, err := h.store.purge(ended, keep); err == nil || done != (Purged{}) {
		t.Errorf("it was not stopped: %+v, %v", done, err)
	}
	first, _, err := h.store.purgeBatch(t.Context(), keep, 0)
	if err != nil || first != (Purged{2 * each, 2 * each}) {
		t.Fatalf("the first batch: %+v, %v", first, err)
	}
	if rest := h.purgeNow(); rest != (Purged{3 * each, 3 * each}) {
		t.Errorf("the rest: %+v", rest)
	}
	if got := h.strings("select attempts from " + purgeTable + " order by purge_id"); h.count(ledgerTable) != "0" || fmt.Sprint(got) != fmt.Sprint([]int{2 * each, 2 * each, each}) {
		t.Errorf("%s attempts are left after batches of %v", h.count(ledgerTable), got)
	}
}
