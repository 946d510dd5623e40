//go:build unix

package jobs

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
)

// databaseClock is the clock by which leases end.
const databaseClock = sqliteClock

// open makes the database.
func (h *theatre) open() {
	h.Helper()
	file := filepath.Join(h.dir, "jobs.db")
	store, err := Open(h.Context(), file)
	if err != nil {
		h.Fatal(err)
	}
	h.Cleanup(func() { _ = store.Close() })
	h.store, h.env = store, []string{"DB=" + file}
}

func (h *theatre) exec(query string, args ...any) {
	h.Helper()
	if _, err := h.store.DB().ExecContext(h.Context(), query, args...); err != nil {
		h.Fatal(err)
	}
}

// texts is the first column of a query's rows.
func texts(ctx context.Context, store *Store, query string, args ...any) (all []string, err error) {
	err = store.each(ctx, nil, query, args, func(rows *sql.Rows) error {
		var s string
		err := rows.Scan(&s)
		all = append(all, s)
		return err
	})
	return all, err
}

// lock makes the database refuse to be written, until the answer is called.
func (h *theatre) lock() (unlock func()) {
	h.Helper()
	tx, err := h.store.DB().BeginTx(context.Background(), nil) // it is immediate: one writes at a time
	if err != nil {
		h.Fatal(err)
	}
	return func() { _ = tx.Rollback() }
}

// openPausing is the store of a process that is to stop at one point.
func openPausing(ctx context.Context) (*Store, error) {
	sql.Register("pausing", newPauser())
	db, err := sql.Open("pausing", "file:"+os.Getenv("DB")+"?_txlock=immediate&_pragma=busy_timeout("+os.Getenv("BUSY")+")&_pragma=journal_mode(wal)&_pragma=synchronous(normal)")
	if err != nil {
		return nil, err
	}
	return New(ctx, db)
}
