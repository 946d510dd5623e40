//retryc:when broker_message

package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// extend hides messages for lease from now on. SQS hides none for longer than 12 hours after it was received.
func (q *sqsQueue) extend(ctx context.Context, messages []delivery, lease time.Duration) error {
	var failed sqsFailures
	failed.each(ctx, sqsTens(len(messages)), func(batch []int) ([]types.BatchResultErrorEntry, error) {
		in := &sqs.ChangeMessageVisibilityBatchInput{QueueUrl: &q.url}
		for _, i := range batch {
			r, _ := messages[i].receipt.(sqsReceipt)
			in.Entries = append(in.Entries, types.ChangeMessageVisibilityBatchRequestEntry{
				Id: aws.String(strconv.Itoa(i)), ReceiptHandle: &r.handle, VisibilityTimeout: r.hide(lease),
			})
		}
		out, err := q.client.ChangeMessageVisibilityBatch(ctx, in)
		if err != nil {
			return nil, err
		}
		return out.Failed, nil
	})
	return failed.err(len(messages), "were not extended on the SQS queue "+q.url)
}

// deadLetter moves a message to the dead-letter queue of the redrive policy. SQS has no request for it: the message is
// sent there and then deleted here, so that a process which dies in between leaves two and not none. It needs
// sqs:GetQueueUrl and sqs:SendMessage on that queue.
func (q *sqsQueue) deadLetter(ctx context.Context, m delivery) error {
	failed := func(err error) error {
		return fmt.Errorf("message %s of the SQS queue %s was not dead-lettered: %w", m.messageID, q.url, err)
	}
	_, arn, err := q.arns(ctx)
	if err != nil {
		return failed(err)
	}
	part := strings.Split(arn, ":") // arn:partition:sqs:region:account:name
	if len(part) != 6 {
		return failed(fmt.Errorf("%q is not the ARN of a queue", arn))
	}
	dead, err := q.client.GetQueueUrl(ctx, &sqs.GetQueueUrlInput{QueueName: &part[5], QueueOwnerAWSAccountId: &part[4]})
	if err != nil {
		return failed(err)
	}
	if _, err := q.client.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: dead.QueueUrl, MessageBody: aws.String(string(m.body))}); err != nil {
		return failed(err)
	}
	return q.acknowledge(ctx, []delivery{m})
}

// redrive lets SQS move all messages of the dead-letter queue back, which goes on after it has returned. It names where
// to: of messages that deadLetter has sent, SQS does not know where they were before. It needs sqs:StartMessageMoveTask,
// and sqs:ReceiveMessage, sqs:DeleteMessage and sqs:GetQueueAttributes on the dead-letter queue.
func (q *sqsQueue) redrive(ctx context.Context) (task string, err error) {
	own, dead, err := q.arns(ctx)
	if err != nil {
		return "", err
	}
	out, err := q.client.StartMessageMoveTask(ctx, &sqs.StartMessageMoveTaskInput{SourceArn: &dead, DestinationArn: &own})
	if err != nil {
		return "", fmt.Errorf("the dead letters of the SQS queue %s were not moved back: %w", q.url, err)
	}
	return aws.ToString(out.TaskHandle), nil
}

// arns are the names of the queue and of its dead-letter queue, as they are now.
func (q *sqsQueue) arns(ctx context.Context) (own, dead string, err error) {
	attributes, err := q.attributes(ctx)
	if err != nil {
		return "", "", err
	}
	var policy struct {
		DeadLetterTargetArn string `json:"deadLetterTargetArn"`
	}
	_ = json.Unmarshal([]byte(attributes["RedrivePolicy"]), &policy) // there may be none
	if policy.DeadLetterTargetArn == "" {
		return "", "", fmt.Errorf("the SQS queue %s has no dead-letter queue: give it a redrive policy", q.url)
	}
	return attributes["QueueArn"], policy.DeadLetterTargetArn, nil
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
