package worker

import (
	"errors"
	"fmt"
)

// errRabbitMute is that a queue does not answer. RabbitMQ reads on from a channel only half a minute after each message for such
// a queue. One that it was killed in the half second after making stays so: RabbitMQ had not yet written down that it is there.
type errRabbitMute struct{ queue, vhost string }

func (e errRabbitMute) Error() string {
	return fmt.Sprintf("queue %q has not answered for %s: the broker is slow, or too few of the queue's nodes are up, or the broker was killed just as it "+
		"made the queue: then its messages are gone, remove it (rabbitmqctl delete_queue -p '%s' '%s')", e.queue, rabbitPatience, e.vhost, e.queue)
}

// mute is why nothing is published to a queue now, or nil.
func (o *rabbitOutgoing) mute(queue string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.muted[queue]
}

// leave gives up a channel on which something is left open, for a reason. While the queue that it is for does not answer,
// nothing else is published to it: whatever is would wait too, on a channel more.
func (o *rabbitOutgoing) leave(ch *rabbitChannel, why error) {
	var e errRabbitMute
	mute := errors.As(why, &e) && o.short() == nil
	if mute {
		o.mu.Lock()
		o.muted[e.queue] = why
		o.mu.Unlock()
	}
	go func() {
		_ = ch.Close() // it waits until RabbitMQ has read what was published
		if mute {
			o.mu.Lock()
			delete(o.muted, e.queue)
			o.mu.Unlock()
		}
	}()
}
