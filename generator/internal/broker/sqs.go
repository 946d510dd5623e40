package broker

import "time"

// SQS is Amazon SQS.
var SQS = &Broker{
	Name:             "sqs",
	Title:            "Amazon SQS",
	Module:           "github.com/aws/aws-sdk-go-v2/service/sqs",
	Version:          "v1.53.0",
	RetentionSetting: "MessageRetentionPeriod",
	ReceivesSetting:  "maxReceiveCount",
	Limits: Limits{
		Delay:            15 * time.Minute,    // [D] quotas for messages: message timer; [T] 901 s are refused. A FIFO queue has none for single messages [T]
		Step:             time.Second,         // [S] DelaySeconds is a whole number
		Wait:             20 * time.Second,    // [D] ReceiveMessageWaitTimeSeconds: 0 to 20
		Lease:            12 * time.Hour,      // [D] visibility timeout; [S] counted from the first receive, so that renewing does not pass it
		DefaultLease:     30 * time.Second,    // [D]
		Receives:         1000,                // [D] maxReceiveCount: 1 to 1000; [S] a message goes once it has come more often
		Body:             1 << 20,             // [S] attributes included; older pages have 256 KiB
		Batch:            10,                  // [D]
		BatchBytes:       1 << 20,             // [M]
		Requests:         3,                   // [S] SendMessageBatch, ReceiveMessage, DeleteMessageBatch; each is billed, up to ten messages are one
		Retention:        14 * 24 * time.Hour, // [S] from 60 s on, in a dead-letter queue too
		DefaultRetention: 4 * 24 * time.Hour,  // [S]
		Dedup:            5 * time.Minute,     // [S] of a FIFO queue; a standard queue has none
	},
}
