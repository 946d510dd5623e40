package jobs

import (
	"context"
	"sync/atomic"
	"testing"
	"time"
)

// A job that is sent back is announced to its broker, whose message begins it.
func TestRedrivenJobIsAnnounced(t *testing.T) {
	var broken atomic.Bool
	broken.Store(true)
	h, b := newAnnounced(t, func(context.Context, *Job[note]) error {
		if broken.Load() {
			return Permanent(errBroken)
		}
		return nil
	})
	h.work()
	id := h.enqueue(note{Key: "k"}).JobID
	h.untilLedger(id, "1 permanent marked dead permanent")
	h.untilEmpty(b)
	var published atomic.Int64
	b.mu.Lock()
	b.copies = func(int) int { published.Add(1); return 1 }
	b.mu.Unlock()
	broken.Store(false)
	rules := redrive
	rules.canary, rules.every = 1, time.Millisecond
	p, err := h.store.plan(t.Context(), &rules, "redrive", DeadFilter{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := h.store.apply(t.Context(), &rules, p.ID, p.Hash, Signed{"ann", "the template is whole again"}, nil)
	if err != nil || r.Sent != 1 {
		t.Fatalf("%+v %v", r, err)
	}
	h.untilLedger(id, "1 permanent marked dead permanent", "2 ok done")
	h.untilEmpty(b)
	if n := published.Load(); n != 1 {
		t.Errorf("%d messages, want 1", n)
	}
	if n := len(h.strings("select job_id::text from " + jobTable + " where state = 'done'")); n != 1 {
		t.Errorf("%d jobs are done", n)
	}
}
