package worker

import (
	"context"
	"errors"
	"fmt"
)

// ErrLeaseLost is the cause of a handler's context that ended because the job belongs to another worker by now.
// What the handler does from then on is not recorded.
var ErrLeaseLost = fmt.Errorf("lease lost: %w", context.Canceled)

// ErrStopped is the cause of a handler's context that ended because the worker is stopping. The run costs the job
// none of its failures.
var ErrStopped = fmt.Errorf("worker stopped: %w", context.Canceled)

// ErrStuck is what Run returns when it has stopped although a handler had not returned: the handler ignores its
// context. Its attempt is recorded as interrupted.
var ErrStuck = errors.New("handlers ignore the end of their context")

// ErrInsideEffect is what an enqueue without a transaction returns inside a function given to OnCommit: its job would not
// go with the effect, and on SQLite it would wait for the transaction that it runs in. Call the function whose name ends in
// Tx, with that transaction.
var ErrInsideEffect = errors.New("enqueue inside OnCommit without its transaction: call the enqueue function that takes it")

// Ends of a run that are no error of the handler's. The first two wrap the errors that a context ends with, since
// clients look for those.
var (
	errTimeout     = fmt.Errorf("handler timeout: %w", context.DeadlineExceeded)
	errCrashed     = errors.New("the process died while it ran this attempt")
	errPanic       = errors.New("panic")
	errExited      = errors.New("the handler ended its goroutine")
	errUndecodable = errors.New("payload cannot be decoded")
	errInvalid     = errors.New("payload is not valid")

	errOverlaps      = errors.New("an earlier run of the job has not returned")
	errUnknownSchema = fmt.Errorf("%w by this program: it has another schema", errUndecodable)
)
