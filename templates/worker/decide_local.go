package worker

import (
	"math"
	"time"
)

// Wait is the least and the longest that a wait can be.
type Wait struct{ Least, Longest time.Duration }

// Waits are what a job waits that fails on a ladder and in no other way, under a cap of attempts and of delay: after
// the last of them it is dead. The generator writes them out; min and max are the factors of the jitter.
func Waits(rungs []time.Duration, min, max float64, attempts int, delay time.Duration) []Wait {
	return Climb{Rungs: rungs, Min: min, Max: max, Counter: Failures, Cap: attempts, Delay: delay}.Waits()
}

// Counter is one of the counters that bound a job.
type Counter = budget

// The counters.
const (
	Failures      Counter = failures
	Throttles     Counter = throttles
	Crashes       Counter = crashes
	SharedCrashes Counter = sharedCrashes
	Interrupts    Counter = interrupts
	Snoozes       Counter = snoozes
)

// Climb is what a job does whose attempts all end in one way, which a counter counts.
type Climb struct {
	Rungs    []time.Duration
	Min, Max float64 // factors of the jitter
	Counter  Counter
	Cap      int // as caps has it: of crashes in company there may be three times as many
	Delay    time.Duration
	Window   time.Duration
}

// Waits are what it waits where the window is no matter: after the last of them it is dead.
func (c Climb) Waits() []Wait {
	q := c.queue(&ladder{rungs: c.Rungs, min: c.Min, max: c.Max}, math.MaxInt64)
	var waits []Wait
	for n := 1; q.decide(c.end(n, 0)).deadReason == ""; n++ {
		if c.Counter == Interrupts || c.Counter == Snoozes {
			waits = append(waits, Wait{shortest, shortest})
			continue
		}
		least, longest := q.ladder.span(n, c.Delay)
		waits = append(waits, Wait{least, longest})
	}
	return waits
}

// Walk is one way in which that can go: each attempt takes run, and each wait is what pick takes of it. It answers the waits
// between the attempts and why the job is dead in the end.
func (c Climb) Walk(run time.Duration, pick func(Wait) time.Duration) (waits []time.Duration, deadReason string) {
	picked := &ladder{min: 1, max: 1}
	for _, w := range c.Waits() {
		picked.rungs = append(picked.rungs, pick(w))
	}
	q := c.queue(picked, c.Window)
	elapsed := run
	for n := 1; ; n++ {
		v := q.decide(c.end(n, elapsed))
		if v.deadReason != "" {
			return waits, v.deadReason
		}
		waits = append(waits, v.delay)
		elapsed += v.delay + run
	}
}

func (c Climb) queue(l *ladder, window time.Duration) *queueTable {
	n := c.Cap
	return &queueTable{ladder: l, policy: &policyTable{caps: caps{
		attempts: n, throttles: n, crashes: n, interrupts: n, snoozes: n, delay: c.Delay, window: window,
	}}}
}

// end is the n-th end of an attempt.
func (c Climb) end(n int, elapsed time.Duration) ended {
	e := ended{class: &errorClass{outcome: transient}, budget: c.Counter, elapsed: elapsed}
	e.used[c.Counter] = n
	return e
}

// Attempts is how often a job is attempted that waits as shortly as it can, and whose n-th attempt ends as pick says: as one of
// several climbs, each with its counter.
func Attempts(ends []Climb, pick func(n int) int) int {
	var spent used
	var elapsed time.Duration
	for n := 1; ; n++ {
		c := ends[pick(n)]
		spent[c.Counter]++
		shortestRungs := &ladder{min: 1, max: 1}
		for _, w := range c.Waits() {
			shortestRungs.rungs = append(shortestRungs.rungs, w.Least)
		}
		e := c.end(0, elapsed)
		e.used = spent
		v := c.queue(shortestRungs, c.Window).decide(e)
		if v.deadReason != "" {
			return n
		}
		elapsed += v.delay
	}
}
