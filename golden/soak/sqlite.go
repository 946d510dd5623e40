//go:build unix

package main

import (
	"context"
	"errors"

	"github.com/retryc/retryc/golden/killed/jobs"
)

func openSQLite(ctx context.Context, file string) (*store, error) {
	s, err := jobs.Open(ctx, file)
	if err != nil {
		return nil, err
	}
	if _, err := s.DB().ExecContext(ctx, createEffect); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	receipts := func(all []jobs.Receipt, err error) (told []receipt, _ error) {
		for _, r := range all {
			told = append(told, receipt{r.JobID, r.Duplicate})
		}
		return told, err
	}
	return &store{
		refused: jobs.ErrRefused, snooze: jobs.Snooze, close: func() { _ = s.Close() },
		enqueuePlain: func(ctx context.Context, does []string) ([]receipt, error) {
			var all []jobs.Plain
			for _, d := range does {
				all = append(all, jobs.Plain{Does: d})
			}
			return receipts(jobs.EnqueuePlainMany(ctx, s, all))
		},
		enqueuePaid: func(ctx context.Context, orders []order) ([]receipt, error) {
			var all []jobs.Paid
			for _, o := range orders {
				all = append(all, jobs.Paid{Event: o.event, Does: o.does})
			}
			return receipts(jobs.EnqueuePaidMany(ctx, s, all))
		},
		run: func(ctx context.Context, handle handler) error {
			return jobs.Run(ctx, s, jobs.PlainWorker(func(ctx context.Context, job *jobs.Job[jobs.Plain]) error {
				return handle(ctx, job.ID, job.Attempt, job.Payload.Does)
			}), jobs.PaidWorker(func(ctx context.Context, job *jobs.Job[jobs.Paid]) error {
				job.OnCommit(func(ctx context.Context, tx jobs.Tx) error {
					_, err := tx.ExecContext(ctx, insertEffect, job.ID, job.Attempt)
					return err
				})
				return handle(ctx, job.ID, job.Attempt, job.Payload.Does)
			}))
		},
		query: func(sql string) (all []string, err error) {
			rows, err := s.DB().Query(sql)
			if err != nil {
				return nil, err
			}
			for rows.Next() {
				var text string
				if err := rows.Scan(&text); err != nil {
					return nil, errors.Join(err, rows.Close())
				}
				all = append(all, text)
			}
			return all, errors.Join(rows.Err(), rows.Close())
		},
	}, nil
}
