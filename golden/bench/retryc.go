package main

import (
	"context"
	"fmt"
	"log/slog"
)

// retrycSide is a worker that retryc emitted, with all that it does by default.
type retrycSide[S, W any] struct {
	database
	store S
	queue queue[S, W]
	run   func(ctx context.Context, store S, workers ...W) error
	poll  string // worker.poll of retry.yaml
}

func (r *retrycSide[S, W]) fill(ctx context.Context, from, to int) error {
	for batch := range batches(from, to) {
		if err := r.queue.fill(ctx, r.store, batch); err != nil {
			return err
		}
	}
	return nil
}

func (r *retrycSide[S, W]) add(ctx context.Context, n int) error {
	return r.queue.add(ctx, r.store, thumbnailOf(n))
}

// work learns from the log when the end of an attempt is committed: the worker logs it then.
func (r *retrycSide[S, W]) work(ctx context.Context, handle func(n int) error, committed func(n int)) error {
	var started func(jobID string, n int)
	if committed != nil {
		ends := &endings{committed: committed}
		started = func(jobID string, n int) { ends.jobs.Store(jobID, n) }
		before := slog.Default()
		slog.SetDefault(slog.New(logHandler{endings: ends}))
		defer slog.SetDefault(before)
	}
	return r.run(ctx, r.store, r.queue.worker(func(jobID, eventID string) error {
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

func (r *retrycSide[S, W]) left(ctx context.Context) (int, error) {
	return r.count(ctx, "select count(*) from job where state not in ('done', 'dead')")
}

func (r *retrycSide[S, W]) settings(ctx context.Context) (string, error) {
	d, err := r.durability(ctx)
	return fmt.Sprintf("%s; poll %s, renewals and reaper on, a ledger row an attempt, %s", d, r.poll, r.queue.key), err
}
