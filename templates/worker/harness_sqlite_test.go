package worker

import (
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

// lock makes the database refuse to be written, until the answer is called.
func (h *harness) lock() (unlock func()) {
	h.Helper()
	_, unlock = h.beginTx() // it is immediate: one writes at a time
	return unlock
}
