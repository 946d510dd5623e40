package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"
)

var (
	errRabbitGone     = errors.New("it came over a connection that is gone, and comes again")
	errRabbitAnswered = errors.New("it was acknowledged or put back before")
)

// rabbitReceipt is where a message came from. Its number is of use on that channel alone.
type rabbitReceipt struct {
	in  *rabbitIncoming
	tag uint64
}

// receive waits for as long as ctx lasts, through the broker's outages too.
func (q *rabbitQueue) receive(ctx context.Context, limit int) ([]delivery, error) {
	for limit > 0 {
		in, err := q.receives.current(ctx)
		if err != nil {
			return nil, err
		}
		messages, err := in.receive(ctx, limit)
		if len(messages) > 0 || ctx.Err() != nil || rabbitRefused(err) {
			return messages, err
		}
	}
	return nil, nil
}

// rabbitRefused is whether the broker has answered that it will not, in contrast to a connection that was lost.
func rabbitRefused(err error) bool {
	var answer *amqp.Error
	return errors.As(err, &answer) && answer.Server && answer.Recover
}

// acknowledge cannot know whether RabbitMQ has read it: AMQP has no answer to it. A message whose acknowledgement is lost
// with the connection comes again.
func (q *rabbitQueue) acknowledge(ctx context.Context, messages []delivery) error {
	return rabbitWithin(ctx, func() error {
		var failed []error
		for _, m := range messages {
			err := rabbitAnswer(m, func(ch *amqp.Channel, tag uint64) error { return ch.Ack(tag, false) })
			if err != nil {
				failed = append(failed, fmt.Errorf("RabbitMQ: message %q is not acknowledged: %w", m.messageID, err))
			}
		}
		return errors.Join(failed...)
	})
}

// putBack sends a copy that is held back, for no longer than longestDelay, and then acknowledges the message: one that is lost in
// between comes twice. The broker counts the copy's deliveries from 1. Where it takes no copy, the message itself comes again
// after a moment: as long as the connection is there, nobody else would get it. Where that is gone the broker has the message,
// and a copy would be one more.
func (q *rabbitQueue) putBack(ctx context.Context, m delivery, delay time.Duration) error {
	if r, ok := m.receipt.(rabbitReceipt); delay <= 0 || ok && r.in.over() {
		return q.requeue(ctx, m)
	}
	delay = min(delay, q.longestDelay())
	if err := q.publish(ctx, []message{{id: m.messageID, body: m.body, delay: delay}}); err != nil {
		return q.requeueLater(ctx, m, err)
	}
	return q.acknowledge(ctx, []delivery{m})
}

// requeueLater is for a message that could not be sent anywhere, for a reason.
func (q *rabbitQueue) requeueLater(ctx context.Context, m delivery, why error) error {
	pause(ctx, announcePause)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), announceRest)
	defer cancel()
	return errors.Join(why, q.requeue(ctx, m))
}

func (q *rabbitQueue) requeue(ctx context.Context, m delivery) error {
	return rabbitWithin(ctx, func() error {
		err := rabbitAnswer(m, func(ch *amqp.Channel, tag uint64) error { return ch.Nack(tag, false, true) })
		if err != nil {
			return fmt.Errorf("RabbitMQ: message %q is not put back: %w", m.messageID, err)
		}
		return nil
	})
}

// rabbitAnswer answers a message on the channel that it came over.
func rabbitAnswer(m delivery, answer func(*amqp.Channel, uint64) error) error {
	receipt, ok := m.receipt.(rabbitReceipt)
	if !ok {
		return errors.New("it did not come from here")
	}
	if err := receipt.in.settle(receipt.tag); err != nil {
		return err
	}
	return answer(receipt.in.channel, receipt.tag)
}

// rabbitCount is how often a message has come. From 4.3 on RabbitMQ counts in x-acquired-count what it handed out, and in
// x-delivery-count what then failed; before, all of it in the latter. A first delivery has neither.
func rabbitCount(m amqp.Delivery) int {
	if count, ok := m.Headers["x-acquired-count"].(int64); ok {
		return int(count) + 1
	}
	if count, ok := m.Headers["x-delivery-count"].(int64); ok {
		return int(count) + 1
	}
	if m.Redelivered {
		return 0
	}
	return 1
}
