package main

import (
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/retryc/retryc/golden/bench/brokers/jobs"
)

//go:embed db/migrations/0001_retryc.sql
var migration string

// poolSize is the connections that a side may use at a time.
const poolSize = 20

// measure takes one sample, on tables and at a queue of its own.
func measure(ctx context.Context, o options, broker, mode, side string) (s sample, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, o.limit, fmt.Errorf("not done after %v", o.limit))
	defer cancel()
	config, drop, err := schema(ctx, o.postgres)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, drop()) }()
	p, err := open[broker](ctx, o, side == "message")
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	store, err := connect(ctx, config, p) // the producer's; it makes the queue at the broker
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if mode == "backlog" {
		if err := fill(ctx, store, p, o.jobs); err != nil {
			return s, err
		}
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return s, err
	}
	defer pool.Close()
	if _, err := pool.Exec(ctx, "analyze"); err != nil {
		return s, err
	}
	runtime.GC() // what the last measurement left is not paid here
	begun := time.Now()
	feed := func() error { return nil }
	if mode == "arriving" {
		feed = func() error {
			time.Sleep(o.quiet)
			begun = time.Now()
			return p.enqueue(ctx, store, o.jobs)
		}
	}
	if side == "bare" {
		err = bare(ctx, pool, p, o.jobs, feed)
	} else {
		err = work(ctx, config, p, o.jobs, feed)
	}
	if err != nil {
		return s, err
	}
	s = sample{broker: broker, mode: mode, side: side, jobs: o.jobs, perSec: float64(o.jobs) / time.Since(begun).Seconds()}
	var rows, named int
	if err := pool.QueryRow(ctx, "select count(*), count(message_id) from job_attempt where outcome = 'ok'").Scan(&rows, &named); err != nil {
		return s, err
	}
	if rows != o.jobs {
		return s, fmt.Errorf("the ledger has %d rows, and not %d", rows, o.jobs)
	}
	s.messages = float64(named) / float64(rows)
	return s, nil
}

// schema makes the tables, and answers how to connect to them.
func schema(ctx context.Context, url string) (config *pgxpool.Config, drop func() error, err error) {
	if url == "" {
		return nil, nil, errors.New("-postgres or RETRYC_TEST_POSTGRES names the database, such as postgres://postgres@127.0.0.1/postgres")
	}
	if config, err = pgxpool.ParseConfig(url); err != nil {
		return nil, nil, err
	}
	config.MaxConns = poolSize
	name := "retryc_bench_" + strings.ToLower(rand.Text())
	config.ConnConfig.RuntimeParams["search_path"] = name
	execute := func(ctx context.Context, statements string) error {
		pool, err := pgxpool.NewWithConfig(ctx, config)
		if err != nil {
			return err
		}
		defer pool.Close()
		_, err = pool.Exec(ctx, statements)
		return err
	}
	drop = func() error { return execute(context.WithoutCancel(ctx), "drop schema "+name+" cascade") }
	return config, drop, execute(ctx, "create schema "+name+";\n"+migration)
}

// fill enqueues, and waits until the broker has all messages.
func fill(ctx context.Context, store *jobs.Store, p place, n int) error {
	if err := p.enqueue(ctx, store, n); err != nil {
		return err
	}
	for {
		there, err := p.left(ctx)
		if err != nil || there == n {
			return err
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("the broker has %d messages of %d: %w", there, n, context.Cause(ctx))
		}
	}
}

func connect(ctx context.Context, config *pgxpool.Config, p place) (*jobs.Store, error) {
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	store, err := jobs.New(ctx, pool)
	if err != nil {
		pool.Close()
		return nil, err
	}
	if err := p.connect(ctx, store); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return store, nil
}

const record = `insert into job_attempt (job_id, attempt, outcome, attempted_at, queue, generation, decision, payload_sha256, started_at, lease_token, worker, policy_hash, message_id, delivery_count)
select id, 1, 'ok', now(), 'bare', 1, 'done', '\x00', now(), 'bare', 'bare', 'bare', message_id, 1 from unnest($1::uuid[], $2::text[]) m (id, message_id)`

// bare is the loop that the worker is compared with.
func bare(ctx context.Context, pool *pgxpool.Pool, p place, n int, feed func() error) error {
	fed := make(chan error, 1)
	go func() { fed <- feed() }()
	for done := 0; done < n; {
		batch, err := p.receive(ctx)
		if err != nil {
			return errors.Join(err, <-fed)
		}
		if len(batch) == 0 {
			continue
		}
		ids, messageIDs := make([]string, len(batch)), make([]string, len(batch))
		for i, m := range batch {
			var announced struct {
				JobID string `json:"job_id"`
			}
			if err := json.Unmarshal(m.body, &announced); err != nil {
				return err
			}
			ids[i], messageIDs[i] = announced.JobID, m.id
		}
		if _, err := pool.Exec(ctx, record, ids, messageIDs); err != nil {
			return err
		}
		if err := p.acknowledge(ctx, batch); err != nil {
			return err
		}
		done += len(batch)
	}
	return <-fed
}

// work runs the emitted worker until it has handled every job and nothing is left at the broker.
func work(ctx context.Context, config *pgxpool.Config, p place, n int, feed func() error) (err error) {
	store, err := connect(ctx, config, p)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	var handled atomic.Int64
	all := make(chan struct{})
	worker := p.worker(func() {
		if handled.Add(1) == int64(n) {
			close(all)
		}
	})
	working, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- jobs.Run(working, store, worker) }()
	if err := feed(); err != nil {
		stop()
		return errors.Join(err, <-ended)
	}
	select {
	case <-all:
	case err := <-ended:
		return errors.Join(errors.New("the worker ended early"), err, context.Cause(ctx))
	}
	for left := 1; left > 0 && err == nil; {
		time.Sleep(time.Millisecond)
		left, err = p.left(ctx)
	}
	stop()
	return errors.Join(err, <-ended)
}
