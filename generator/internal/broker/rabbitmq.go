package broker

import "time"

// RabbitMQ is RabbitMQ 3.10 and later.
var RabbitMQ = &Broker{
	Name:  "rabbitmq",
	Title: "RabbitMQ",
	Kept:  "amq.", // [D] a declare is refused with ACCESS_REFUSED
	Limits: Limits{
		Delay:           10 * 365 * 24 * time.Hour, // [T] x-message-ttl of 315,360,000,000 ms; one more is refused
		Step:            time.Millisecond,          // [T] of one queue's x-message-ttl; messages with different ones need queues of their own
		Lease:           30 * time.Minute,          // [D] consumer_timeout; the consumer's connection holds a message until then
		DefaultLease:    30 * time.Minute,          // [D]
		DefaultReceives: 20,                        // [D] delivery-limit of a quorum queue in 4.x; 3.x has none
		Body:            16 << 20,                  // [D] max_message_size in 4.x; 3.x has 128 MiB
	},
}
