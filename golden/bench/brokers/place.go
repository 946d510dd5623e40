package main

import (
	"context"
	"fmt"

	"github.com/retryc/retryc/golden/bench/brokers/jobs"
)

// place is a queue at a broker: the emitted one, and what the bare loop does with the same client.
type place struct {
	queue
	client
}

// client is what the bare loop, and the end of a measurement, need of a broker.
type client interface {
	// receive answers a batch of messages; none where there is none yet.
	receive(ctx context.Context) ([]message, error)
	acknowledge(ctx context.Context, messages []message) error
	// left is how many messages are at the broker, those in flight among them where it tells.
	left(ctx context.Context) (int, error)
	close() error
}

// message is one that has come.
type message struct {
	id, receipt string
	body        []byte
}

// open makes an empty queue, and lets the environment name it. Its messages carry the payloads, or do not.
var open = map[string]func(ctx context.Context, o options, carried bool) (place, error){
	"rabbitmq": openRabbitMQ, "sqs": openSQS, "infrai": openInfrai,
}

// queue is a queue of retry.yaml.
type queue struct {
	connect func(ctx context.Context, store *jobs.Store) error
	enqueue func(ctx context.Context, store *jobs.Store, n int) error
	worker  func(handle func()) jobs.Worker
}

func queueOf[P any](
	connect func(context.Context, *jobs.Store) error,
	many func(context.Context, *jobs.Store, []P) ([]jobs.Receipt, error),
	worker func(func(context.Context, *jobs.Job[P]) error) jobs.Worker,
	payload func(event, merchant string, cents int64) P,
) queue {
	return queue{
		connect: connect,
		enqueue: func(ctx context.Context, store *jobs.Store, n int) error {
			payloads := make([]P, n)
			for i := range payloads {
				payloads[i] = payload(fmt.Sprintf("evt_%06d", i), fmt.Sprintf("merchant_%04d", i%500), int64(i))
			}
			_, err := many(ctx, store, payloads)
			return err
		},
		worker: func(handle func()) jobs.Worker {
			return worker(func(context.Context, *jobs.Job[P]) error {
				handle()
				return nil
			})
		},
	}
}
