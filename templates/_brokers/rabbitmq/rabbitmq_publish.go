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

// send publishes messages and waits until they are confirmed: those for one queue on a channel of their own, as RabbitMQ reads
// no more from a channel that has something for a queue that does not answer.
func (o *rabbitOutgoing) send(ctx context.Context, posts []rabbitPost) error {
	if err := o.free(ctx); err != nil {
		return err
	}
	queues := map[string][]rabbitPost{}
	for _, p := range posts {
		queues[p.queue] = append(queues[p.queue], p)
	}
	failed := make(chan error, len(queues))
	for _, some := range queues {
		go func() { failed <- o.sendTo(ctx, some) }()
	}
	var errs []error
	for range queues {
		errs = append(errs, <-failed)
	}
	return errors.Join(errs...)
}

// sendTo publishes messages to one queue. A channel on which something is left open is not used again.
func (o *rabbitOutgoing) sendTo(ctx context.Context, posts []rabbitPost) error {
	queue := posts[0].queue
	if err := o.mute(queue); err != nil {
		return o.unsent(len(posts), err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, rabbitPatience, errRabbitMute{queue, o.conn.Config.Vhost})
	defer cancel()
	if err := o.ensure(ctx, queue, posts[0].args); err != nil {
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
		o.leave(ch, err)
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
