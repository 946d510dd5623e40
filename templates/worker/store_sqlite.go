package worker

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Tx is the transaction in which effects and enqueues run.
type Tx = *sql.Tx

// Store is the product's database with the job tables in it.
type Store struct {
	db   *sql.DB
	text sqlText
}

// sqlText is the statements, with the names of this product's tables. {now} stands for the database's clock in
// milliseconds.
type sqlText struct {
	migration, tables, present                   string
	enqueue, existing                            string
	claim, renew, expired                        string
	finishLedger, finishDelete, finishReschedule string
}

// sqliteClock is how SQLite tells the time. Due and lease times are reckoned by it alone, never by this process.
const sqliteClock = "cast(unixepoch('subsec')*1000 as integer)"

func newStore(db *sql.DB, text sqlText, clock string) *Store {
	for _, s := range []*string{&text.enqueue, &text.claim, &text.renew, &text.expired, &text.finishLedger, &text.finishReschedule} {
		*s = strings.ReplaceAll(*s, "{now}", clock)
	}
	return &Store{db: db, text: text}
}

// DB is the database that the store is on, for the product's own queries and transactions.
func (s *Store) DB() *sql.DB { return s.db }

// Close closes the database.
func (s *Store) Close() error { return s.db.Close() }

// migrate creates the tables where they are missing, and says so where other ones are there.
func (s *Store) migrate(ctx context.Context) error {
	err := s.inTx(ctx, nil, func(tx Tx) error {
		var n int
		if err := tx.QueryRowContext(ctx, s.text.present).Scan(&n); err != nil || n > 0 {
			return err
		}
		_, err := tx.ExecContext(ctx, s.text.migration)
		return err
	})
	if err != nil {
		return fmt.Errorf("create the job tables: %w", err)
	}
	return s.check(ctx)
}

// check reads no row; it fails where a table or a column is missing.
func (s *Store) check(ctx context.Context) error {
	if _, err := s.db.ExecContext(ctx, s.text.tables); err != nil {
		return fmt.Errorf("the job tables are not those that this package was generated for; apply its migrations: %w", err)
	}
	return nil
}

// inTx runs fn in tx, or in a transaction of its own where tx is nil.
func (s *Store) inTx(ctx context.Context, tx Tx, fn func(Tx) error) error {
	if tx != nil {
		return fn(tx)
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := fn(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// enqueue inserts the jobs whose job_id is not taken. It answers those that it made, and those that were there.
func (s *Store) enqueue(ctx context.Context, tx Tx, jobs []newJob) (fresh, there map[string]existing, err error) {
	fresh, there = map[string]existing{}, map[string]existing{}
	doc, err := json.Marshal(jobs)
	if err != nil {
		return nil, nil, err
	}
	err = s.inTx(ctx, tx, func(tx Tx) error {
		if err := scanJobs(ctx, tx, fresh, s.text.enqueue, string(doc)); err != nil || len(fresh) == len(jobs) {
			return err
		}
		return scanJobs(ctx, tx, there, s.text.existing, string(doc))
	})
	return fresh, there, err
}

func scanJobs(ctx context.Context, tx Tx, into map[string]existing, query, doc string) error {
	return each(ctx, tx, query, []any{doc}, func(rows *sql.Rows) error {
		var id string
		var e existing
		if err := rows.Scan(&id, &e.state, &e.payloadSHA256); err != nil {
			return err
		}
		into[id] = e
		return nil
	})
}

// querier is a *sql.DB or a Tx.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func each(ctx context.Context, q querier, query string, args []any, scan func(*sql.Rows) error) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	for rows.Next() {
		if err := scan(rows); err != nil {
			return errors.Join(err, rows.Close())
		}
	}
	return errors.Join(rows.Err(), rows.Close())
}

// claim takes up to n due jobs of the queue for the process that holds token.
func (s *Store) claim(ctx context.Context, queue string, n int, token, worker string, lease time.Duration) ([]claimed, error) {
	if n == 0 {
		return nil, nil
	}
	return s.jobs(ctx, s.text.claim, queue, n, token, worker, lease.Milliseconds())
}

// expired lists attempts whose lease is over.
func (s *Store) expired(ctx context.Context, queue string, n int) ([]claimed, error) {
	return s.jobs(ctx, s.text.expired, queue, n)
}

func (s *Store) jobs(ctx context.Context, query string, args ...any) (all []claimed, err error) {
	err = each(ctx, s.db, query, args, func(rows *sql.Rows) error {
		var c claimed
		var elapsedMS int64
		err := rows.Scan(&c.jobID, &c.generation, &c.attempt, &c.token, &c.key, &c.tier, &c.payload, &elapsedMS,
			&c.used[failures], &c.used[throttles], &c.used[crashes], &c.used[interrupts], &c.used[snoozes])
		c.elapsed = time.Duration(elapsedMS) * time.Millisecond
		all = append(all, c)
		return err
	})
	return all, err
}

// renew answers the attempt of each job that is still the holder's; a job that is absent is lost.
func (s *Store) renew(ctx context.Context, jobIDs []string, token string, lease time.Duration) (map[string]int, error) {
	doc, err := json.Marshal(jobIDs)
	if err != nil {
		return nil, err
	}
	owned := map[string]int{}
	err = each(ctx, s.db, s.text.renew, []any{string(doc), token, lease.Milliseconds()}, func(rows *sql.Rows) error {
		var id string
		var attempt int
		err := rows.Scan(&id, &attempt)
		owned[id] = attempt
		return err
	})
	return owned, err
}

// finish writes the end of one attempt: its row in the ledger, the effects, and the job's next state, in one
// transaction. It answers false, and leaves nothing behind, where the attempt is no longer the caller's.
func (s *Store) finish(ctx context.Context, r result, effects func(context.Context, Tx) error) (accepted bool, err error) {
	doc, err := json.Marshal([]result{r})
	if err != nil {
		return false, err
	}
	err = s.inTx(ctx, nil, func(tx Tx) error {
		written, err := tx.ExecContext(ctx, s.text.finishLedger, string(doc))
		if err != nil {
			return err
		}
		if n, err := written.RowsAffected(); err != nil || n == 0 {
			return err
		}
		accepted = true
		if effects != nil {
			if err := effects(ctx, tx); err != nil {
				return err
			}
		}
		for _, query := range []string{s.text.finishDelete, s.text.finishReschedule} {
			if _, err := tx.ExecContext(ctx, query, string(doc)); err != nil {
				return err
			}
		}
		return nil
	})
	return accepted && err == nil, err
}
