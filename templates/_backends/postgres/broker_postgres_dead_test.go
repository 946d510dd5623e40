//retryc:when broker_dead

package worker

import (
	"context"
	"errors"
	"slices"
	"testing"
)

func (b *memoryBroker) deadLetter(ctx context.Context, m delivery) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.down {
		return errors.New("the broker is down")
	}
	delete(b.inFlight, m.receipt.(string))
	b.dead = append(b.dead, m)
	return nil
}

// letters is the broker's dead letters.
func (b *memoryBroker) letters() []delivery {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.dead)
}

func (b *memoryBroker) redrive(ctx context.Context, limit int) (int, error) {
	b.mu.Lock()
	moved := b.dead[:min(limit, len(b.dead))]
	b.dead = b.dead[len(moved):]
	b.mu.Unlock()
	for _, m := range moved {
		if err := b.publish(ctx, []message{{id: m.messageID, body: m.body}}); err != nil {
			return 0, err
		}
	}
	return len(moved), nil
}

func TestDeadLetterOfABrokerHasTheJobsIDAndGoesBackThereWhileTheJobIsDead(t *testing.T) {
	h, b := newCarried(t, func(context.Context, *Job[note]) error { return Permanent(errBroken) })
	h.queue.deadLetter = true
	h.work()
	if err := b.publish(t.Context(), []message{{id: "m", body: []byte(`{"text":"a"}`)}}); err != nil {
		t.Fatal(err)
	}
	buried := func() bool { b.mu.Lock(); defer b.mu.Unlock(); return len(b.dead) == 1 }
	h.until("the broker has its message", buried)
	id := h.strings("select job_id::text from " + jobTable)[0]
	h.wantLedger(id, "1 permanent marked dead permanent")
	h.wantPayload(`{"text":"a"}`)
	letter := b.letters()[0]
	if named, whole := readParcel(letter.body); !whole || named.JobID != id || string(named.Payload) != `{"text":"a"}` {
		t.Errorf("the dead letter is %s", letter.body)
	}
	moved, err := h.store.redriveMessages(t.Context(), h.queue, 5)
	if err != nil || moved != 1 {
		t.Errorf("%d moved: %v", moved, err)
	}
	h.until("it has come, and gone back", func() bool { b.mu.Lock(); defer b.mu.Unlock(); return len(b.dead) == 1 && b.n > 2 })
	h.wantLedger(id, "1 permanent marked dead permanent")
	h.untilEmpty(b)
}

// RabbitMQ gives a message that is not answered to nobody else, for as long as its connection is there.
func TestMessageThatCannotBeDeadLetteredComesAgain(t *testing.T) {
	h, b, l := carriedConsumer(t, fails(nil))
	h.queue.deadLetter = true
	h.enqueue(note{Text: "a"})
	a := h.come(b)[0]
	h.exec("update " + jobTable + " set state = 'dead', dead_reason = 'crashes', dead_at = created_at") // by the reaper
	b.mu.Lock()
	b.down = true
	b.mu.Unlock()
	h.slots(1, false)
	h.take(t.Context(), l, []announced{a})
	h.arrive(<-h.arrived)
	h.until("it is back", func() bool { ready, _, inFlight := b.left(); return ready == 1 && inFlight == 0 })
	h.wantPayload(`{"key":"","text":"a"}`)
	b.mu.Lock()
	b.down = false
	b.mu.Unlock()
	h.slots(1, false)
	h.take(t.Context(), l, h.come(b))
	h.arrive(<-h.arrived)
	if h.untilEmpty(b); len(b.letters()) != 1 || len(l.custody.all()) > 0 {
		t.Errorf("%d dead letters", len(b.letters()))
	}
}
