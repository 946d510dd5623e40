package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"

	amqp "github.com/rabbitmq/amqp091-go"
)

// rabbitAtOnce is how many messages are on their way before the first has to be confirmed.
const rabbitAtOnce = 256

// publish returns once RabbitMQ has confirmed all messages: a majority of the queue's nodes has each on disk. After an
// error some may have been sent.
func (q *rabbitQueue) publish(ctx context.Context, messages []message) error {
	for some := range slices.Chunk(messages, rabbitAtOnce) {
		posts, err := q.address(some)
		if err != nil {
			return err
		}
		out, err := q.sends.current(ctx)
		if err != nil {
			return err
		}
		if err := out.send(ctx, posts); err != nil {
			return err
		}
	}
	return nil
}

// rabbitPost is a message with the queue that it goes to.
type rabbitPost struct {
	message
	queue string
	args  amqp.Table
}

// address finds the queue for each message.
func (q *rabbitQueue) address(messages []message) ([]rabbitPost, error) {
	posts := make([]rabbitPost, len(messages))
	for i, m := range messages {
		posts[i] = rabbitPost{message: m, queue: q.name, args: rabbitArgs()}
		if m.delay > 0 {
			step, err := rabbitStep(m.delay)
			if err != nil {
				return nil, err
			}
			posts[i].queue, posts[i].args = rabbitDelayQueue(q.name, step), rabbitDelayArgs(q.name, step)
		}
	}
	return posts, nil
}

// send publishes messages and waits until they are confirmed. A channel on which something is left open is not used again.
func (o *rabbitOutgoing) send(ctx context.Context, posts []rabbitPost) error {
	for _, p := range posts {
		if err := o.ensure(ctx, p.queue, p.args); err != nil {
			return err
		}
	}
	if err := o.free(ctx); err != nil {
		return err
	}
	ch, err := o.take(ctx)
	if err != nil {
		return fmt.Errorf("RabbitMQ: nothing can be published: %w", err)
	}
	confirms := make([]*amqp.DeferredConfirmation, len(posts))
	err = rabbitWithin(ctx, func() error { return ch.publish(posts, confirms) })
	for i := 0; err == nil && i < len(posts); i++ {
		if _, err = confirms[i].WaitContext(ctx); err != nil {
			err = context.Cause(ctx)
		}
	}
	if err != nil {
		go func() { _ = ch.Close() }() // it may have to wait for the broker
		return o.unsent(len(posts), errors.Join(err, ch.why()))
	}
	defer o.give(ch)
	return o.judge(posts, confirms, ch)
}

// judge looks at what has become of each message.
func (o *rabbitOutgoing) judge(posts []rabbitPost, confirms []*amqp.DeferredConfirmation, ch *rabbitChannel) error {
	returned := ch.returned()
	var why error
	count := 0
	for i, p := range posts {
		answer, back := returned[p.queue]
		switch {
		case back:
			o.forget(p.queue) // the next message makes it again
			why = fmt.Errorf("queue %q was removed, and is made again for the next message: %s", p.queue, answer)
		case confirms[i].Acked():
			continue
		case ch.IsClosed():
			why = errors.Join(errors.New("the connection was lost before they were confirmed"), ch.why())
		default:
			why = fmt.Errorf("queue %q refuses messages: a policy limits its length, or too few of its nodes are up", p.queue)
		}
		count++
	}
	if count == 0 {
		return nil
	}
	return o.unsent(count, why)
}

func (o *rabbitOutgoing) unsent(count int, why error) error {
	return fmt.Errorf("RabbitMQ: %d messages are not known to be sent: %w", count, errors.Join(why, o.short()))
}
