package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// sqsQueue is a standard queue at Amazon SQS. It keeps no connection: each call is a request of its own, which the client
// repeats as its retryer says, so that an outage ends by itself.
type sqsQueue struct {
	client *sqs.Client
	url    string
	linger time.Duration // how long a receive waits that follows a full one: there may be no more

	//retryc:if broker_message
	hidden   time.Duration // for how long what is received is kept from others; 0: as the queue has it
	receives int64         // after which SQS itself dead-letters a message; 0: never
	//retryc:end
}

// What Amazon SQS allows. Source: Amazon SQS message quotas.
const (
	sqsBatch       = 10               // messages a request
	sqsBatchBytes  = 1 << 20          // of all bodies of a request
	sqsMaxDelay    = 15 * time.Minute // DelaySeconds of a message
	sqsMaxHidden   = 12 * time.Hour   // visibility timeout of a delivery, all changes of it included
	sqsLongPoll    = 20 * time.Second // WaitTimeSeconds of a receive
	sqsFewReceives = 5                // below it a message is soon moved to a dead-letter queue. Source: AWS Lambda's advice for its queues
)

// connectSQS makes sure that there is a queue, and that it can do what is asked of it. The client's identity needs
// sqs:GetQueueAttributes, sqs:ReceiveMessage, sqs:DeleteMessage, sqs:ChangeMessageVisibility and sqs:SendMessage; a timeout
// of its HTTP client has to be longer than a receive waits.
func connectSQS(ctx context.Context, client *sqs.Client, queueURL string) (*sqsQueue, error) {
	if client == nil {
		return nil, errors.New("there is no SQS client: make one with sqs.NewFromConfig")
	}
	q := &sqsQueue{client: client, url: queueURL}
	attributes, err := q.attributes(ctx)
	if err != nil {
		return nil, err
	}
	if attributes["FifoQueue"] == "true" {
		return nil, fmt.Errorf("the SQS queue %s is a FIFO queue, which cannot delay one message, and a retry is a message with a delay: create a standard queue", queueURL)
	}
	q.read(ctx, attributes)
	return q, nil
}

func (q *sqsQueue) attributes(ctx context.Context) (map[string]string, error) {
	out, err := q.client.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{
		QueueUrl: &q.url, AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameAll},
	})
	var missing *types.QueueDoesNotExist
	switch {
	case errors.As(err, &missing):
		return nil, fmt.Errorf("there is no SQS queue %s: create a standard queue, or correct the URL or the client's region, %s: %w", q.url, q.client.Options().Region, err)
	case err != nil:
		return nil, fmt.Errorf("the attributes of the SQS queue %s could not be read: %w", q.url, err)
	}
	return out.Attributes, nil
}

// read takes over what the queue's attributes say, and warns about those that lose messages or time.
func (q *sqsQueue) read(ctx context.Context, attributes map[string]string) {
	// A receive that asks for no wait gets the queue's own, since the client leaves a 0 out.
	if wait := attributes["ReceiveMessageWaitTimeSeconds"]; wait != "" && wait != "0" {
		q.linger = time.Second
	}
	if delay := attributes["DelaySeconds"]; delay != "" && delay != "0" {
		slog.WarnContext(ctx, "the SQS queue holds back every message without a delay: set its DelaySeconds to 0", "queue", q.url, "seconds", delay)
	}
	var redrive struct {
		MaxReceiveCount json.Number `json:"maxReceiveCount"`
	}
	_ = json.Unmarshal([]byte(attributes["RedrivePolicy"]), &redrive) // there may be none
	n, err := redrive.MaxReceiveCount.Int64()
	//retryc:if broker_message
	q.receives = n
	//retryc:end
	if err == nil && n < sqsFewReceives {
		slog.WarnContext(ctx, "the SQS queue dead-letters a message after few receives, and a process that stops before it has taken the job uses one up: raise maxReceiveCount of its redrive policy",
			"queue", q.url, "max_receive_count", n, "at_least", sqsFewReceives)
	}
}

// longestDelay is how long SQS can hold back a message.
func (q *sqsQueue) longestDelay() time.Duration { return sqsMaxDelay }

// putBack changes the visibility timeout of a delivery, in whole seconds. SQS hides none for longer than 12 hours after
// it was received: with a delay beyond that, the message comes then.
func (q *sqsQueue) putBack(ctx context.Context, m delivery, delay time.Duration) error {
	r, _ := m.receipt.(sqsReceipt)
	_, err := q.client.ChangeMessageVisibility(ctx, &sqs.ChangeMessageVisibilityInput{
		QueueUrl: &q.url, ReceiptHandle: &r.handle, VisibilityTimeout: r.hide(delay),
	})
	if err != nil {
		return fmt.Errorf("message %s was not put back into the SQS queue %s: %w", m.messageID, q.url, err)
	}
	return nil
}

// close has nothing to let go of: what was received and not acknowledged comes again once its visibility timeout is over.
func (q *sqsQueue) close() error { return nil }

// sqsSeconds is a delay as SQS takes it, rounded up so that nothing comes early.
func sqsSeconds(d time.Duration) int32 { return int32((max(d, 0) + time.Second - 1) / time.Second) }
