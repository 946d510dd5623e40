package main

import (
	"context"
	"errors"
	"os"
	"strconv"

	amqp "github.com/rabbitmq/amqp091-go"

	"github.com/retryc/retryc/golden/bench/brokers/jobs"
)

// rabbitName is the queue of retry.yaml, and rabbitBatch as much as the emitted worker takes at once.
const (
	rabbitName  = "retryc-bench"
	rabbitBatch = 100
)

type rabbitClient struct {
	name    string
	conn    *amqp.Connection
	channel *amqp.Channel
	arrived chan amqp.Delivery // has room for a batch, so that what is there can be taken at once
}

func openRabbitMQ(_ context.Context, o options, carried bool) (place, error) {
	if o.rabbitmq == "" {
		return place{}, errors.New("-rabbitmq or RETRYC_TEST_RABBITMQ names the server, such as amqp://guest:guest@127.0.0.1:5672/")
	}
	name := rabbitName
	if carried {
		name += "-carried"
	}
	conn, err := amqp.Dial(o.rabbitmq)
	if err != nil {
		return place{}, err
	}
	channel, err := conn.Channel()
	if err == nil {
		_, err = channel.QueueDelete(name, false, false, false)
	}
	if err != nil {
		return place{}, errors.Join(err, conn.Close())
	}
	q := queueOf(jobs.ConnectByRabbitmq, jobs.EnqueueByRabbitmqMany, jobs.ByRabbitmqWorker, func(event, merchant string, cents int64) jobs.ByRabbitmq {
		return jobs.ByRabbitmq{EventID: event, MerchantID: merchant, AmountCents: cents}
	})
	if carried {
		q = queueOf(jobs.ConnectCarriedByRabbitmq, jobs.EnqueueCarriedByRabbitmqMany, jobs.CarriedByRabbitmqWorker, func(event, merchant string, cents int64) jobs.CarriedByRabbitmq {
			return jobs.CarriedByRabbitmq{EventID: event, MerchantID: merchant, AmountCents: cents}
		})
	}
	return place{q, &rabbitClient{name: name, conn: conn, channel: channel}}, os.Setenv("BENCH_RABBITMQ_URL", o.rabbitmq)
}

// receive waits for a message, and takes what has come with it.
func (c *rabbitClient) receive(ctx context.Context) (batch []message, err error) {
	if c.arrived == nil {
		if err := c.consume(ctx); err != nil {
			return nil, err
		}
	}
	next, open := <-c.arrived
	for {
		if !open {
			return nil, errors.Join(amqp.ErrClosed, context.Cause(ctx))
		}
		batch = append(batch, message{id: next.MessageId, receipt: strconv.FormatUint(next.DeliveryTag, 10), body: next.Body})
		if len(batch) == rabbitBatch {
			return batch, nil
		}
		select {
		case next, open = <-c.arrived:
		default:
			return batch, nil
		}
	}
}

func (c *rabbitClient) consume(ctx context.Context) error {
	if err := c.channel.Qos(rabbitBatch, 0, false); err != nil {
		return err
	}
	messages, err := c.channel.ConsumeWithContext(ctx, c.name, "", false, false, false, false, nil)
	if err != nil {
		return err
	}
	c.arrived = make(chan amqp.Delivery, rabbitBatch)
	go func() {
		defer close(c.arrived)
		for m := range messages {
			c.arrived <- m
		}
	}()
	return nil
}

// acknowledge is one frame: all up to the last.
func (c *rabbitClient) acknowledge(_ context.Context, batch []message) error {
	last, err := strconv.ParseUint(batch[len(batch)-1].receipt, 10, 64)
	if err != nil {
		return err
	}
	return c.channel.Ack(last, true)
}

// left does not know of messages in flight.
func (c *rabbitClient) left(context.Context) (int, error) {
	q, err := c.channel.QueueDeclarePassive(c.name, true, false, false, false, nil)
	return q.Messages, err
}

func (c *rabbitClient) close() error {
	_, err := c.channel.QueueDelete(c.name, false, false, false)
	return errors.Join(err, c.conn.Close())
}
