package jobs

import (
	"context"
	"sync/atomic"
	"testing"
	"time"
)

// A job that a message carried, and that is dead with its payload in its row, goes back without that message. One that the broker
// still has in its dead letters changes nothing then.
func TestRedrivenJobNeedsItsMessageNoMore(t *testing.T) {
	var broken atomic.Bool
	broken.Store(true)
	h, b := newCarried(t, func(context.Context, *Job[note]) error {
		if broken.Load() {
			return Permanent(errBroken)
		}
		return nil
	})
	h.queue.deadLetter = true
	h.work()
	id := h.enqueue(note{Key: "k", Text: "a"}).JobID
	h.untilLedger(id, "1 permanent marked dead permanent")
	h.until("the broker has its message", func() bool { b.mu.Lock(); defer b.mu.Unlock(); return len(b.dead) == 1 })
	broken.Store(false)
	rules := redrive
	rules.canary, rules.every = 0, time.Millisecond
	p, err := h.store.plan(t.Context(), &rules, "redrive", DeadFilter{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := h.store.apply(t.Context(), &rules, p.ID, p.Hash, Signed{"ann", "the template is whole again"}, nil)
	if err != nil || r.Sent != 1 {
		t.Fatalf("%+v %v", r, err)
	}
	h.advance(2 * time.Millisecond)
	h.untilLedger(id, "1 permanent marked dead permanent", "2 ok done")
	if moved, err := h.store.redriveMessages(t.Context(), h.queue, 5); err != nil || moved != 1 {
		t.Errorf("%d moved: %v", moved, err)
	}
	h.until("nothing is left at the broker", func() bool { // what it was told of the job may be held back
		b.release()
		ready, delayed, inFlight := b.left()
		return ready+delayed+inFlight == 0
	})
	h.wantLedger(id, "1 permanent marked dead permanent", "2 ok done")
	h.wantState(id, "done")
}
