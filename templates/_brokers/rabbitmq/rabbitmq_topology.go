package worker

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"
)

// rabbitDeliveryLimit is how often a message can come again before RabbitMQ throws it away: never, in practice. Without a
// limit RabbitMQ 4 has 20, and -1, which means none there, means at once on 3.10. This number is the same to both, so that
// a queue outlives an upgrade of the broker.
const rabbitDeliveryLimit = 1<<31 - 1

// rabbitArgs is what both kinds of queues are declared with. What RabbitMQ 4 or a virtual host has other defaults for than
// 3.10 is written out.
func rabbitArgs() amqp.Table {
	return amqp.Table{
		"x-queue-type":     "quorum",
		"x-overflow":       "reject-publish", // where a policy limits the queue: refuse the new message, do not drop an old one
		"x-delivery-limit": int64(rabbitDeliveryLimit),
	}
}

// rabbitDelayArgs is what a queue is declared with that holds messages back for a step and then gives them to another. At
// least once, it keeps a message until the other has it; RabbitMQ does that for reject-publish alone.
func rabbitDelayArgs(queue string, step time.Duration) amqp.Table {
	args := rabbitArgs()
	args["x-message-ttl"] = step.Milliseconds()
	args["x-dead-letter-exchange"] = "" // the one that knows every queue by its name
	args["x-dead-letter-routing-key"] = queue
	args["x-dead-letter-strategy"] = "at-least-once"
	return args
}

// declare makes a queue where it is not there, on a channel of its own, as RabbitMQ closes the channel where it cannot.
func (c *rabbitConn) declare(ctx context.Context, queue string, args amqp.Table) error {
	err := rabbitWithin(ctx, func() error {
		ch, err := c.Channel()
		if err != nil {
			return err
		}
		defer func() { _ = ch.Close() }()
		_, err = ch.QueueDeclare(queue, true, false, false, false, args)
		return err
	})
	if err != nil {
		return fmt.Errorf("RabbitMQ: queue %q: %w", queue, rabbitExplain(err))
	}
	return nil
}

var rabbitOther = regexp.MustCompile(`inequivalent arg '([^']*)' for queue '(.*)' in vhost '(.*)': received (.*) but current is (.*)$`)

// rabbitExplain adds to an error of the broker what can be done about it.
func rabbitExplain(err error) error {
	var answer *amqp.Error
	if !errors.As(err, &answer) {
		return err
	}
	if other := rabbitOther.FindStringSubmatch(answer.Reason); other != nil {
		arg, queue, vhost, needed, is := other[1], other[2], other[3], other[4], other[5]
		return fmt.Errorf("it is there already, and differs, for one in %s, which is %s and has to be %s. Let its messages be worked off, "+
			"remove it (rabbitmqctl delete_queue -p '%s' '%s') and start again, or take another queue: %w", arg, is, needed, vhost, queue, err)
	}
	switch answer.Code {
	case amqp.AccessRefused:
		return fmt.Errorf("the user needs the rights configure, read and write on the queue and on those whose names begin with its name "+
			"and .delay., and write on amq.default (rabbitmqctl set_permissions): %w", err)
	case amqp.ResourceLocked:
		return fmt.Errorf("another connection has it for itself: end that, or take another queue: %w", err)
	}
	return err
}
