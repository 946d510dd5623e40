package worker

import (
	"context"
	"database/sql"
	"path/filepath"
	"time"
)

// Trial is for a team's own tests of its handlers: a store on a temporary database whose clock stands still until it is
// moved, and on which jobs run one at a time. Nothing sleeps, and no server is needed.
type Trial struct {
	*Store
	t TB
}

// TB is what a Trial needs of a *testing.T.
type TB interface {
	Helper()
	Fatal(args ...any)
	TempDir() string
	Cleanup(func())
}

// Ended is one row of the ledger.
type Ended struct {
	Attempt     int
	Outcome     string // ok, transient or permanent
	Class       string // of the error; empty if there was none
	Decision    string // done, retry or dead
	DeadReason  string
	Detail      string        // the error's text, as it is stored
	Delay       time.Duration // until the next attempt is due
	Fingerprint string
}

// NewTrial makes a Trial that ends with the test.
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

// RunDue runs what is due now through the workers, one job after the other, and answers how many attempts that were.
func (t *Trial) RunDue(ctx context.Context, workers ...Worker) (attempts int) {
	t.t.Helper()
	p, err := newProcess(ctx, t.Store, "trial", workers...)
	if err != nil {
		t.t.Fatal(err)
	}
	for _, l := range p.lanes {
		wants := []want{{l.queue.name, 1000, l.queue.lease, true}, {l.queue.name, 1000, l.queue.lease, false}}
		for _, w := range wants {
			_, jobs, err := t.finish(ctx, nil, []want{w}, p.token, p.name)
			if err != nil {
				t.t.Fatal(err)
			}
			for _, c := range jobs[0] {
				p.start(l, c)
				p.collect(<-p.ended)
				if p.turn(ctx, true); p.running() > 0 {
					t.t.Fatal("the end of an attempt could not be written")
				}
				attempts++
			}
		}
	}
	return attempts
}

// Ledger is every attempt of a job that has ended, in order.
func (t *Trial) Ledger(jobID string) (all []Ended) {
	t.t.Helper()
	err := t.each(context.Background(), nil, t.text.ledger, []any{jobID}, func(rows *sql.Rows) error {
		var e Ended
		var delay int64
		err := rows.Scan(&e.Attempt, &e.Outcome, &e.Class, &e.Decision, &e.DeadReason, &e.Detail, &delay, &e.Fingerprint)
		e.Delay = milliseconds(delay)
		all = append(all, e)
		return err
	})
	if err != nil {
		t.t.Fatal(err)
	}
	return all
}

// NextRun is how long it is until the job runs again; false if it does not: it is done or dead.
func (t *Trial) NextRun(jobID string) (in time.Duration, scheduled bool) {
	t.t.Helper()
	err := t.each(context.Background(), nil, t.text.nextRun, []any{jobID}, func(rows *sql.Rows) error {
		var ms int64
		err := rows.Scan(&ms)
		in, scheduled = milliseconds(ms), true
		return err
	})
	if err != nil {
		t.t.Fatal(err)
	}
	return in, scheduled
}
