package broker

import "time"

// Infrai is the queue of Infrai. What it documents has no client and no emulator to try it on.
var Infrai = &Broker{
	Name:             "infrai",
	Title:            "Infrai",
	RetentionSetting: "message_retention_days",
	ReceivesSetting:  "max_retries",
	Limits: Limits{
		Delay:            7 * 24 * time.Hour,  // [D] delay_seconds: 0 to 604800, else QUEUE_DELAY_INVALID
		Step:             time.Second,         // [D] delay_seconds is a whole number
		Fixed:            true,                // [D] consume takes a visibility_timeout, and no other call does
		DefaultReceives:  11,                  // max_retries 10, with which the worker makes a queue; [D] 3 where nobody says
		Body:             256_000,             // [D] 256 KB, of which this is the smaller reading
		Requests:         3,                   // [D] publish, consume, ack; only the first is billed
		Retention:        30 * 24 * time.Hour, // [D] message_retention_days
		DefaultRetention: 14 * 24 * time.Hour, // with which the worker makes a queue
		Dedup:            5 * time.Minute,     // [D] of a FIFO queue
	},
}
