package worker

import (
	"testing"
	"time"
)

func TestLostLeaseAmongSuccessesHoldsBackNoOther(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	keyed, lost, plain := h.enqueue(note{Key: "a"}), h.enqueue(note{}), h.enqueue(note{})
	var kept []leased
	for _, c := range h.begin(h.token) {
		h.start(h.lanes[0], c)
		if c.jobID != lost.JobID {
			kept = append(kept, leased{c.jobID, c.attempt, (2 * h.queue.lease).Milliseconds()})
		}
	}
	for len(h.unwritten) < 3 {
		h.collect(<-h.ended)
	}
	if _, err := h.store.renew(t.Context(), time.Second, kept, h.token); err != nil {
		t.Fatal(err)
	}
	h.advance(h.queue.lease + time.Millisecond)
	if err := h.reap(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.turn(t.Context(), true)
	h.wantLedger(keyed.JobID, "1 ok done")
	h.wantState(keyed.JobID, "done")
	h.wantLedger(lost.JobID, "1 transient crashed retry")
	h.wantState(lost.JobID, "scheduled")
	h.wantLedger(plain.JobID, "1 ok done")
	h.wantState(plain.JobID, "")
}
