package jobs

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"
)

func TestRabbitConnectionIsMadeAnew(t *testing.T) {
	address := testRabbitURL(t)
	way := newRabbitWay(t, address)
	q := rabbitOn(t, way.address, rabbitScratch(t, address))
	rabbitPublish(t, q, rabbitMessages(1)...)
	m := rabbitReceive(t, q, 1)[0]
	way.cut()
	again := rabbitReceive(t, q, 1)[0]
	if again.messageID != m.messageID || again.count != 2 {
		t.Errorf("came again as %+v", again)
	}
	if err := q.acknowledge(t.Context(), []delivery{m}); !errors.Is(err, errRabbitGone) {
		t.Errorf("acknowledged over the lost connection: %v", err)
	}
	if err := q.putBack(t.Context(), m, 0); !errors.Is(err, errRabbitGone) {
		t.Errorf("put back over the lost connection: %v", err)
	}
	rabbitAck(t, q, again)
	rabbitPublish(t, q, message{id: "later", body: []byte("{}"), delay: time.Second})
	rabbitAck(t, q, rabbitReceive(t, q, 1)...)
	rabbitDrained(t, q)
}

func TestRabbitLosesNothingWhileConnectionsBreak(t *testing.T) {
	address := testRabbitURL(t)
	way := newRabbitWay(t, address)
	queue := rabbitScratch(t, address)
	q := rabbitOn(t, way.address, queue)
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	var group sync.WaitGroup
	const producers, each = 3, 40
	for p := range producers {
		group.Add(1)
		go func() {
			defer group.Done()
			for i := range each {
				m := message{id: fmt.Sprintf("p%d-%d", p, i), body: []byte("{}")}
				for q.publish(ctx, []message{m}) != nil && ctx.Err() == nil {
				}
			}
		}()
	}
	group.Add(1)
	go func() {
		defer group.Done()
		for range 6 {
			time.Sleep(150 * time.Millisecond)
			way.cut()
		}
	}()
	seen := map[string]bool{}
	for len(seen) < producers*each {
		messages, err := q.receive(ctx, 8)
		if err != nil {
			t.Fatalf("%d of %d: %v", len(seen), producers*each, err)
		}
		for _, m := range messages {
			seen[m.messageID] = true
		}
		_ = q.acknowledge(ctx, messages) // one over a lost connection comes again
	}
	group.Wait()
}

func TestRabbitNothingOutlastsItsContext(t *testing.T) {
	address := testRabbitURL(t)
	way := newRabbitWay(t, address)
	q := rabbitOn(t, way.address, rabbitScratch(t, address))
	rabbitPublish(t, q, rabbitMessages(2)...)
	first := rabbitReceive(t, q, 1)
	way.frozen.Lock()
	start := time.Now()
	for _, c := range []struct {
		name string
		call func(context.Context) error
	}{
		{"publish", func(ctx context.Context) error { return q.publish(ctx, rabbitMessages(1)) }},
		{"publish to a delay", func(ctx context.Context) error { return q.publish(ctx, []message{{id: "d", delay: time.Second}}) }},
		{"receive", func(ctx context.Context) error { _, err := q.receive(ctx, 5); return err }},
		{"connect", func(ctx context.Context) error { _, err := connectRabbitMQ(ctx, way.address, q.name); return err }},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		if err := c.call(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", c.name, err)
		}
		cancel()
	}
	if waited := time.Since(start); waited > 3*time.Second {
		t.Errorf("they waited for %s", waited)
	}
	way.frozen.Unlock()
	rabbitAck(t, q, first...)
	rabbitPublish(t, q, message{id: "after", body: []byte("{}")})
	for id := ""; id != "after"; { // the second of the two, and what may have been published without a confirmation
		m := rabbitReceive(t, q, 1)
		id = m[0].messageID
		rabbitAck(t, q, m...)
	}
}
