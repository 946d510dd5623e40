//retryc:when broker_dead

package worker

import (
	"context"
	"errors"
	"fmt"

	amqp "github.com/rabbitmq/amqp091-go"
)

// connectRabbitMQDead is connectRabbitMQ for a queue whose dead messages go to another one, which is made where it is not
// there.
func connectRabbitMQDead(ctx context.Context, url, queue string) (*rabbitQueue, error) {
	q, err := connectRabbitMQ(ctx, url, queue)
	if err != nil {
		return nil, err
	}
	out, err := q.sends.current(ctx)
	if err == nil {
		err = out.ensure(ctx, rabbitDeadQueue(queue), rabbitArgs())
	}
	if err != nil {
		return nil, errors.Join(err, q.close())
	}
	return q, nil
}

// rabbitDeadQueue is a queue that the worker sends to. RabbitMQ itself could only do so if the work queue had been declared with
// the name of this one, and one that is there cannot be declared again with other arguments.
func rabbitDeadQueue(queue string) string { return queue + ".dead" }

// deadLetter sends a message to the queue of dead letters and then acknowledges it: one that is lost in between is there twice.
// Where it cannot be sent, it comes again after a moment.
func (q *rabbitQueue) deadLetter(ctx context.Context, m delivery) error {
	out, err := q.sends.current(ctx)
	if err == nil {
		err = out.send(ctx, []rabbitPost{{message{id: m.messageID, body: m.body}, rabbitDeadQueue(q.name), rabbitArgs()}})
	}
	if err != nil {
		return q.requeueLater(ctx, m, err)
	}
	return q.acknowledge(ctx, []delivery{m})
}

// rabbitExhumed is how many dead letters are under way at once.
const rabbitExhumed = 64

// redrive sends dead letters to the queue and then acknowledges them. Those that were not are dead letters again once the
// channel is closed.
func (q *rabbitQueue) redrive(ctx context.Context, limit int) (moved int, err error) {
	out, err := q.sends.current(ctx)
	if err != nil {
		return 0, err
	}
	ch, err := out.take(ctx)
	if err != nil {
		return 0, fmt.Errorf("RabbitMQ: no dead letters can be received: %w", err)
	}
	defer func() { _ = rabbitWithin(ctx, ch.Close) }()
	for moved < limit {
		dead, err := q.exhume(ctx, ch, min(limit-moved, rabbitExhumed))
		if err != nil || len(dead) == 0 {
			return moved, err
		}
		posts := make([]rabbitPost, len(dead))
		for i, m := range dead {
			posts[i] = rabbitPost{message{id: m.MessageId, body: m.Body}, q.name, rabbitArgs()}
		}
		if err := out.send(ctx, posts); err != nil {
			return moved, err
		}
		moved += len(dead)
		err = rabbitWithin(ctx, func() error { return ch.Ack(dead[len(dead)-1].DeliveryTag, true) })
		if err != nil {
			return moved, fmt.Errorf("RabbitMQ: queue %q: %d dead letters were sent to it and not removed: %w", q.name, len(dead), err)
		}
	}
	return moved, nil
}

// exhume receives dead letters, at most so many.
func (q *rabbitQueue) exhume(ctx context.Context, ch *rabbitChannel, most int) ([]amqp.Delivery, error) {
	received := make(chan []amqp.Delivery, 1)
	err := rabbitWithin(ctx, func() error {
		var dead []amqp.Delivery
		for len(dead) < most {
			m, there, err := ch.Get(rabbitDeadQueue(q.name), false)
			if err != nil {
				return err
			}
			if !there {
				break
			}
			dead = append(dead, m)
		}
		received <- dead
		return nil
	})
	switch {
	case rabbitMissing(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("RabbitMQ: queue %q: its dead letters could not be received: %w", q.name, err)
	}
	return <-received, nil
}
