package worker

import (
	"fmt"
	"testing"
	"time"
)

// held locks the row of a job, as a transaction that is under way does.
func (h *harness) held(jobID string) (release func()) {
	h.Helper()
	tx, release := h.beginTx()
	if err := execTx(h.Context(), tx, "select 1 from "+jobTable+" where job_id = ? for update", jobID); err != nil {
		h.Fatal(err)
	}
	return release
}

func TestLockedRowIsStillOursAndAnotherIsLost(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	busy, free := h.enqueue(note{}).JobID, h.enqueue(note{}).JobID
	h.begin(h.token)
	release := h.held(busy)
	ask := []leased{{busy, 1, 60000}, {free, 1, 90000}, {randomID(), 1, 60000}}
	for _, renewed := range []bool{false, true} {
		got, err := h.store.renew(t.Context(), time.Minute, ask, h.token)
		want := map[string]renewal{busy: {1, renewed}, free: {1, true}}
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%v, want %v (%v)", got, want, err)
		}
		release()
	}
	for _, id := range []string{busy, free} { // the first for a minute, the second for half a minute more
		h.advance(map[string]time.Duration{busy: time.Minute, free: 30*time.Second - time.Millisecond}[id])
		over := "select job_id from " + jobTable + " where lease_until < " + h.store.clock + " order by lease_until"
		before := len(h.strings(over))
		h.advance(time.Millisecond)
		if got := h.strings(over); len(got) != before+1 || got[before] != id {
			t.Errorf("%v are over, and before %d", got, before)
		}
	}
	if got, err := h.store.renew(t.Context(), time.Minute, ask, "another process"); err != nil || len(got) != 0 {
		t.Errorf("another process has %v (%v)", got, err)
	}
}

func TestReaperWaitsForNoRow(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	busy, free := h.enqueue(note{}).JobID, h.enqueue(note{}).JobID
	h.begin("a process that dies")
	h.advance(h.queue.lease + time.Millisecond)
	release := h.held(busy)
	for _, want := range [][]string{nil, {"1 transient crashed retry"}} {
		if err := h.reap(t.Context()); err != nil {
			t.Fatal(err)
		}
		h.wantLedger(busy, want...)
		h.wantLedger(free, "1 transient crashed retry")
		release()
	}
	if got := h.strings("select shared_crashes from "+jobTable+" where job_id = ?", free); got[0] != "1" {
		t.Error("the locked sibling was no company")
	}
}

func TestClaimWaitsForNoRow(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	busy, free := h.enqueue(note{}).JobID, h.enqueue(note{}).JobID
	defer h.held(busy)()
	if jobs := h.begin(h.token); len(jobs) != 1 || jobs[0].jobID != free {
		t.Errorf("claimed %d jobs, want the free one alone", len(jobs))
	}
}
