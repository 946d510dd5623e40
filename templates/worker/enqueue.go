package worker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Receipt is what an enqueue answers.
type Receipt struct {
	JobID string
	// Duplicate says that a job with this key was there before, and that nothing was written.
	Duplicate bool
	// State is the job's: scheduled for a new one; scheduled, running, done or dead for a duplicate.
	State string
	// SamePayload says whether the job that is there has this very payload; true for a new one.
	SamePayload bool
}

// facts are what the tables need to know of a payload.
type facts struct {
	key          []any // fields of the idempotency key; nil on a queue without one
	tenant, tier string
	columns      map[string]any
}

// newJob is one element of the document that the enqueue statement reads.
type newJob struct {
	JobID         string         `json:"job_id"`
	Queue         string         `json:"queue"`
	Key           string         `json:"idempotency_key,omitempty"`
	Tenant        string         `json:"tenant_id,omitempty"`
	Tier          string         `json:"tier,omitempty"`
	Columns       map[string]any `json:"columns,omitempty"`
	Payload       string         `json:"payload"`
	PayloadSHA256 string         `json:"payload_sha256"`
	SchemaHash    string         `json:"schema_hash"`
	PolicyHash    string         `json:"policy_hash"`

	//retryc:if broker_message
	carriedSHA256 string // of the payload as its message has it; empty: it is PayloadSHA256
	//retryc:end

	//retryc:if observed_otel
	Traceparent string `json:"traceparent,omitempty"` // of the span in which it is enqueued
	//retryc:end
}

// existing is a job as an enqueue found or made it.
type existing struct{ state, payloadSHA256 string }

func enqueueOne[P payload](ctx context.Context, store *Store, tx Tx, q *queueTable, p P) (Receipt, error) {
	receipts, err := enqueueMany(ctx, store, tx, q, []P{p})
	if err != nil {
		return Receipt{}, err
	}
	return receipts[0], nil
}

//retryc:if enqueue_tx

// enqueueTx refuses to be called without a transaction: the job would be there even if the caller rolled back.
func enqueueTx[P payload](ctx context.Context, store *Store, tx Tx, q *queueTable, p P) (Receipt, error) {
	if tx == nil {
		return Receipt{}, fmt.Errorf("enqueue %s: the transaction is nil", q.name)
	}
	return enqueueOne(ctx, store, tx, q, p)
}

//retryc:end

// enqueueMany writes all jobs in one transaction, tx where it is not nil: all of them are there, or none.
func enqueueMany[P payload](ctx context.Context, store *Store, tx Tx, q *queueTable, payloads []P) ([]Receipt, error) {
	if tx == nil && ctx.Value(insideEffect{}) != nil {
		return nil, fmt.Errorf("enqueue %s: %w", q.name, ErrInsideEffect)
	}
	//retryc:if broker
	if err := store.connected(q); tx == nil && err != nil {
		return nil, fmt.Errorf("enqueue %s: %w", q.name, err)
	}
	//retryc:end
	jobs := make([]newJob, len(payloads))
	for i, p := range payloads {
		var err error
		if jobs[i], err = newJobOf(q, p); err != nil {
			return nil, fmt.Errorf("enqueue %s: payload %d: %w", q.name, i+1, err)
		}
		//retryc:if observed_otel
		jobs[i].Traceparent = traceparent(ctx)
		//retryc:end
	}
	//retryc:if broker_message
	if a := store.carrier(q); a != nil {
		receipts, err := a.carry(ctx, jobs)
		if err != nil {
			return nil, fmt.Errorf("enqueue %s: %w", q.name, err)
		}
		return receipts, nil
	}
	//retryc:end
	fresh, there, err := store.enqueue(ctx, tx, jobs)
	if err != nil {
		return nil, fmt.Errorf("enqueue %s: %w", q.name, err)
	}
	receipts := make([]Receipt, len(jobs))
	for i, j := range jobs {
		first, isNew := fresh[j.JobID]
		if !isNew {
			first = there[j.JobID]
		}
		receipts[i] = Receipt{JobID: j.JobID, Duplicate: !isNew, State: first.state, SamePayload: first.payloadSHA256 == j.PayloadSHA256}
		if isNew { // the same key again in this batch is a duplicate
			there[j.JobID] = first
			delete(fresh, j.JobID)
		}
	}
	//retryc:if broker
	if tx == nil {
		store.announceNew(q, receipts)
	}
	//retryc:end
	return receipts, nil
}

func newJobOf[P payload](q *queueTable, p P) (newJob, error) {
	if err := p.Validate(); err != nil {
		return newJob{}, err
	}
	body, err := encode(p)
	if err != nil {
		return newJob{}, err
	}
	sum := sha256.Sum256(body)
	f := p.facts()
	j := newJob{
		Queue: q.name, Tenant: f.tenant, Tier: f.tier, Columns: f.columns,
		Payload: string(body), PayloadSHA256: hex.EncodeToString(sum[:]), SchemaHash: q.schema, PolicyHash: q.policy.hash,
	}
	if f.key == nil {
		j.JobID = randomID()
		return j, nil
	}
	if j.Key, err = keyText(f.key); err != nil {
		return newJob{}, err
	}
	j.JobID = derivedID(q.name, j.Key)
	return j, nil
}
