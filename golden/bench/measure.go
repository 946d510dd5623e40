package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"
)

// sample is one measurement. A figure that its mode does not have is zero.
type sample struct {
	mode, side string
	workers    int
	settings   string

	jobs     int
	perSec   float64 // jobs, until the last one was committed
	cpu      float64 // seconds of this process for 10,000 jobs
	written  float64 // bytes to the disk a job; Linux alone tells them
	p50, p99 float64 // milliseconds from before the enqueue until the success is committed
	single   float64 // enqueues a second, each in a transaction of its own
	batch    float64 // enqueues a second, a thousand in a transaction
}

func (s sample) String() string {
	text := fmt.Sprintf("%s, %s, %d workers:", s.mode, s.side, s.workers)
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
func measure(ctx context.Context, o options, mode, name string, workers int) (s sample, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, o.limit, fmt.Errorf("not done after %v", o.limit))
	defer cancel()
	dir, err := os.MkdirTemp(o.dir, "retryc-bench-")
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	db, err := sideNames[name](ctx, filepath.Join(dir, "jobs.db"), workers)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, db.close()) }()
	s = sample{mode: mode, side: name, workers: workers}
	if s.settings, err = db.settings(ctx); err != nil {
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
	t := newTally(n, failures)
	before, start := readMeter(), time.Now()
	if err := work(ctx, db, t, nil, func(context.Context) error { return nil }); err != nil {
		return err
	}
	took, after := time.Since(start), readMeter()
	s.jobs, s.perSec = n, float64(n)/took.Seconds()
	s.cpu, s.written = (after.cpu-before.cpu)/float64(n)*1e4, (after.written-before.written)/float64(n)
	return settled(ctx, db, t)
}

// warmUp is the time that workers get to start before the first job comes, so that their start is no latency.
const warmUp = 300 * time.Millisecond

// latency adds jobs at a steady rate while the workers wait for them.
func latency(ctx context.Context, n, rate int, db side, s *sample) error {
	t := newTally(n, 0)
	added, ended := make([]time.Time, n), make([]time.Time, n)
	err := work(ctx, db, t, func(i int) { ended[i] = time.Now(); t.close() }, func(ctx context.Context) error {
		start := time.Now().Add(warmUp)
		for i := range n {
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
	if err != nil {
		return err
	}
	took := make([]float64, n)
	for i := range n {
		took[i] = ended[i].Sub(added[i]).Seconds() * 1e3
	}
	slices.Sort(took)
	s.jobs, s.p50, s.p99 = n, took[n/2], took[n*99/100]
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
