//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/jackc/pgx/v5"

	"github.com/retryc/retryc/golden/killed_postgres/jobs"
	"github.com/retryc/retryc/golden/pgserver"
)

func postgresStage(o options) (*stage, error) {
	tables, err := migration("killed_postgres")
	if err != nil {
		return nil, err
	}
	st := &stage{database: o.database, close: func() error { return nil }}
	if err := os.Setenv("PGAPPNAME", fmt.Sprint("retryc soak ", os.Getpid())); err != nil { // of the processes too: whose connections are to be ended
		return nil, err
	}
	if o.database == "" {
		server, err := pgserver.New()
		if err != nil {
			return nil, err
		}
		st.database, st.close = server.URL("postgres"), server.Close
		st.restart = func() error {
			if err := server.Kill(); err != nil {
				return err
			}
			return server.Start()
		}
	}
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, st.database)
	if err != nil {
		return nil, errors.Join(err, st.close())
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, tables+";"+createEffect); err != nil {
		return nil, errors.Join(err, st.close())
	}
	return st, nil
}

func openPostgres(ctx context.Context, url string) (*store, error) {
	s, err := jobs.Open(ctx, url)
	if err != nil {
		return nil, err
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
					_, err := tx.Exec(ctx, insertEffect, job.ID, job.Attempt)
					return err
				})
				return handle(ctx, job.ID, job.Attempt, job.Payload.Does)
			}))
		},
		query: func(sql string) ([]string, error) {
			rows, err := s.DB().Query(context.Background(), sql, pgx.QueryExecModeSimpleProtocol)
			if err != nil {
				return nil, err
			}
			return pgx.CollectRows(rows, pgx.RowTo[string])
		},
		cutOff: func(ctx context.Context) error {
			_, err := s.DB().Exec(ctx, "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and application_name = current_setting('application_name')")
			return err
		},
	}, nil
}
