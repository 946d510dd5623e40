package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
)

// Job is one attempt, as its handler sees it.
type Job[P any] struct {
	ID             string
	Attempt        int    // from 1; it grows for the life of the job and never repeats
	Generation     int    // from 1; sending a dead job back opens the next one, with fresh budgets
	IdempotencyKey string // the JSON array of the key's fields; empty on a queue without a key
	Payload        P

	effects []effect
}

type effect = func(ctx context.Context, tx Tx) error

// OnCommit registers an effect in the product's own database. It runs once the handler has returned nil, in the
// transaction that records the attempt: both commit, or neither. An error of fn is how the attempt ended. Keep fn short:
// it holds the job's row, or the whole database on SQLite, and its context ends after a quarter of the shortest lease. It
// runs again where its transaction could not be committed.
func (j *Job[P]) OnCommit(fn func(ctx context.Context, tx Tx) error) {
	j.effects = append(j.effects, fn)
}

// Worker binds a queue to its handler. The functions that end in Worker, one a queue, make it; Run runs it.
type Worker struct {
	queue *queueTable
	run   func(ctx context.Context, c claimed) ([]effect, error)

	//retryc:if broker
	adopt func(payload []byte) newJob // makes a job of a payload that has come with a message
	//retryc:end
}

// payload is what the emitted payload types have in common.
type payload interface {
	Validate() error
	facts() facts
}

func newWorker[P payload](q *queueTable, handle func(context.Context, *Job[P]) error) Worker {
	w := Worker{queue: q}
	if handle == nil {
		return w
	}
	//retryc:if broker
	w.adopt = func(payload []byte) newJob { return adopted[P](q, payload) }
	//retryc:end
	w.run = func(ctx context.Context, c claimed) ([]effect, error) {
		//retryc:if broker_message
		if err := c.contradiction(); err != nil {
			return nil, err
		}
		//retryc:end
		job := &Job[P]{ID: c.jobID, Attempt: c.attempt, Generation: c.generation, IdempotencyKey: c.key}
		if err := decode(c.payload, &job.Payload); err != nil || c.schema != q.schema && !covers(job.Payload, c.payload) {
			if c.schema != q.schema { // enqueued by an older or a newer program, such as in the middle of a deploy
				return nil, errors.Join(errUnknownSchema, err)
			}
			return nil, err
		}
		err := handle(ctx, job)
		return job.effects, err
	}
	return w
}

// decode tells bytes that are no such payload from a payload that breaks the rules of retry.yaml: the first is
// kept raw in the dead letter.
func decode[P payload](raw []byte, p *P) error {
	var err error
	if u, own := any(p).(json.Unmarshaler); own { // json.Unmarshal would first read all to check it, as it does inside
		err = u.UnmarshalJSON(raw)
	} else {
		err = json.Unmarshal(raw, p)
	}
	if err == nil {
		err = (*p).Validate()
	}
	var invalid *invalidPayload
	switch {
	case err == nil:
		return nil
	case errors.As(err, &invalid):
		return fmt.Errorf("%w: %w", errInvalid, err)
	}
	return fmt.Errorf("%w: %w", errUndecodable, err)
}

// encode is its counterpart.
func encode[P payload](p P) ([]byte, error) {
	if m, own := any(p).(json.Marshaler); own { // json.Marshal would check and copy what comes out
		return m.MarshalJSON()
	}
	return json.Marshal(p)
}

// contained runs code that is not the worker's own, so that neither a panic nor runtime.Goexit reaches the worker: both
// are ends like any other.
func contained(fn func() error) error {
	ended := make(chan error, 1)
	go func() {
		err := errExited
		defer func() {
			if v := recover(); v != nil {
				err = panicked(v)
			}
			ended <- err
		}()
		err = fn()
	}()
	return <-ended
}

// panicked is the end of code that panicked with v. Its stack begins where that was.
func panicked(v any) error {
	stack := debug.Stack()
	if _, after, found := bytes.Cut(stack, []byte("\npanic(")); found {
		if _, after, found = bytes.Cut(after, []byte("\n")); found { // the arguments
			_, stack, _ = bytes.Cut(after, []byte("\n")) // the line in the runtime
		}
	}
	return fmt.Errorf("%w: %v\n%s", errPanic, v, stack)
}
