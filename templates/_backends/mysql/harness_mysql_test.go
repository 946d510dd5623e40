package worker

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"
)

// newTestStore is a store on an empty database whose clock is the table test_clock, and which waits for a locked table no
// longer than it can be told to: MariaDB not at all, MySQL a second. Its sessions join texts by ||.
func newTestStore(t *testing.T) *Store {
	t.Helper()
	config := scratchDatabase(t)
	config.Params = map[string]string{"sql_mode": "concat(@@sql_mode, ',STRICT_TRANS_TABLES,PIPES_AS_CONCAT')"}
	storeOn(t, config, "test_clock", 1_000_000) // new tables are waited for
	config.Params["lock_wait_timeout"] = noWait
	db, err := openMySQL(config)
	if err != nil {
		t.Fatal(err)
	}
	store := newStore(db, statements, clockIn("test_clock"))
	t.Cleanup(func() { _ = store.Close() })
	if err := store.check(t.Context()); err != nil {
		t.Fatal(err)
	}
	return store
}

// noWait is the shortest time for a lock of a table.
const noWait = "if(version() like '%MariaDB%', 0, 1)"

// tryExec waits for the server's own work on a table that it changes.
func (h *harness) tryExec(query string, args ...any) error {
	conn, err := h.store.db.Conn(h.Context())
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	if _, err := conn.ExecContext(h.Context(), "set lock_wait_timeout = 10"); err != nil {
		return err
	}
	_, err = conn.ExecContext(h.Context(), query, args...)
	_, reset := conn.ExecContext(h.Context(), "set lock_wait_timeout = "+noWait)
	return errors.Join(err, reset)
}

// extendLeases moves the end of the leases of the jobs that fulfil a condition.
func (h *harness) extendLeases(d time.Duration, condition string) {
	h.Helper()
	h.exec("update "+jobTable+" set lease_until = lease_until + interval ? microsecond where "+condition, d.Microseconds())
}

// onLedgerInsert runs a statement before or after each row of the ledger that fulfils a condition on new; "" is one that
// refuses the row.
func (h *harness) onLedgerInsert(when, condition, action string) {
	h.Helper()
	if action == "" {
		action = "signal sqlstate '45000' set message_text = 'refused'"
	}
	h.exec(fmt.Sprintf("create trigger on_ledger %s insert on %s for each row begin if %s then %s; end if; end", when, ledgerTable, condition, action))
}

// lock makes the database refuse to be written, until the answer is called.
func (h *harness) lock() (unlock func()) {
	h.Helper()
	conn, err := h.store.db.Conn(context.Background())
	if err == nil {
		_, err = conn.ExecContext(context.Background(), "lock tables "+jobTable+" read, "+ledgerTable+" read")
	}
	if err != nil {
		h.Fatal(err)
	}
	return func() {
		_, _ = conn.ExecContext(context.Background(), "unlock tables")
		_ = conn.Close()
	}
}
