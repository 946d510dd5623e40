package worker

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// acknowledge deletes messages. One whose visibility timeout is over is deleted too, unless it has come again meanwhile.
func (q *sqsQueue) acknowledge(ctx context.Context, messages []delivery) error {
	var failed sqsFailures
	failed.each(ctx, sqsTens(len(messages)), func(batch []int) ([]types.BatchResultErrorEntry, error) {
		in := &sqs.DeleteMessageBatchInput{QueueUrl: &q.url}
		for _, i := range batch {
			r, _ := messages[i].receipt.(sqsReceipt)
			in.Entries = append(in.Entries, types.DeleteMessageBatchRequestEntry{Id: aws.String(strconv.Itoa(i)), ReceiptHandle: &r.handle})
		}
		out, err := q.client.DeleteMessageBatch(ctx, in)
		if err != nil {
			return nil, err
		}
		return out.Failed, nil
	})
	return failed.err(len(messages), "were not deleted from the SQS queue "+q.url)
}

// publish sends messages, in batches as large as SQS takes them. It has no use for their ids: a standard queue knows none.
func (q *sqsQueue) publish(ctx context.Context, messages []message) error {
	var failed sqsFailures
	bodies := make([]string, len(messages))
	var batches [][]int
	size := 0 // of the last batch
	for i, m := range messages {
		var err error
		if bodies[i], err = sqsBody(m); err != nil {
			failed.add(1, err)
			continue
		}
		last := len(batches) - 1
		if last < 0 || len(batches[last]) == sqsBatch || size+len(bodies[i]) > sqsBatchBytes {
			batches, last, size = append(batches, nil), last+1, 0
		}
		batches[last], size = append(batches[last], i), size+len(bodies[i])
	}
	failed.each(ctx, batches, func(batch []int) ([]types.BatchResultErrorEntry, error) {
		in := &sqs.SendMessageBatchInput{QueueUrl: &q.url}
		for _, i := range batch {
			in.Entries = append(in.Entries, types.SendMessageBatchRequestEntry{
				Id: aws.String(strconv.Itoa(i)), MessageBody: &bodies[i], DelaySeconds: sqsSeconds(messages[i].delay),
			})
		}
		out, err := q.client.SendMessageBatch(ctx, in)
		if err != nil {
			return nil, err
		}
		return out.Failed, nil
	})
	return failed.err(len(messages), "were not sent to the SQS queue "+q.url)
}

// sqsEscapes are the characters that JSON takes in a string as they are, and SQS in no body.
var sqsEscapes = strings.NewReplacer("\ufffe", `\ufffe`, "\uffff", `\uffff`)

// sqsBody is the body of a message as SQS takes it, or why there is none.
func sqsBody(m message) (string, error) {
	switch {
	case m.delay > sqsMaxDelay:
		return "", fmt.Errorf("a delay over %s", sqsMaxDelay)
	case !utf8.Valid(m.body): // the client would send something else for what is not
		return "", errors.New("a body that is not UTF-8")
	}
	return sqsEscapes.Replace(string(m.body)), nil
}

// sqsTens are the batches of n messages where their size does not matter.
func sqsTens(n int) (batches [][]int) {
	for i := range n {
		if i%sqsBatch == 0 {
			batches = append(batches, nil)
		}
		batches[len(batches)-1] = append(batches[len(batches)-1], i)
	}
	return batches
}

// sqsAtOnce is how many requests of one call are on their way at a time. The client keeps 10 idle connections.
const sqsAtOnce = 8

// each sends batches, and notes what failed: that holds back no other batch. A batch is indexes of messages, which are the
// ids of its entries.
func (f *sqsFailures) each(ctx context.Context, batches [][]int, send func(batch []int) ([]types.BatchResultErrorEntry, error)) {
	var sending sync.WaitGroup
	free := make(chan struct{}, sqsAtOnce)
	for _, batch := range batches {
		free <- struct{}{}
		sending.Go(func() {
			f.insist(ctx, batch, send)
			<-free
		})
	}
	sending.Wait()
}

// What SQS fails of a batch for a reason of its own is sent again. The client does so with whole requests only.
const (
	sqsTries = 3
	sqsPause = 200 * time.Millisecond // before the second; before each further one it is twice as long
)

// insist sends a batch, and again those of its entries that failed through no fault of theirs.
func (f *sqsFailures) insist(ctx context.Context, batch []int, send func(batch []int) ([]types.BatchResultErrorEntry, error)) {
	for try := 1; len(batch) > 0; try++ {
		if ctx.Err() != nil {
			f.add(len(batch), ctx.Err())
			return
		}
		failed, err := send(batch)
		if err != nil {
			f.add(len(batch), err)
			return
		}
		batch = nil
		for _, entry := range failed {
			i, err := strconv.Atoi(aws.ToString(entry.Id))
			if err != nil || entry.SenderFault || try == sqsTries {
				f.add(1, fmt.Errorf("%s: %s", aws.ToString(entry.Code), aws.ToString(entry.Message)))
				continue
			}
			batch = append(batch, i)
		}
		if len(batch) > 0 {
			select {
			case <-time.After(sqsPause << (try - 1)):
			case <-ctx.Done():
			}
		}
	}
}
