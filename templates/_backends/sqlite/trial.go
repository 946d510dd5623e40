package worker

import (
	"context"
	"path/filepath"
	"time"
)

// NewTrial makes a Trial on a temporary file, which ends with the test.
func NewTrial(t TB) *Trial {
	t.Helper()
	db, err := openSQLite(filepath.Join(t.TempDir(), "trial.db"))
	if err != nil {
		t.Fatal(err)
	}
	store := newStore(db, statements, "(select ms from trial_clock)")
	t.Cleanup(func() { _ = store.Close() })
	if _, err := db.Exec("create table trial_clock (ms integer); insert into trial_clock values (?)", time.Now().UnixMilli()); err != nil {
		t.Fatal(err)
	}
	if err := store.migrate(context.Background()); err != nil {
		t.Fatal(err)
	}
	return &Trial{store, t}
}

// Advance moves the clock.
func (t *Trial) Advance(d time.Duration) {
	t.t.Helper()
	if _, err := t.db.Exec("update trial_clock set ms = ms + ?", d.Milliseconds()); err != nil {
		t.t.Fatal(err)
	}
}
