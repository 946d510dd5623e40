package worker

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// sqsReceipt is what SQS wants to have back of a delivery.
type sqsReceipt struct {
	handle string    // of this delivery; the next one has another
	asked  time.Time // when it was asked for: it was not received before
}

// hide is the visibility timeout that hides the delivery for d, or for what is left of the longest one.
func (r sqsReceipt) hide(d time.Duration) int32 {
	left := (sqsMaxHidden - time.Since(r.asked)).Truncate(time.Second)
	return sqsSeconds(min(d, left))
}

// sqsAnswer is how long the answer to a receive may be on its way, beyond what the receive waits for messages. A
// connection that has died without a word is given up then.
const sqsAnswer = 10 * time.Second

var errSQSSilent = errors.New("no answer")

// receive waits up to 20 s for messages, and asks for more as long as what comes is all that one request can bring. Their
// visibility timeout hides them from others. Where ctx ends first, messages that were on their way come again after that
// time.
func (q *sqsQueue) receive(ctx context.Context, limit int) ([]delivery, error) {
	var all []delivery
	for wait := sqsLongPoll; len(all) < limit; wait = q.linger {
		n := min(limit-len(all), sqsBatch)
		came, err := q.receiveOnce(ctx, n, wait)
		if err != nil && len(all) == 0 {
			return nil, err
		}
		all = append(all, came...)
		if len(came) < n { // after an error too: the next receive meets it, or does not
			break
		}
	}
	return all, nil
}

func (q *sqsQueue) receiveOnce(ctx context.Context, n int, wait time.Duration) ([]delivery, error) {
	asked := time.Now()
	polling, cancel := context.WithTimeoutCause(ctx, wait+sqsAnswer, errSQSSilent)
	defer cancel()
	in := &sqs.ReceiveMessageInput{
		QueueUrl:                    &q.url,
		MaxNumberOfMessages:         int32(n),
		WaitTimeSeconds:             sqsSeconds(wait),
		MessageSystemAttributeNames: []types.MessageSystemAttributeName{types.MessageSystemAttributeNameApproximateReceiveCount},
	}
	//retryc:if broker_message
	in.VisibilityTimeout = sqsSeconds(q.hidden)
	//retryc:end
	out, err := q.client.ReceiveMessage(polling, in)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && polling.Err() != nil:
		return nil, fmt.Errorf("receive from the SQS queue %s: %w in %s", q.url, context.Cause(polling), wait+sqsAnswer)
	case err != nil:
		return nil, fmt.Errorf("receive from the SQS queue %s: %w", q.url, err)
	}
	came := make([]delivery, len(out.Messages))
	for i, m := range out.Messages {
		count, _ := strconv.Atoi(m.Attributes[string(types.MessageSystemAttributeNameApproximateReceiveCount)])
		came[i] = delivery{
			messageID: aws.ToString(m.MessageId), count: count, body: []byte(aws.ToString(m.Body)),
			receipt: sqsReceipt{handle: aws.ToString(m.ReceiptHandle), asked: asked},
		}
	}
	return came, nil
}
