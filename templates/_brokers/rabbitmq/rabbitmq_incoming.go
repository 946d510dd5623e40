package worker

import (
	"context"
	"fmt"
	"log/slog"
	"sync"

	amqp "github.com/rabbitmq/amqp091-go"
)

// rabbitInHand is how many messages RabbitMQ hands to one process before it has acknowledged any: what receive was asked for
// at most at once, and never more than this. RabbitMQ's guide finds no more throughput past 300.
const rabbitInHand = 250

// rabbitIncoming is a channel with consumers, whose messages are all together. Each consumer has a prefetch of its own, which
// stays as it is: where more messages are asked for than before, another consumer brings the rest.
type rabbitIncoming struct {
	conn    *rabbitConn
	channel *amqp.Channel
	queue   string
	arrived chan amqp.Delivery // has room for all that the broker hands out
	gone    chan struct{}      // closed when the channel or one of its consumers is
	leave   func()

	widening chan struct{} // held by the one who adds a consumer
	prefetch int           // of all consumers; guarded by widening

	mu     sync.Mutex
	asked  int                 // what those who wait in receive would take
	inHand map[uint64]struct{} // what receive has given out, by tag
}

// rabbitListen begins to receive. The consumers come with the first who asks.
func rabbitListen(ctx context.Context, conn *rabbitConn, queue string) (*rabbitIncoming, error) {
	if err := conn.declare(ctx, queue, rabbitArgs()); err != nil {
		return nil, err
	}
	in := &rabbitIncoming{
		conn: conn, queue: queue,
		arrived: make(chan amqp.Delivery, rabbitInHand), gone: make(chan struct{}),
		widening: make(chan struct{}, 1), inHand: map[uint64]struct{}{},
	}
	in.leave = sync.OnceFunc(func() { close(in.gone) })
	err := rabbitWithin(ctx, func() (err error) {
		in.channel, err = conn.Channel()
		return err
	})
	if err != nil {
		return nil, err
	}
	closes := in.channel.NotifyClose(make(chan *amqp.Error, 1))
	go func() {
		if why := <-closes; why != nil {
			slog.Warn("RabbitMQ has closed the channel: what was received and not acknowledged comes again", "queue", queue, "error", why)
		}
		in.leave()
	}()
	return in, nil
}

func (in *rabbitIncoming) over() bool {
	select {
	case <-in.gone:
		return true
	default:
		return in.channel.IsClosed()
	}
}

func (in *rabbitIncoming) end() error {
	in.leave()
	return in.conn.hangUp()
}

// receive waits for messages, until the channel is gone: then it answers none.
func (in *rabbitIncoming) receive(ctx context.Context, limit int) ([]delivery, error) {
	in.mu.Lock()
	in.asked += limit
	in.mu.Unlock()
	defer func() {
		in.mu.Lock()
		in.asked -= limit
		in.mu.Unlock()
	}()
	if err := in.widen(ctx); err != nil {
		return nil, fmt.Errorf("RabbitMQ: queue %q: nothing can be received: %w", in.queue, rabbitExplain(err))
	}
	select {
	case first := <-in.arrived:
		if in.over() {
			return nil, nil // the broker has it again
		}
		return in.give(first, limit), nil
	case <-in.gone:
		return nil, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("RabbitMQ: queue %q: nothing has come: %w", in.queue, context.Cause(ctx))
	}
}

// give is what has arrived, as far as it is asked for.
func (in *rabbitIncoming) give(first amqp.Delivery, limit int) []delivery {
	in.mu.Lock()
	defer in.mu.Unlock()
	var messages []delivery
	for next := first; ; {
		in.inHand[next.DeliveryTag] = struct{}{}
		messages = append(messages, delivery{
			messageID: next.MessageId, count: rabbitCount(next), body: next.Body, receipt: rabbitReceipt{in, next.DeliveryTag},
		})
		if len(messages) == limit {
			return messages
		}
		select {
		case next = <-in.arrived:
		default:
			return messages
		}
	}
}

// widen lets the broker hand out as many messages as are in hand and asked for.
func (in *rabbitIncoming) widen(ctx context.Context) error {
	select {
	case in.widening <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	in.mu.Lock()
	more := min(len(in.inHand)+in.asked, rabbitInHand) - in.prefetch
	in.mu.Unlock()
	if more <= 0 {
		<-in.widening
		return nil
	}
	return rabbitWithin(ctx, func() error {
		defer func() { <-in.widening }()
		return in.consume(more)
	})
}

// consume adds a consumer that is handed some messages at once.
func (in *rabbitIncoming) consume(prefetch int) error {
	if err := in.channel.Qos(prefetch, 0, false); err != nil {
		return err
	}
	messages, err := in.channel.Consume(in.queue, "", false, false, false, false, nil)
	if err != nil {
		return err
	}
	in.prefetch += prefetch
	go func() {
		for m := range messages {
			in.arrived <- m
		}
		in.leave() // the channel is closed, or the queue was removed
	}()
	return nil
}

// settle is asked before a message is answered: once, and on the channel that it came over. RabbitMQ would close the
// channel at another answer, and all that is in hand would come again.
func (in *rabbitIncoming) settle(tag uint64) error {
	if in.over() {
		return errRabbitGone
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	if _, known := in.inHand[tag]; !known {
		return errRabbitAnswered
	}
	delete(in.inHand, tag)
	return nil
}
