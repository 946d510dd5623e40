//retryc:when broker_message

package worker

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// sqsFewForJobs is how many receives are few for a message that carries its job: it is received once for each attempt, and again
// where it comes too early or a process stops.
const sqsFewForJobs = 100

// hold sets the visibility timeout of receives, in place of the queue's own: extend adds to it.
func (q *sqsQueue) hold(lease, _ time.Duration) {
	q.hidden = min(lease, sqsMaxHidden)
	if q.receives > 0 && q.receives < sqsFewForJobs {
		slog.Warn("the SQS queue takes a message away from its job after few receives, and each attempt is one: raise maxReceiveCount of its redrive policy, 1000 is the most",
			"queue", q.url, "max_receive_count", q.receives, "at_least", sqsFewForJobs)
	}
}

// extend hides messages for lease from now on. SQS hides none for longer than 12 hours after it was received: one that is
// longer here comes again.
func (q *sqsQueue) extend(ctx context.Context, messages []delivery, lease time.Duration) error {
	var failed sqsFailures
	failed.each(ctx, sqsTens(len(messages)), func(batch []int) ([]types.BatchResultErrorEntry, error) {
		in := &sqs.ChangeMessageVisibilityBatchInput{QueueUrl: &q.url}
		for _, i := range batch {
			r, _ := messages[i].receipt.(sqsReceipt)
			hidden := r.hide(lease)
			if hidden == 0 { // which would let it come at once
				failed.add(1, fmt.Errorf("it was received %s ago", sqsMaxHidden))
				continue
			}
			in.Entries = append(in.Entries, types.ChangeMessageVisibilityBatchRequestEntry{
				Id: aws.String(strconv.Itoa(i)), ReceiptHandle: &r.handle, VisibilityTimeout: hidden,
			})
		}
		if len(in.Entries) == 0 { // SQS takes no empty batch
			return nil, nil
		}
		out, err := q.client.ChangeMessageVisibilityBatch(ctx, in)
		if err != nil {
			return nil, err
		}
		return out.Failed, nil
	})
	return failed.err(len(messages), "are not kept from others any more at the SQS queue "+q.url)
}

// depth is about how many messages there are. SQS takes up to a minute to know.
func (q *sqsQueue) depth(ctx context.Context) (depth, error) {
	attributes, err := q.attributes(ctx)
	if err != nil {
		return depth{}, err
	}
	number := func(name types.QueueAttributeName) int {
		n, _ := strconv.Atoi(attributes[string(name)])
		return n
	}
	return depth{
		ready:    number(types.QueueAttributeNameApproximateNumberOfMessages),
		delayed:  number(types.QueueAttributeNameApproximateNumberOfMessagesDelayed),
		received: number(types.QueueAttributeNameApproximateNumberOfMessagesNotVisible),
	}, nil
}
