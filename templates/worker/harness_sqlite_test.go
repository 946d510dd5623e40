package worker

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// newTestStore is a store on an empty database whose clock is the table test_clock, and which waits for a lock no longer
// than 20 ms.
func newTestStore(t *testing.T) *Store {
	t.Helper()
	if !slices.Contains(sql.Drivers(), "sqlite") {
		t.Skip("needs a SQLite driver: a generated package brings one")
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "jobs.db")+"?_txlock=immediate&_pragma=busy_timeout(20)&_pragma=journal_mode(wal)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	store := newStore(db, statements, "(select ms from test_clock)")
	if _, err := db.Exec("create table test_clock (ms integer); insert into test_clock values (1000000)"); err != nil {
		t.Fatal(err)
	}
	if err := store.migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return store
}

func (h *harness) tryExec(query string, args ...any) error {
	_, err := h.store.db.ExecContext(h.Context(), query, args...)
	return err
}

// execTx runs a statement with parameters written as ?.
func execTx(ctx context.Context, tx Tx, query string, args ...any) error {
	_, err := tx.ExecContext(ctx, query, args...)
	return err
}

// strings is the first column of a query's rows.
func (h *harness) strings(query string, args ...any) (all []string) {
	h.Helper()
	err := h.store.each(h.Context(), nil, query, args, func(rows *sql.Rows) error {
		var s string
		err := rows.Scan(&s)
		all = append(all, s)
		return err
	})
	if err != nil {
		h.Fatal(err)
	}
	return all
}

// payload is the bytes on the row of a job.
func (h *harness) payload(jobID string) (payload []byte) {
	h.Helper()
	if err := h.store.db.QueryRowContext(h.Context(), "select payload from "+jobTable+" where job_id = ?", jobID).Scan(&payload); err != nil {
		h.Fatal(err)
	}
	return payload
}

// extendLeases moves the end of the leases of the jobs that fulfil a condition.
func (h *harness) extendLeases(d time.Duration, condition string) {
	h.Helper()
	h.exec("update "+jobTable+" set lease_until = lease_until + ? where "+condition, d.Milliseconds())
}

// onLedgerInsert runs a statement before or after each row of the ledger that fulfils a condition on new; "" is one that
// refuses the row.
func (h *harness) onLedgerInsert(when, condition, action string) {
	h.Helper()
	if action == "" {
		action = "select raise(abort, 'refused')"
	}
	h.exec(fmt.Sprintf("create trigger on_ledger %s insert on %s when %s begin %s; end", when, ledgerTable, condition, action))
}

// beginTx starts a transaction of the product's own.
func (h *harness) beginTx() (tx Tx, rollBack func()) {
	h.Helper()
	tx, err := h.store.db.BeginTx(context.Background(), nil)
	if err != nil {
		h.Fatal(err)
	}
	return tx, func() { _ = tx.Rollback() }
}

// lock makes the database refuse to be written, until the answer is called.
func (h *harness) lock() (unlock func()) {
	h.Helper()
	_, unlock = h.beginTx() // it is immediate: one writes at a time
	return unlock
}

func commitTx(_ context.Context, tx Tx) error { return tx.Commit() }

func rollBackTx(_ context.Context, tx Tx) error { return tx.Rollback() }
