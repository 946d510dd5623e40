// Package simulate plays an outage of what the handlers of a queue depend on: jobs go on arriving, their attempts fail, and
// they come again when the worker's own decision function says. The same scenario always ends the same.
package simulate

import (
	"fmt"
	"time"

	"github.com/retryc/retryc/templates/worker"
)

// Scenario is an outage from the moment zero on, and the load around it.
type Scenario struct {
	Outage   time.Duration // a whole number of milliseconds, as all times here
	Rate     Rate          // at which jobs arrive
	Every    time.Duration // they come in batches so far apart; 0: one by one
	Capacity int           // attempts that can succeed in a second; those above it fail. 0: any number
	Failing  float64       // share of the attempts that fail during the outage
	Asked    time.Duration // Retry-After of the failures; 0: none
	AskedEnd bool          // they name the end of the outage instead

	Slots   int           // handlers at once, in all workers; 0: any number
	Takes   time.Duration // a run of a handler that succeeds, or that is one too many
	FailsIn time.Duration // a run that fails in the outage

	Down, Overload Class // of an attempt that fails in the outage, and of one above the capacity
	Seed           uint64
}

// Class is how the worker decides about errors of a class.
type Class struct {
	Decider   *worker.Decider
	Throttles bool // is charged to throttles, and not to failures
	Honors    bool // a Retry-After
}

// Rate is a number of jobs in a length of time.
type Rate struct {
	Jobs int64
	Per  time.Duration
}

// PerSecond is the rate as a number of jobs in a second.
func (r Rate) PerSecond() float64 { return float64(r.Jobs) * float64(time.Second) / float64(r.Per) }

const (
	longest     = 30 * 24 * time.Hour // of what is simulated
	mostWaiting = 30_000_000          // jobs at once, each of which takes memory
	mostEvents  = 400_000_000
)

// Normal is how many jobs arrive in the busiest second when nothing fails.
func (s *Scenario) Normal() int {
	if s.Every == 0 {
		return int((s.Rate.Jobs*int64(time.Second) + int64(s.Rate.Per) - 1) / int64(s.Rate.Per))
	}
	batches := (int64(time.Second) + int64(s.Every) - 1) / int64(s.Every)
	return int(batches * s.arrivals().batch)
}

// check refuses what never ends, since the load is too much even without an outage.
func (s *Scenario) check() error {
	normal, rate := s.Normal(), s.Rate.PerSecond()
	switch {
	case s.Outage > longest/2:
		return fmt.Errorf("an outage of more than %d days cannot be simulated", int(longest/2/(24*time.Hour)))
	case s.Every > 0 && s.Rate.Jobs*s.Every.Milliseconds()%s.Rate.Per.Milliseconds() != 0:
		return fmt.Errorf("batches that are %s apart would have %.4g jobs each: choose a rate and a distance with a whole number", s.Every, rate*s.Every.Seconds())
	case s.Capacity > 0 && s.Capacity <= normal:
		return fmt.Errorf("a capacity of %d/s leaves nothing for retries: %d jobs arrive in the busiest second", s.Capacity, normal)
	case s.Slots > 0 && s.Takes <= 0:
		return fmt.Errorf("how long a run takes must be known where workers are counted")
	case s.Slots > 0 && float64(s.Slots)/s.Takes.Seconds() <= rate:
		return fmt.Errorf("the workers leave nothing for retries: %d at once, %s each, are %.4g runs in a second, and %.4g jobs arrive", s.Slots, s.Takes, float64(s.Slots)/s.Takes.Seconds(), rate)
	}
	return nil
}

// classes are those of the outage and of those above the capacity, once if they are one.
func (s *Scenario) classes() []Class {
	if s.Down == s.Overload {
		return []Class{s.Down}
	}
	return []Class{s.Down, s.Overload}
}

// arrivals says when jobs arrive, in milliseconds.
type arrivals struct {
	jobs, per    int64 // so many in so many ms
	every, batch int64 // or in batches
}

func (s *Scenario) arrivals() arrivals {
	a := arrivals{jobs: s.Rate.Jobs, per: s.Rate.Per.Milliseconds()}
	if s.Every > 0 {
		a.every = s.Every.Milliseconds()
		a.batch = a.jobs * a.every / a.per
	}
	return a
}

// before is how many jobs have arrived before a time.
func (a arrivals) before(ms int64) int64 {
	if a.every > 0 {
		return (ms + a.every - 1) / a.every * a.batch
	}
	return (ms*a.jobs + a.per - 1) / a.per
}
