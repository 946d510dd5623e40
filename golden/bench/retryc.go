package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/retryc/retryc/golden/bench/thumbnails/jobs"
)

// retrycSide is a worker that retryc emitted, with all that it does by default.
type retrycSide struct {
	store *jobs.Store
	queue queue
}

func openRetryc(ctx context.Context, path string, q queue) (side, error) {
	store, err := jobs.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	return &retrycSide{store, q}, nil
}

func (r *retrycSide) fill(ctx context.Context, from, to int) error {
	for ; from < to; from += 1000 {
		var batch []thumbnail
		for n := from; n < min(from+1000, to); n++ {
			batch = append(batch, thumbnailOf(n))
		}
		if err := r.queue.fill(ctx, r.store, batch); err != nil {
			return err
		}
	}
	return nil
}

func (r *retrycSide) add(ctx context.Context, n int) error {
	return r.queue.add(ctx, r.store, thumbnailOf(n))
}

// work learns from the log when the end of an attempt is committed: the worker logs it then.
func (r *retrycSide) work(ctx context.Context, handle func(n int) error, committed func(n int)) error {
	var started func(jobID string, n int)
	if committed != nil {
		ends := &endings{committed: committed}
		started = func(jobID string, n int) { ends.jobs.Store(jobID, n) }
		before := slog.Default()
		slog.SetDefault(slog.New(logHandler{endings: ends}))
		defer slog.SetDefault(before)
	}
	return jobs.Run(ctx, r.store, r.queue.worker(func(jobID, eventID string) error {
		n, err := numberOf(eventID)
		if err != nil {
			return err
		}
		if started != nil {
			started(jobID, n)
		}
		return handle(n)
	}))
}

func (r *retrycSide) left(ctx context.Context) (n int, err error) {
	err = r.store.DB().QueryRowContext(ctx, "select count(*) from job where state <> 'done'").Scan(&n)
	return n, err
}

func (r *retrycSide) settings(ctx context.Context) (string, error) {
	p, err := pragmas(ctx, r.store.DB())
	return fmt.Sprintf("%s; poll %v, renewals and reaper on, a ledger row an attempt, %s", p, retrycPoll, r.queue.key), err
}

func (r *retrycSide) close() error { return r.store.Close() }

// retrycPoll is worker.poll of retry.yaml.
const retrycPoll = 5 * time.Millisecond
