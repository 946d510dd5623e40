package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"github.com/retryc/retryc/golden/bench/documents/jobs"
)

var postgresDialect = dialect{
	workers: "32,500", rate: 500, counts: []int{32, 500}, names: []string{"river", "river-w2000", "limit", "plain", "keyed"},
	states: []string{"empty", "ledger", "dead", "snapshot"},
	sides: map[string]func(context.Context, options, string, int) (side, error){
		"river": openRiverPostgres, "river-w2000": openRiver2000, "limit": openLimit,
		"plain": openRetrycPostgres(postgresPlain), "keyed": openRetrycPostgres(postgresKeyed),
	},
	modules: []string{"github.com/riverqueue/river", "github.com/riverqueue/river/riverdriver/riverpgxv5", "github.com/jackc/pgx/v5"},
}

func openRiverPostgres(ctx context.Context, o options, _ string, workers int) (side, error) {
	return openRiver(ctx, o, workers, time.Millisecond, 5*time.Millisecond)
}

// openRiver2000 is River at its best: as many workers as its own benchmark has, whatever the number of ours.
func openRiver2000(ctx context.Context, o options, _ string, _ int) (side, error) {
	return openRiver(ctx, o, 2000, 2*time.Millisecond, 20*time.Millisecond)
}

func openRiver(ctx context.Context, o options, workers int, cooldown, poll time.Duration) (side, error) {
	db, err := createDatabase(ctx, o.url, nil)
	if err != nil {
		return nil, err
	}
	r := &riverSide[pgx.Tx]{database: db, driver: riverpgxv5.New(db.pool), workers: workers, cooldown: cooldown, poll: poll, fast: true}
	if err := r.migrate(ctx); err != nil {
		return nil, errors.Join(err, db.close())
	}
	return r, nil
}

//go:embed documents/db/migrations/0001_retryc.sql
var migration string

func openRetrycPostgres(queues map[int]postgresQueue) func(context.Context, options, string, int) (side, error) {
	return func(ctx context.Context, o options, _ string, workers int) (side, error) {
		db, err := createDatabase(ctx, o.url, nil)
		if err != nil {
			return nil, err
		}
		if _, err := db.pool.Exec(ctx, migration); err != nil {
			return nil, errors.Join(err, db.close())
		}
		store, err := jobs.New(ctx, db.pool)
		if err != nil {
			return nil, errors.Join(err, db.close())
		}
		return &retrycSide[*jobs.Store, jobs.Worker]{db, store, queues[workers], jobs.Run, "1s"}, nil
	}
}

// scratch is a database that is dropped when it is closed, with the connections of the side on it.
type scratch struct {
	pool   *pgxpool.Pool
	server *pgx.Conn // of the measurement
	name   string
	old    *pgx.Conn // with a snapshot from before the measurement, in the state snapshot
}

// poolSize is the connections that a side may use at a time.
const poolSize = 20

func createDatabase(ctx context.Context, url string, settings map[string]string) (*scratch, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	server, err := pgx.ConnectConfig(ctx, config.ConnConfig.Copy())
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("retryc_bench_%d", time.Now().UnixNano())
	if _, err := server.Exec(ctx, "create database "+name); err != nil {
		return nil, errors.Join(err, server.Close(ctx))
	}
	config.ConnConfig.Database, config.MaxConns = name, poolSize
	maps.Copy(config.ConnConfig.RuntimeParams, settings)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	return &scratch{pool: pool, server: server, name: name}, err
}

func (s *scratch) close() error {
	ctx := context.Background()
	s.pool.Close()
	var err error
	if s.old != nil {
		err = s.old.Close(ctx)
	}
	_, dropped := s.server.Exec(ctx, "drop database "+s.name+" with (force)")
	return errors.Join(err, dropped, s.server.Close(ctx))
}

func (s *scratch) count(ctx context.Context, query string) (n int, err error) {
	err = s.pool.QueryRow(ctx, query).Scan(&n)
	return n, err
}

func (s *scratch) durability(ctx context.Context) (text string, err error) {
	err = s.pool.QueryRow(ctx, "select 'PostgreSQL ' || current_setting('server_version') || (select string_agg(format(', %s=%s', name, current_setting(name)), '' order by name) "+
		"from pg_settings where name in ('fsync', 'synchronous_commit', 'full_page_writes', 'autovacuum', 'shared_buffers'))").Scan(&text)
	return fmt.Sprintf("%s, pool of %d", text, poolSize), err
}

// grow is what brings tables into a state: %d is how many rows.
var grow = map[string]string{
	"ledger": `insert into job_attempt (job_id, attempt, outcome, attempted_at, queue, tenant_id, merchant_id, generation, decision, payload_sha256, started_at, lease_token, worker, policy_hash)
select gen_random_uuid(), 1, 'ok', now(), 'plain_500', m, m, 1, 'done', sha256(m::bytea), now(), 'another process', 'host:1', 'policy'
from generate_series(1, %d) n, lateral (select 'merchant_' || n %% 500 as m) merchant`,
	"dead": `insert into job (job_id, queue, tenant_id, merchant_id, payload, payload_sha256, schema_hash, policy_hash, state, attempt, failures, created_at, next_run_at, started_at, worker, last_class, last_error, fingerprint, dead_reason, dead_at)
select gen_random_uuid(), 'plain_500', m, m, convert_to(repeat('x', 200), 'UTF8'), sha256(m::bytea), 'schema', 'policy', 'dead', 6, 6, now(), now(), now(), 'host:1', 'origin_down', 'it answered nothing', 'print', 'failures', now()
from generate_series(1, %d) n, lateral (select 'merchant_' || n %% 500 as m) merchant`,
}

func (s *scratch) ready(ctx context.Context, state string, o options) error {
	if text, found := grow[state]; found {
		if err := s.exec(ctx, fmt.Sprintf(text, map[string]int{"ledger": o.ledger, "dead": o.dead}[state]), "vacuum analyze"); err != nil {
			return err
		}
	}
	if state == "snapshot" {
		var err error
		if s.old, err = pgx.ConnectConfig(ctx, s.pool.Config().ConnConfig); err != nil {
			return err
		}
		if _, err := s.old.Exec(ctx, "begin isolation level repeatable read; select pg_current_xact_id()"); err != nil {
			return err
		}
	}
	return s.exec(ctx, "checkpoint") // what it writes is not the measurement's
}

// filled brings the statistics up to date, as the server does by itself a minute later.
func (s *scratch) filled(ctx context.Context) error { return s.exec(ctx, "analyze") }

func (s *scratch) exec(ctx context.Context, queries ...string) error {
	for _, q := range queries {
		if _, err := s.pool.Exec(ctx, q); err != nil {
			return err
		}
	}
	return nil
}

// meter has the server's CPU where it runs on this machine. Both of the server's figures are of all its databases.
func (s *scratch) meter(ctx context.Context) (meter, error) {
	m := readMeter()
	var pid int
	err := s.server.QueryRow(ctx, "select pg_backend_pid(), (pg_current_wal_lsn() - '0/0')::float8").Scan(&pid, &m.wal)
	m.server = serverCPU(pid)
	return m, err
}
