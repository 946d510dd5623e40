package broker

import "time"

// RabbitMQ is RabbitMQ 3.10 and later.
var RabbitMQ = &Broker{
	Name:    "rabbitmq",
	Title:   "RabbitMQ",
	Module:  "github.com/rabbitmq/amqp091-go",
	Version: "v1.16.0",
	Kept:    "amq.", // [D] a declare is refused with ACCESS_REFUSED
	Limits: Limits{
		Delay:        24 * time.Hour,   // the longest for which the worker makes a queue; [T] x-message-ttl itself takes 315,360,000,000 ms, ten years
		Step:         time.Second,      // [T] x-message-ttl is in ms, but each step is a queue
		Steps:        rabbitSteps,      // the queues that the worker makes: see templates/_brokers/rabbitmq/rabbitmq_delay.go
		Lease:        30 * time.Minute, // [D] consumer_timeout; the consumer's connection holds a message until then
		DefaultLease: 30 * time.Minute, // [D]
		Connected:    true,             // [T]
		Body:         16 << 20,         // [D] max_message_size in 4.x; 3.x has 128 MiB
		Requests:     2,                // [S] a publish and an ack: deliveries come by themselves
		// Receives: none. The worker declares its queues with a delivery-limit above any count; [D] 4.x has 20 where nobody says.
		// Retention: none. A message stays until it is acknowledged.
	},
}

var rabbitSteps = []time.Duration{
	1 * time.Second, 2 * time.Second, 3 * time.Second, 4 * time.Second, 5 * time.Second, 7 * time.Second, 10 * time.Second,
	15 * time.Second, 20 * time.Second, 30 * time.Second, 45 * time.Second,
	1 * time.Minute, 90 * time.Second, 2 * time.Minute, 3 * time.Minute, 4 * time.Minute, 5 * time.Minute, 7 * time.Minute,
	10 * time.Minute, 15 * time.Minute, 20 * time.Minute, 30 * time.Minute, 45 * time.Minute,
	1 * time.Hour, 90 * time.Minute, 2 * time.Hour, 3 * time.Hour, 4 * time.Hour, 6 * time.Hour, 8 * time.Hour, 12 * time.Hour,
	18 * time.Hour, 24 * time.Hour,
}
