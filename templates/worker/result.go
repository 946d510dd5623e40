package worker

import (
	"log/slog"
	"time"
)

// claimed is an attempt in flight: one that this process began, or one whose process has gone silent.
type claimed struct {
	jobID      string
	queue      string
	generation int
	attempt    int
	token      string // of the lease
	key        string
	tenant     string
	tier       string
	payload    []byte
	schema     string        // of the payload, as its producer had it
	elapsed    time.Duration // since the first attempt of this generation began
	age        time.Duration // since the job was enqueued
	company    bool          // other jobs ran in the process that died
	used       used          // before this attempt

	//retryc:if observed_otel
	traceparent string // of the span in which it was enqueued
	//retryc:end

	//retryc:if broker_message
	sum     string    // SHA-256 of the payload, where it was announced
	message *delivery // that has the payload, and is answered last; nil: the table has it
	//retryc:end
}

// logger has the keys that every event of an attempt has.
func (c *claimed) logger() *slog.Logger {
	l := slog.With("job_id", c.jobID, "queue", c.queue, "attempt", c.attempt)
	if c.tenant != "" {
		l = l.With("tenant", c.tenant)
	}
	return l
}

// result is how an attempt ended and what happens to its job: one element of the document that finish writes.
// Nothing is written unless job_id, attempt and token name an attempt in flight.
type result struct {
	JobID   string `json:"job_id"`
	Attempt int    `json:"attempt"`
	Token   string `json:"token"`
	Reaped  bool   `json:"reaped,omitempty"`   // only if the lease is still over
	PutBack bool   `json:"put_back,omitempty"` // undo the claim: no attempt, no row in the ledger

	Outcome      outcome `json:"outcome"`
	Class        string  `json:"class,omitempty"`
	Budget       string  `json:"budget,omitempty"` // the counter to raise
	Detail       string  `json:"error_detail,omitempty"`
	Fingerprint  string  `json:"fingerprint,omitempty"`
	RetryAfterMS int64   `json:"retry_after_ms,omitempty"`
	PolicyHash   string  `json:"policy_hash"`

	Decision   string `json:"decision"` // done, retry or dead
	Next       string `json:"next"`     // the row's state: scheduled, done or dead; gone where no row stays
	DelayMS    int64  `json:"delay_ms,omitempty"`
	DeadReason string `json:"dead_reason,omitempty"`
	RunAlone   bool   `json:"run_alone,omitempty"` // next time with nothing beside it

	//retryc:if observed
	last bool // the same end once more, and the job is dead
	//retryc:end
}

// log tells of an attempt that the ledger has: at level Info if the job goes on or is done, at Error if it is dead.
func (r *result) log(l *slog.Logger, message string) {
	if r.PutBack {
		l.Warn("job put back: this program cannot run it now", "delay", time.Duration(r.DelayMS)*time.Millisecond, "error", r.Detail)
		return
	}
	switch r.Decision {
	case "done":
		l.Info(message, "outcome", r.Outcome)
	case "retry":
		l.Info(message, "outcome", r.Outcome, "class", r.Class, "delay", time.Duration(r.DelayMS)*time.Millisecond, "fingerprint", r.Fingerprint, "error", r.Detail)
	default:
		l.Error(message, "outcome", r.Outcome, "class", r.Class, "dead_reason", r.DeadReason, "fingerprint", r.Fingerprint, "error", r.Detail)
	}
}
