package worker

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// Tx is the transaction in which effects and enqueues run.
type Tx = *sql.Tx

// dbRows is the answer to a query.
type dbRows = *sql.Rows

// DB is the database that the store is on, for the product's own queries and transactions.
func (s *Store) DB() *sql.DB { return s.db }

// Close closes the database.
func (s *Store) Close() error {
	//retryc:if observed
	s.unobserve()
	//retryc:end
	return s.db.Close()
}

// Wake makes the workers of this process look for due jobs now. Call it after the commit of a transaction that has
// enqueued; without it they find the jobs at their next poll.
func (s *Store) Wake() { s.wakes.rouse() }

// prepare compiles what the workers run again and again, once for each connection.
func (s *Store) prepare(ctx context.Context, queries ...string) error {
	prepared := map[string]*sql.Stmt{}
	for _, query := range queries {
		stmt, err := s.db.PrepareContext(ctx, query)
		if err != nil {
			return fmt.Errorf("prepare the statements of the jobs: %w", err)
		}
		prepared[query] = stmt
	}
	s.prepared = prepared
	return nil
}

// each runs a query, in tx where it is not nil, and hands every row to scan.
func (s *Store) each(ctx context.Context, tx Tx, query string, args []any, scan func(dbRows) error) error {
	run := func() (*sql.Rows, error) { return s.db.QueryContext(ctx, query, args...) }
	switch stmt := s.prepared[query]; {
	case stmt != nil && tx != nil:
		run = func() (*sql.Rows, error) { return tx.StmtContext(ctx, stmt).QueryContext(ctx, args...) }
	case stmt != nil:
		run = func() (*sql.Rows, error) { return stmt.QueryContext(ctx, args...) }
	case tx != nil:
		run = func() (*sql.Rows, error) { return tx.QueryContext(ctx, query, args...) }
	}
	rows, err := run()
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

// affected is how many rows a statement has changed.
func affected(answer sql.Result, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	n, err := answer.RowsAffected()
	return int(n), err
}

// endInside writes ends behind a savepoint of tx, which goes on if they are refused.
func (s *Store) endInside(ctx context.Context, tx Tx, results []result) (accepted map[string]bool, err error) {
	if _, err := tx.ExecContext(ctx, "savepoint ends"); err != nil {
		return nil, err
	}
	accepted = map[string]bool{}
	if err := s.end(ctx, tx, results, accepted); err != nil {
		if !away(err) {
			_, undo := tx.ExecContext(ctx, "rollback to savepoint ends")
			err = errors.Join(err, undo)
		}
		return nil, err
	}
	return accepted, nil
}
