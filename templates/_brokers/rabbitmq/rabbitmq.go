package worker

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// rabbitQueue is a queue at RabbitMQ 3.10 or later. Its messages are in a quorum queue of its name; those that are held back
// are in quorum queues beside it, one for each length of time: see rabbitSteps.
//
// What comes has a connection, and what is published has another: RabbitMQ stops reading from a connection that publishes
// while it is short of memory or disk, and acknowledgements must not wait for that. A connection is made by whoever needs it,
// and again where it was lost: one that only publishes has no other.
type rabbitQueue struct {
	name     string
	receives *rabbitLink[*rabbitIncoming]
	sends    *rabbitLink[*rabbitOutgoing]
}

// errRabbitClosed is what a queue answers after its close.
var errRabbitClosed = errors.New("the connection to RabbitMQ has been closed")

// rabbitNameMax is how long the name of a queue can be: AMQP has one byte for its length.
const rabbitNameMax = 255

// connectRabbitMQ connects to the broker that url names, such as amqp://user:password@host:5672/vhost, or amqps:// for TLS,
// and makes the queue where it is not there. It tries once: a broker that goes away later is waited for.
func connectRabbitMQ(ctx context.Context, url, queue string) (*rabbitQueue, error) {
	longest := len(rabbitDelayQueue(queue, rabbitLongest))
	if queue == "" || longest > rabbitNameMax {
		return nil, fmt.Errorf("RabbitMQ: a queue's name has 1 to %d bytes, and %q has %d", rabbitNameMax-(longest-len(queue)), queue, len(queue))
	}
	q := &rabbitQueue{name: queue}
	q.receives = newRabbitLink(url, queue+" (receives)", func(ctx context.Context, c *rabbitConn) (*rabbitIncoming, error) {
		return rabbitListen(ctx, c, queue)
	})
	q.sends = newRabbitLink(url, queue+" (publishes)", func(ctx context.Context, c *rabbitConn) (*rabbitOutgoing, error) {
		return rabbitSender(ctx, c, queue)
	})
	if err := q.sends.first(ctx); err != nil {
		return nil, err
	}
	return q, nil
}

// longestDelay is the longest of rabbitSteps.
func (q *rabbitQueue) longestDelay() time.Duration { return rabbitLongest }

// close waits no more than a few seconds for the broker to have read the acknowledgements. A broker that is away then sees
// the connection end, which gives back as much.
func (q *rabbitQueue) close() error {
	return errors.Join(q.receives.close(), q.sends.close())
}
