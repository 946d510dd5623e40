package broker

import "time"

// Infrai is the queue of Infrai. What it documents has no client and no emulator to try it on.
var Infrai = &Broker{
	Name:  "infrai",
	Title: "Infrai",
	Limits: Limits{
		Delay:           7 * 24 * time.Hour,  // [D] delay_seconds: 0 to 604800, else QUEUE_DELAY_INVALID
		Step:            time.Second,         // [D] delay_seconds is a whole number
		DefaultReceives: 4,                   // [D] max_retries 3: how often a message comes again
		Body:            256_000,             // [D] 256 KB, of which this is the smaller reading
		Requests:        3,                   // [D] publish, consume, ack; only the first is billed
		Retention:       30 * 24 * time.Hour, // [D] message_retention_days
		Dedup:           5 * time.Minute,     // [D] of a FIFO queue
	},
}
