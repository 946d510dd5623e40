package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	amqp "github.com/rabbitmq/amqp091-go"
)

// rabbitIdle is how many channels are kept for the next who publish. Who finds none opens one.
const rabbitIdle = 16

// rabbitOutgoing is a connection on which is published, to one queue at a time on a channel that no other uses meanwhile.
type rabbitOutgoing struct {
	conn *rabbitConn
	idle chan *rabbitChannel

	mu       sync.Mutex
	declared map[string]bool
	muted    map[string]error // the queues that do not answer
	blocked  string           // why RabbitMQ does not read from connections that publish
	opened   chan struct{}    // closed while it does read
}

// rabbitSender begins to publish.
func rabbitSender(ctx context.Context, conn *rabbitConn, queue string) (*rabbitOutgoing, error) {
	o := &rabbitOutgoing{conn: conn, idle: make(chan *rabbitChannel, rabbitIdle), declared: map[string]bool{}, muted: map[string]error{}, opened: make(chan struct{})}
	close(o.opened)
	go o.watch(conn.NotifyBlocked(make(chan amqp.Blocking, 8)))
	return o, o.ensure(ctx, queue, rabbitArgs())
}

func (o *rabbitOutgoing) over() bool { return o.conn.IsClosed() }

func (o *rabbitOutgoing) end() error { return o.conn.hangUp() }

// watch keeps up with whether RabbitMQ takes messages, until the connection ends.
func (o *rabbitOutgoing) watch(changes <-chan amqp.Blocking) {
	for change := range changes {
		if change.Active {
			slog.Warn("RabbitMQ takes no messages for now", "reason", change.Reason)
		}
		o.mark(change)
	}
	o.mark(amqp.Blocking{})
}

func (o *rabbitOutgoing) mark(change amqp.Blocking) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch was := o.blocked != ""; {
	case change.Active && !was:
		o.blocked, o.opened = "RabbitMQ takes no messages for now, its resource alarm: "+change.Reason, make(chan struct{})
	case !change.Active && was:
		o.blocked = ""
		close(o.opened)
	}
}

// free waits until RabbitMQ takes messages.
func (o *rabbitOutgoing) free(ctx context.Context) error {
	o.mu.Lock()
	opened := o.opened
	o.mu.Unlock()
	select {
	case <-opened:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("RabbitMQ: nothing is published: %w", errors.Join(context.Cause(ctx), o.short()))
	}
}

// short is why RabbitMQ takes no messages, or nil.
func (o *rabbitOutgoing) short() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.blocked == "" {
		return nil
	}
	return errors.New(o.blocked)
}

// ensure makes a queue before the first message for it.
func (o *rabbitOutgoing) ensure(ctx context.Context, queue string, args amqp.Table) error {
	o.mu.Lock()
	done := o.declared[queue]
	o.mu.Unlock()
	if done {
		return nil
	}
	if err := o.conn.declare(ctx, queue, args); err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.declared[queue] = true
	return nil
}

func (o *rabbitOutgoing) forget(queue string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.declared, queue)
}

// take is a channel that nobody else uses.
func (o *rabbitOutgoing) take(ctx context.Context) (*rabbitChannel, error) {
	for {
		select {
		case ch := <-o.idle:
			if !ch.IsClosed() {
				return ch, nil
			}
		default:
			opened := make(chan *rabbitChannel, 1)
			err := rabbitWithin(ctx, func() error {
				ch, err := rabbitPublisher(o.conn)
				opened <- ch
				return err
			})
			if err != nil {
				return nil, err
			}
			return <-opened, nil
		}
	}
}

// give keeps a channel on which nothing is left open for the next.
func (o *rabbitOutgoing) give(ch *rabbitChannel) {
	select {
	case o.idle <- ch:
	default:
		go func() { _ = ch.Close() }() // there are enough
	}
}
