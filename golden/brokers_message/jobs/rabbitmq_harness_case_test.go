package jobs

import (
	"context"
	"testing"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"
)

// rabbitRaw is a channel that knows nothing of the worker.
func rabbitRaw(t *testing.T) *amqp.Channel {
	t.Helper()
	conn, err := amqp.Dial(testRabbitURL(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	ch, err := conn.Channel()
	if err != nil {
		t.Fatal(err)
	}
	return ch
}

// rabbitScratch is the name of a queue that is removed after the test, with those beside it.
func rabbitScratch(t *testing.T) string {
	t.Helper()
	ch, queue := rabbitRaw(t), "retryc-test-"+randomID()
	t.Cleanup(func() {
		names := []string{queue, rabbitDeadQueue(queue)}
		for _, step := range rabbitSteps {
			names = append(names, rabbitDelayQueue(queue, step))
		}
		for _, name := range names {
			if _, err := ch.QueueDelete(name, false, false, false); err != nil {
				t.Error(err)
			}
		}
	})
	return queue
}

func newRabbit(t *testing.T) *rabbitQueue {
	t.Helper()
	q, err := connectRabbitMQDead(t.Context(), testRabbitURL(t), rabbitScratch(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := q.close(); err != nil {
			t.Error(err)
		}
	})
	return q
}

func (q *rabbitQueue) send(t *testing.T, messages ...message) {
	t.Helper()
	if err := q.publish(t.Context(), messages); err != nil {
		t.Fatal(err)
	}
}

// take waits for n messages, and answers them.
func (q *rabbitQueue) take(t *testing.T, n int) (all []delivery) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for len(all) < n {
		came, err := q.receive(ctx, n-len(all))
		if err != nil {
			t.Fatalf("%d of %d messages have come: %v", len(all), n, err)
		}
		all = append(all, came...)
	}
	return all
}

func (q *rabbitQueue) wantDepth(t *testing.T, want depth) {
	t.Helper()
	if got, err := q.depth(t.Context()); err != nil || got != want {
		t.Errorf("depth: %+v, want %+v (%v)", got, want, err)
	}
}

// wantDead is how many dead letters there are to be.
func (q *rabbitQueue) wantDead(t *testing.T, want int) {
	t.Helper()
	out, err := q.sends.current(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := out.count(t.Context(), rabbitDeadQueue(q.name)); err != nil || got != want {
		t.Errorf("%d dead letters, want %d (%v)", got, want, err)
	}
}

// cut ends the connection over which messages come.
func (q *rabbitQueue) cut(t *testing.T) {
	t.Helper()
	in, err := q.receives.current(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_ = in.conn.wire.Close()
	<-in.gone
}
