//retryc:when broker_dead

package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

// connectSQSDead is connectSQS for a queue whose dead messages go to the dead-letter queue of its redrive policy: there has to
// be one. There the client's identity needs sqs:GetQueueUrl, sqs:SendMessage and, for redrive, sqs:ReceiveMessage and
// sqs:DeleteMessage.
func connectSQSDead(ctx context.Context, client *sqs.Client, queueURL string) (*sqsQueue, error) {
	q, err := connectSQS(ctx, client, queueURL)
	if err != nil {
		return nil, err
	}
	if _, err := q.dead(ctx); err != nil {
		return nil, err
	}
	return q, nil
}

// deadLetter sends a message to the dead-letter queue and then deletes it here, so that a process which dies in between
// leaves two and not none. SQS has no request for it.
func (q *sqsQueue) deadLetter(ctx context.Context, m delivery) error {
	dead, err := q.dead(ctx)
	if err == nil {
		err = dead.publish(ctx, []message{{body: m.body}})
	}
	if err != nil {
		return fmt.Errorf("message %s of the SQS queue %s was not dead-lettered: %w", m.messageID, q.url, err)
	}
	return q.acknowledge(ctx, []delivery{m})
}

// sqsSearch is how long a receive waits for dead letters: one that does not wait asks some of SQS's servers only.
const sqsSearch = time.Second

// redrive receives dead letters, sends them and then deletes them. SQS can move them itself, but then it moves them all.
func (q *sqsQueue) redrive(ctx context.Context, limit int) (moved int, err error) {
	dead, err := q.dead(ctx)
	for err == nil && moved < limit {
		var came []delivery
		came, err = dead.receiveOnce(ctx, min(limit-moved, sqsBatch), sqsSearch)
		if err != nil || len(came) == 0 {
			break
		}
		messages := make([]message, len(came))
		for i, m := range came {
			messages[i].body = m.body
		}
		if err = q.publish(ctx, messages); err != nil {
			break
		}
		moved += len(came)
		err = dead.acknowledge(ctx, came)
	}
	if err != nil {
		return moved, fmt.Errorf("after %d dead letters of the SQS queue %s: %w", moved, q.url, err)
	}
	return moved, nil
}

// dead is the dead-letter queue, as the redrive policy has it now.
func (q *sqsQueue) dead(ctx context.Context) (*sqsQueue, error) {
	attributes, err := q.attributes(ctx)
	if err != nil {
		return nil, err
	}
	var policy struct {
		DeadLetterTargetArn string `json:"deadLetterTargetArn"`
	}
	_ = json.Unmarshal([]byte(attributes["RedrivePolicy"]), &policy) // there may be none
	part := strings.Split(policy.DeadLetterTargetArn, ":")           // arn:partition:sqs:region:account:name
	if len(part) != 6 {
		return nil, fmt.Errorf("the SQS queue %s has no dead-letter queue: give it a redrive policy", q.url)
	}
	out, err := q.client.GetQueueUrl(ctx, &sqs.GetQueueUrlInput{QueueName: &part[5], QueueOwnerAWSAccountId: &part[4]})
	if err != nil {
		return nil, fmt.Errorf("the dead-letter queue %s of the SQS queue %s was not found: %w", policy.DeadLetterTargetArn, q.url, err)
	}
	return &sqsQueue{client: q.client, url: aws.ToString(out.QueueUrl)}, nil
}
