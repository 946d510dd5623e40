package main

import (
	"context"
	"errors"
	"sync/atomic"
)

var errPlanned = errors.New("the origin answered nothing: planned failure")

// tally is the handler, and counts what it was called for.
type tally struct {
	failures int32 // of each job, before its success
	attempts []atomic.Int32
	runs     atomic.Int64
	open     atomic.Int64 // jobs that are not done
	done     chan struct{}
	waits    bool // for commits, rather than for handlers
}

func newTally(n, failures int) *tally {
	t := &tally{failures: int32(failures), attempts: make([]atomic.Int32, n), done: make(chan struct{})}
	t.open.Store(int64(n))
	return t
}

func (t *tally) expected() int64 { return int64(len(t.attempts)) * int64(t.failures+1) }

func (t *tally) handle(n int) error {
	t.runs.Add(1)
	if t.attempts[n].Add(1) <= t.failures {
		return errPlanned
	}
	if !t.waits {
		t.close()
	}
	return nil
}

// close counts a job as done.
func (t *tally) close() {
	if t.open.Add(-1) == 0 {
		close(t.done)
	}
}

// work runs the workers and feed beside them, until every job is done and its end committed.
func work(ctx context.Context, db side, t *tally, committed func(n int), feed func(context.Context) error) error {
	t.waits = committed != nil
	working, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	worked := make(chan error, 1)
	go func() { worked <- db.work(working, t.handle, committed) }()
	if err := feed(working); err != nil {
		stop(err)
		return errors.Join(err, <-worked)
	}
	select {
	case <-t.done:
	case err := <-worked:
		return errors.Join(errors.New("the workers ended early"), err, context.Cause(ctx))
	}
	stop(nil)
	return <-worked
}
