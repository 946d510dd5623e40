package worker

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// newTestStore is a store on an empty schema whose clock is the table test_clock, and which waits for a lock no longer
// than 20 ms.
func newTestStore(t *testing.T) *Store {
	t.Helper()
	config := scratchSchema(t)
	config.ConnConfig.RuntimeParams["lock_timeout"] = "20ms"
	return storeOn(t, config, "test_clock", 1_000_000)
}

// dollars numbers the parameters of a statement that has them as ?.
func dollars(query string) string {
	var b strings.Builder
	for i, part := range strings.Split(query, "?") {
		if i > 0 {
			b.WriteString("$" + strconv.Itoa(i))
		}
		b.WriteString(part)
	}
	return b.String()
}

// tryExec waits longer for a lock than the store does: the server's own upkeep may hold one.
func (h *harness) tryExec(query string, args ...any) error {
	return h.store.pool.AcquireFunc(h.Context(), func(conn *pgxpool.Conn) error {
		if _, err := conn.Exec(h.Context(), "set lock_timeout = '10s'"); err != nil {
			return err
		}
		_, err := conn.Exec(h.Context(), dollars(query), args...)
		_, resetErr := conn.Exec(h.Context(), "reset lock_timeout")
		return errors.Join(err, resetErr)
	})
}

// execTx runs a statement with parameters written as ?.
func execTx(ctx context.Context, tx Tx, query string, args ...any) error {
	_, err := tx.Exec(ctx, dollars(query), args...)
	return err
}

// strings is the first column of a query's rows.
func (h *harness) strings(query string, args ...any) []string {
	h.Helper()
	rows, err := h.store.pool.Query(h.Context(), dollars(query), append([]any{pgx.QueryExecModeSimpleProtocol}, args...)...)
	if err != nil {
		h.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		h.Fatal(err)
	}
	return all
}

// payload is the bytes on the row of a job.
func (h *harness) payload(jobID string) (payload []byte) {
	h.Helper()
	if err := h.store.pool.QueryRow(h.Context(), "select payload from "+jobTable+" where job_id = $1", jobID).Scan(&payload); err != nil {
		h.Fatal(err)
	}
	return payload
}

// extendLeases moves the end of the leases of the jobs that fulfil a condition.
func (h *harness) extendLeases(d time.Duration, condition string) {
	h.Helper()
	h.exec("update "+jobTable+" set lease_until = lease_until + ? where "+condition, d)
}

// onLedgerInsert runs a statement before or after each row of the ledger that fulfils a condition on new; "" is one that
// refuses the row.
func (h *harness) onLedgerInsert(when, condition, action string) {
	h.Helper()
	if action == "" {
		action = "raise exception 'refused'"
	}
	h.exec("create function on_ledger() returns trigger language plpgsql as $$ begin " + action + "; return new; end $$")
	h.exec(fmt.Sprintf("create trigger on_ledger %s insert on %s for each row when (%s) execute function on_ledger()", when, ledgerTable, condition))
}

// beginTx starts a transaction of the product's own.
func (h *harness) beginTx() (tx Tx, rollBack func()) {
	h.Helper()
	tx, err := h.store.pool.Begin(context.Background())
	if err != nil {
		h.Fatal(err)
	}
	return tx, func() { _ = tx.Rollback(context.Background()) }
}

// lock makes the database refuse to be written, until the answer is called.
func (h *harness) lock() (unlock func()) {
	h.Helper()
	tx, unlock := h.beginTx()
	if _, err := tx.Exec(context.Background(), "lock table "+jobTable+", "+ledgerTable+" in exclusive mode"); err != nil {
		h.Fatal(err)
	}
	return unlock
}

func commitTx(ctx context.Context, tx Tx) error { return tx.Commit(ctx) }

func rollBackTx(ctx context.Context, tx Tx) error { return tx.Rollback(ctx) }
