package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"
)

// sample is one measurement. A figure that its mode does not have is zero.
type sample struct {
	mode, side, state string
	workers           int
	settings          string

	jobs     int
	perSec   float64 // jobs, until the last one was committed
	used     meter   // for 10,000 jobs
	p50, p99 float64 // milliseconds from before the enqueue until the success is committed
	single   float64 // enqueues a second, each in a transaction of its own
	batch    float64 // enqueues a second, a thousand in a transaction
}

func (s sample) String() string {
	text := fmt.Sprintf("%s, %s, %s, %d workers:", s.mode, s.state, s.side, s.workers)
	for _, c := range columns {
		if v := c.value(s); v > 0 {
			text += fmt.Sprintf(" %s "+c.format, c.title, v)
		}
	}
	return text
}

var measures = map[string]func(ctx context.Context, o options, db side, s *sample) error{
	"success": func(ctx context.Context, o options, db side, s *sample) error { return drain(ctx, o.jobs, 0, db, s) },
	"fail":    func(ctx context.Context, o options, db side, s *sample) error { return drain(ctx, o.jobs/4, 2, db, s) },
	"latency": func(ctx context.Context, o options, db side, s *sample) error {
		return latency(ctx, o.jobs/4, o.rate, db, s)
	},
	"enqueue": func(ctx context.Context, o options, db side, s *sample) error { return enqueue(ctx, o.jobs, db, s) },
}

// measure takes one sample on a fresh database.
func measure(ctx context.Context, o options, mode, state, name string, workers int) (s sample, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, o.limit, fmt.Errorf("not done after %v", o.limit))
	defer cancel()
	dir, err := os.MkdirTemp(o.dir, "retryc-bench-")
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	db, err := o.dialect.sides[name](ctx, o, dir, workers)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, db.close()) }()
	s = sample{mode: mode, side: name, state: state, workers: workers}
	if s.settings, err = db.settings(ctx); err != nil {
		return s, err
	}
	if err := db.ready(ctx, state, o); err != nil {
		return s, err
	}
	runtime.GC() // what the last measurement left is not paid here
	return s, measures[mode](ctx, o, db, &s)
}

// drain fills the queue and measures how long its workers take. Each job fails a number of times before its success.
func drain(ctx context.Context, n, failures int, db side, s *sample) error {
	if err := db.fill(ctx, 0, n); err != nil {
		return err
	}
	if err := db.filled(ctx); err != nil {
		return err
	}
	t := newTally(n, failures)
	before, err := db.meter(ctx)
	if err != nil {
		return err
	}
	start := time.Now()
	if err := work(ctx, db, t, nil, func(context.Context) error { return nil }); err != nil {
		return err
	}
	took := time.Since(start)
	after, err := db.meter(ctx)
	if err != nil {
		return err
	}
	s.jobs, s.perSec, s.used = n, float64(n)/took.Seconds(), after.since(before, n)
	return settled(ctx, db, t)
}

// warmUp is the time that workers get to start before the first job comes, so that their start is no latency.
const warmUp = 300 * time.Millisecond

// producers add jobs beside each other in the mode latency: one alone would wait for its own commits.
const producers = 4

// inParallel runs fn n times at once, and answers all errors.
func inParallel(n int, fn func(i int) error) error {
	errs := make([]error, n)
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() { errs[i] = fn(i) })
	}
	group.Wait()
	return errors.Join(errs...)
}

// latency adds jobs at a steady rate while the workers wait for them.
func latency(ctx context.Context, n, rate int, db side, s *sample) error {
	t := newTally(n, 0)
	added, ended := make([]time.Time, n), make([]time.Time, n)
	before, err := db.meter(ctx)
	if err != nil {
		return err
	}
	err = work(ctx, db, t, func(i int) { ended[i] = time.Now(); t.close() }, func(ctx context.Context) error {
		start := time.Now().Add(warmUp)
		return inParallel(producers, func(producer int) error {
			for i := producer; i < n; i += producers {
				select {
				case <-time.After(time.Until(start.Add(time.Duration(i) * time.Second / time.Duration(rate)))):
				case <-ctx.Done():
					return context.Cause(ctx)
				}
				added[i] = time.Now()
				if err := db.add(ctx, i); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	after, err := db.meter(ctx)
	if err != nil {
		return err
	}
	took := make([]float64, n)
	for i := range n {
		took[i] = ended[i].Sub(added[i]).Seconds() * 1e3
	}
	slices.Sort(took)
	s.jobs, s.p50, s.p99, s.used = n, took[n/2], took[n*99/100], after.since(before, n)
	return settled(ctx, db, t)
}

// enqueue adds jobs with no worker there: one by one, then a thousand at a time.
func enqueue(ctx context.Context, n int, db side, s *sample) error {
	singles := n / 4
	start := time.Now()
	for i := range singles {
		if err := db.add(ctx, i); err != nil {
			return err
		}
	}
	s.single = float64(singles) / time.Since(start).Seconds()
	start = time.Now()
	if err := db.fill(ctx, singles, singles+n); err != nil {
		return err
	}
	s.jobs, s.batch = n, float64(n)/time.Since(start).Seconds()
	return nil
}

// settled fails where a side did not do what was measured.
func settled(ctx context.Context, db side, t *tally) error {
	left, err := db.left(ctx)
	if err != nil {
		return err
	}
	if runs := t.runs.Load(); left > 0 || runs != t.expected() {
		return fmt.Errorf("%d jobs are not done, and %d runs were made instead of %d", left, runs, t.expected())
	}
	return nil
}
