//retryc:when broker_message

package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"
)

// hold has nothing to set: RabbitMQ keeps a message from others for as long as the connection is there over which it came, and
// no longer than its consumer_timeout, half an hour unless it was set up otherwise.
func (q *rabbitQueue) hold(_, _ time.Duration) {}

// extend has nothing to send. It says which messages are kept from nobody any more.
func (q *rabbitQueue) extend(_ context.Context, messages []delivery, _ time.Duration) error {
	lost := 0
	for _, m := range messages {
		if r, ok := m.receipt.(rabbitReceipt); !ok || r.in.over() {
			lost++
		}
	}
	if lost == 0 {
		return nil
	}
	return fmt.Errorf("RabbitMQ: queue %q: %d of %d messages: %w", q.name, lost, len(messages), errRabbitGone)
}

// depth asks for what is in the queue and in those that hold messages back. AMQP has no word for how many were handed out and
// are not acknowledged: received stays 0.
func (q *rabbitQueue) depth(ctx context.Context) (depth, error) {
	out, err := q.sends.current(ctx)
	if err != nil {
		return depth{}, err
	}
	if err := out.free(ctx); err != nil {
		return depth{}, err
	}
	d := depth{}
	if d.ready, err = out.count(ctx, q.name); err != nil {
		return depth{}, err
	}
	for _, step := range rabbitSteps {
		n, err := out.count(ctx, rabbitDelayQueue(q.name, step))
		if err != nil {
			return depth{}, err
		}
		d.delayed += n
	}
	return d, nil
}

// count is how many messages of a queue wait to be handed out. One that is not there has none: RabbitMQ closes the channel on
// which it was asked for.
func (o *rabbitOutgoing) count(ctx context.Context, queue string) (n int, err error) {
	counted := make(chan int, 1)
	err = rabbitWithin(ctx, func() error {
		ch, err := o.conn.Channel()
		if err != nil {
			return err
		}
		defer func() { _ = ch.Close() }()
		found, err := ch.QueueDeclarePassive(queue, true, false, false, false, nil)
		counted <- found.Messages
		return err
	})
	switch {
	case rabbitMissing(err):
		return 0, nil
	case err != nil:
		return 0, fmt.Errorf("RabbitMQ: queue %q: its messages could not be counted: %w", queue, err)
	}
	return <-counted, nil
}

// rabbitMissing is whether the broker has answered that there is no such queue.
func rabbitMissing(err error) bool {
	var answer *amqp.Error
	return errors.As(err, &answer) && answer.Code == amqp.NotFound
}
