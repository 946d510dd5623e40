package worker

import (
	"context"
	"time"
)

// Trial is for a team's own tests of its handlers: a store on a database of its own whose clock stands still until it is
// moved, and on which jobs run one at a time. Nothing sleeps.
type Trial struct {
	*Store
	t TB
}

// TB is what a Trial needs of a *testing.T.
type TB interface {
	Helper()
	Fatal(args ...any)
	Skip(args ...any)
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

// RunDue runs what is due now through the workers, one job after the other, and answers how many attempts that were.
func (t *Trial) RunDue(ctx context.Context, workers ...Worker) (attempts int) {
	t.t.Helper()
	p, err := newProcess(ctx, t.Store, "trial", workers...)
	if err != nil {
		t.t.Fatal(err)
	}
	watching, unwatch := context.WithCancel(ctx)
	defer unwatch()
	go p.watch(watching)
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

// turn goes to the database and back once.
func (p *process) turn(ctx context.Context, stopping bool) {
	if p.begin(ctx, stopping) {
		p.complete(ctx, <-p.back)
	}
}

// Ledger is every attempt of a job that has ended, in order.
func (t *Trial) Ledger(jobID string) (all []Ended) {
	t.t.Helper()
	err := t.each(context.Background(), nil, t.text.ledger, []any{jobID}, func(rows dbRows) error {
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
	err := t.each(context.Background(), nil, t.text.nextRun, []any{jobID}, func(rows dbRows) error {
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
