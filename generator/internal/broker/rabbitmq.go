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
		Delay:           24 * time.Hour,   // the longest for which the worker makes a queue; [T] x-message-ttl itself takes 315,360,000,000 ms, ten years
		Step:            time.Second,      // likewise: a delay is rounded up to the next queue's; [T] x-message-ttl is in ms
		Lease:           30 * time.Minute, // [D] consumer_timeout; the consumer's connection holds a message until then
		DefaultLease:    30 * time.Minute, // [D]
		DefaultReceives: 20,               // [D] delivery-limit of a quorum queue in 4.x; 3.x has none
		Body:            16 << 20,         // [D] max_message_size in 4.x; 3.x has 128 MiB
		Requests:        2,                // [S] a publish and an ack: deliveries come by themselves
	},
}
