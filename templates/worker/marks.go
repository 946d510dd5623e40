package worker

import (
	"errors"
	"time"
)

type markKind int

const (
	markPermanent markKind = iota
	markRetryAfter
	markSnooze
)

// mark is what a handler knows and retry.yaml cannot.
type mark struct {
	err   error
	kind  markKind
	after time.Duration
}

func (m *mark) Error() string {
	if m.err == nil {
		return "no error was given"
	}
	return m.err.Error()
}
func (m *mark) Unwrap() error { return m.err }

// Permanent marks err as one that no further attempt can cure: the job is dead at once, whatever its class.
func Permanent(err error) error { return &mark{err: err, kind: markPermanent} }

// RetryAfter marks err as one that another attempt can cure, but not sooner than d. A transient class that retry.yaml
// has for err keeps its name and budget; otherwise, and over a permanent class, the attempt is of the class marked. A d
// beyond caps.retry_after makes the job dead.
func RetryAfter(err error, d time.Duration) error {
	return &mark{err: err, kind: markRetryAfter, after: d}
}

// Snooze ends the attempt without success and without failure: the job runs again after d. Return it from the
// handler. Only caps.snoozes and caps.window bound how often.
func Snooze(d time.Duration) error {
	return &mark{err: errors.New("snoozed"), kind: markSnooze, after: d}
}
