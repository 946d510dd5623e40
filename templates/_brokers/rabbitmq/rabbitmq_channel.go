package worker

import (
	"fmt"

	amqp "github.com/rabbitmq/amqp091-go"
)

// rabbitChannel is a channel on which RabbitMQ confirms what is published, and returns what finds no queue.
type rabbitChannel struct {
	*amqp.Channel
	returns <-chan amqp.Return // has room for all that can be on its way: the client waits for nobody before the confirmation
	closes  <-chan *amqp.Error
}

func rabbitPublisher(conn *rabbitConn) (*rabbitChannel, error) {
	ch, err := conn.Channel()
	if err != nil {
		return nil, err
	}
	c := &rabbitChannel{ch, ch.NotifyReturn(make(chan amqp.Return, rabbitAtOnce)), ch.NotifyClose(make(chan *amqp.Error, 1))}
	return c, ch.Confirm(false)
}

// publish writes messages, and keeps by what each will be confirmed.
func (c *rabbitChannel) publish(posts []rabbitPost, confirms []*amqp.DeferredConfirmation) (err error) {
	for i, p := range posts {
		confirms[i], err = c.PublishWithDeferredConfirm("", p.queue, true, false, amqp.Publishing{
			ContentType: "application/json", DeliveryMode: amqp.Persistent, MessageId: p.id, Body: p.body,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// returned is which queues were not there, with RabbitMQ's reason. It sends a message back before it confirms it.
func (c *rabbitChannel) returned() map[string]string {
	queues := map[string]string{}
	for {
		select {
		case r, open := <-c.returns:
			if !open { // so is the channel
				return queues
			}
			queues[r.RoutingKey] = fmt.Sprintf("%d %s", r.ReplyCode, r.ReplyText)
		default:
			return queues
		}
	}
}

// why is what RabbitMQ closed the channel for, or nil.
func (c *rabbitChannel) why() error {
	select {
	case err := <-c.closes:
		if err != nil {
			return err
		}
	default:
	}
	return nil
}
