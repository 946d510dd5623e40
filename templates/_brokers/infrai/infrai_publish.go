package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

// infraiOutgoing is a message as Infrai takes it, alone and in a batch. The delay is always there: without one, the
// queue's own would hold the message back.
type infraiOutgoing struct {
	Queue          string          `json:"queue"`
	Payload        json.RawMessage `json:"payload"`
	DelaySeconds   int64           `json:"delay_seconds"`
	IdempotencyKey string          `json:"idempotency_key,omitempty"`
}

// publish sends messages, in batches as large as Infrai takes them. The id of a message is its idempotency key: what is
// published again under one id is there once.
func (q *infraiQueue) publish(ctx context.Context, messages []message) error {
	failures := infraiFailures{}
	var batch []infraiOutgoing
	size := 0
	var down error
	send := func() {
		if down == nil {
			down = q.insist(ctx, batch, &failures)
		} else {
			failures.add(len(batch), down)
		}
		batch, size = nil, 0
	}
	for _, m := range messages {
		out := infraiOutgoing{q.name, m.body, infraiSeconds(m.delay), m.id}
		encoded, err := json.Marshal(out)
		need := len(encoded) + 1 // and a comma
		switch envelope := len(q.name) + 64; {
		case err != nil:
			failures.add(1, fmt.Errorf("message %s: %w", m.id, err))
			continue
		case need+envelope > infraiMaxBody:
			failures.add(1, fmt.Errorf("message %s: its body makes a request of more than %d bytes", m.id, infraiMaxBody))
			continue
		case len(batch) == infraiBatch || size+need+envelope > infraiMaxBody:
			send()
		}
		batch, size = append(batch, out), size+need
	}
	send()
	return failures.err("%d of %d messages are not published to the Infrai queue %s", len(messages), q.name)
}

// insist sends a batch, and again those of its messages that were refused for a reason that may pass. Its error is one
// that other batches would meet too.
func (q *infraiQueue) insist(ctx context.Context, batch []infraiOutgoing, failures *infraiFailures) error {
	for try := 1; len(batch) > 0; try++ {
		var failed []*infraiError
		var err error
		if len(batch) == 1 {
			err = q.publishOne(ctx, batch[0])
		} else {
			failed, err = q.publishBatch(ctx, batch)
		}
		if err != nil {
			return q.part(ctx, batch, err, failures)
		}
		var again []infraiOutgoing
		for i, f := range failed {
			switch {
			case f == nil:
			case f.again && try < infraiTries:
				again = append(again, batch[i])
			default:
				failures.add(1, fmt.Errorf("message %s: %w", batch[i].IdempotencyKey, f))
			}
		}
		if batch = again; len(batch) > 0 {
			if err := q.api.pause(ctx, infraiBackoff(try)); err != nil {
				failures.add(len(batch), err)
				return err
			}
		}
	}
	return nil
}

// part deals with a batch that was refused as a whole: where the fault may be that of one message, it sends them one by one.
func (q *infraiQueue) part(ctx context.Context, batch []infraiOutgoing, err error, failures *infraiFailures) error {
	var refused *infraiError
	faulty := errors.As(err, &refused) && !refused.again && (refused.status == http.StatusBadRequest ||
		refused.status == http.StatusRequestEntityTooLarge || refused.status == http.StatusUnprocessableEntity)
	if !faulty {
		failures.add(len(batch), err)
		return err
	}
	if len(batch) == 1 {
		failures.add(1, fmt.Errorf("message %s: %w", batch[0].IdempotencyKey, err))
		return nil
	}
	for i := range batch {
		if err := q.insist(ctx, batch[i:i+1], failures); err != nil {
			failures.add(len(batch)-i-1, err)
			return err
		}
	}
	return nil
}

// publishOne sends a message. That its id was used with another body, such as another delay, means that it was sent.
func (q *infraiQueue) publishOne(ctx context.Context, m infraiOutgoing) error {
	err := q.api.write(ctx, http.MethodPost, "publish", m.IdempotencyKey, m, nil)
	var refused *infraiError
	if errors.As(err, &refused) && refused.reused() {
		return nil
	}
	return err
}

// publishBatch sends messages together, and answers for each nil or why it was refused. The call has a key of its own, so
// that sending the same batch once more brings new results.
func (q *infraiQueue) publishBatch(ctx context.Context, batch []infraiOutgoing) ([]*infraiError, error) {
	var data json.RawMessage
	err := q.api.write(ctx, http.MethodPost, "publish_batch", "", struct {
		Queue    string           `json:"queue"`
		Messages []infraiOutgoing `json:"messages"`
	}{q.name, batch}, &data)
	if err != nil {
		return nil, err
	}
	results, ok := infraiItems(data, "results", "items", "messages")
	if !ok || results == nil {
		return make([]*infraiError, len(batch)), nil // ok, and no word about single messages
	}
	if len(results) != len(batch) {
		return nil, fmt.Errorf("infrai publish_batch: %d results for %d messages", len(results), len(batch))
	}
	failed := make([]*infraiError, len(batch))
	for i, raw := range results {
		failed[i] = q.api.result(raw)
	}
	return failed, nil
}

// result reads what became of one message of a batch.
func (a *infraiAPI) result(raw json.RawMessage) *infraiError {
	var result struct {
		OK      *bool          `json:"ok"`
		Success *bool          `json:"success"`
		Error   *infraiProblem `json:"error"`
	}
	if json.Unmarshal(raw, &result) != nil { // such as a bare id
		return nil
	}
	no := func(b *bool) bool { return b != nil && !*b }
	if result.Error == nil && !no(result.OK) && !no(result.Success) {
		return nil
	}
	failed := &infraiError{}
	if result.Error != nil {
		failed.infraiProblem = result.Error.without(a.key)
	}
	failed.again = failed.Retryable != nil && *failed.Retryable
	if failed.reused() {
		return nil // sent before
	}
	return failed
}
