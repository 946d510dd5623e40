package worker

import (
	"log/slog"
	"time"
)

// claimed is an attempt in flight: one that this process began, or one whose process has gone silent.
type claimed struct {
	jobID      string
	generation int
	attempt    int
	token      string // of the lease
	key, tier  string
	payload    []byte
	elapsed    time.Duration // since the first attempt of this generation began
	used       used          // before this attempt
}

// result is how an attempt ended and what happens to its job: one element of the document that finish writes.
// Nothing is written unless job_id, attempt and token name an attempt in flight.
type result struct {
	JobID   string `json:"job_id"`
	Attempt int    `json:"attempt"`
	Token   string `json:"token"`
	Reaped  bool   `json:"reaped,omitempty"` // write only if the lease is over by now

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
}

// log tells of an attempt that the ledger has: at level Info if the job goes on or is done, at Error if it is dead.
func (r *result) log(l *slog.Logger, message string) {
	switch r.Decision {
	case "done":
		l.Info(message, "outcome", r.Outcome)
	case "retry":
		l.Info(message, "outcome", r.Outcome, "class", r.Class, "delay", time.Duration(r.DelayMS)*time.Millisecond, "fingerprint", r.Fingerprint)
	default:
		l.Error(message, "outcome", r.Outcome, "class", r.Class, "dead_reason", r.DeadReason, "fingerprint", r.Fingerprint)
	}
}
