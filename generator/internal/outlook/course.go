package outlook

import (
	"time"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/templates/worker"
)

// Course is what a job does whose attempts all end in one way.
type Course struct {
	Queue *plan.Queue
	Tier  string
	End   End

	Ladder *plan.Ladder // nil: it climbs none
	Chosen string       // by whom: class, tier, queue or default
	Steps  []Step       // every wait that it can come to, one for each attempt but the last

	Soonest, Typical, Latest Walk

	LongestWait time.Duration // that a ladder can give it
	MostWaited  time.Duration // no such job waits longer in all, from its first attempt to its last
	Asked       time.Duration // the longest that a server can ask for instead; 0: nobody listens
}

// Step is one wait.
type Step struct {
	Rung    int // of the ladder, from 1; 0: the wait is none of a ladder's
	Wait    Span
	Elapsed Span // from the first attempt's begin until the next attempt: as in Soonest, Typical and Latest
}

// Walk is one way in which a course can go.
type Walk struct {
	Attempts int
	Waited   time.Duration // in all
	Elapsed  time.Duration // from the first attempt's begin until the job is dead
	Reason   string        // why it is, as the ledger has it
}

// climb is what a walk depends on.
type climb struct {
	ladder  *plan.Ladder
	counter worker.Counter
	timeout time.Duration
}

type walked struct {
	steps                    []Step
	soonest, typical, latest Walk
	longest, most            time.Duration
}

// Course is that of a job of the queue and tier whose attempts all end so.
func (o *Outlook) Course(q *plan.Queue, tier string, end End) Course {
	c := Course{Queue: q, Tier: tier, End: end}
	if end.Permanent {
		once := Walk{Attempts: 1, Reason: end.Reason}
		c.Soonest, c.Typical, c.Latest = once, once, once
		c.Latest.Elapsed = q.Timeout.V
		return c
	}
	if end.Counter != worker.Interrupts && end.Counter != worker.Snoozes {
		c.Ladder, c.Chosen = o.ladderOf(q, tier, end)
	}
	w := o.walk(climb{c.Ladder, end.Counter, q.Timeout.V})
	c.Steps, c.Soonest, c.Typical, c.Latest, c.LongestWait, c.MostWaited = w.steps, w.soonest, w.typical, w.latest, w.longest, w.most
	if end.RetryAfter && len(c.Steps) > 0 {
		c.Asked = o.plan.Caps.RetryAfter.V
	}
	return c
}

// ladderOf is the class's over the tier's over the queue's over the default.
func (o *Outlook) ladderOf(q *plan.Queue, tier string, end End) (l *plan.Ladder, chosen string) {
	if end.Ladder != nil {
		return end.Ladder, "class"
	}
	if o.plan.Tenants != nil && q.Tier != nil {
		for _, t := range o.plan.Tenants.Ladders {
			if t.Tier.V == tier {
				return t.Ladder, "tier"
			}
		}
	}
	if q.Spec.Ladder.Set() {
		return q.Ladder, "queue"
	}
	return q.Ladder, "default"
}

func (o *Outlook) walk(c climb) *walked {
	if w := o.walks[c]; w != nil {
		return w
	}
	asked := o.climbOf(c.ladder, c.counter)
	w := &walked{}
	least, longest := func(w worker.Wait) time.Duration { return w.Least }, func(w worker.Wait) time.Duration { return w.Longest }
	var soon, usual, late []time.Duration
	soon, w.soonest = way(asked, 0, least)
	usual, w.typical = way(asked, 0, mean)
	late, w.latest = way(asked, c.timeout, longest)

	var at Span
	var longestSum time.Duration
	for k, wait := range asked.Waits() {
		s := Step{Wait: Span{wait.Least, mean(wait), wait.Longest}}
		if c.ladder != nil {
			s.Rung = min(k+1, len(c.ladder.Rungs))
		}
		if k >= max(len(soon), len(usual), len(late)) {
			break // the window is over, however short the waits before were
		}
		at.Least, at.Mean, at.Longest = at.Least+s.Wait.Least, at.Mean+s.Wait.Mean, at.Longest+s.Wait.Longest+c.timeout
		s.Elapsed = at
		w.steps = append(w.steps, s)
		w.longest = max(w.longest, s.Wait.Longest)
		longestSum += s.Wait.Longest
	}
	w.most = max(w.soonest.Waited, w.typical.Waited, w.latest.Waited)
	if w.latest.Reason == "window" && w.soonest.Waited != w.typical.Waited { // somewhere in between, jitter uses it all
		w.most = min(o.plan.Caps.Window.V, longestSum)
	}
	o.walks[c] = w
	return w
}

func way(c worker.Climb, run time.Duration, pick func(worker.Wait) time.Duration) ([]time.Duration, Walk) {
	waits, reason := c.Walk(run, pick)
	w := Walk{Attempts: len(waits) + 1, Reason: reason}
	for _, wait := range waits {
		w.Waited += wait
	}
	w.Elapsed = w.Waited + time.Duration(w.Attempts)*run
	return waits, w
}

// mean is the wait on the average, as jitter is drawn evenly.
func mean(w worker.Wait) time.Duration {
	return (w.Least + (w.Longest-w.Least)/2).Round(time.Millisecond)
}

// climbOf hands a ladder and the cap of a counter to the worker.
func (o *Outlook) climbOf(l *plan.Ladder, counter worker.Counter) worker.Climb {
	caps := o.plan.Caps
	c := worker.Climb{Counter: counter, Delay: caps.Delay.V, Window: caps.Window.V}
	switch counter {
	case worker.Failures:
		c.Cap = caps.Attempts.V
	case worker.Throttles:
		c.Cap = caps.Throttles.V
	case worker.Interrupts:
		c.Cap = caps.Interrupts.V
	case worker.Snoozes:
		c.Cap = caps.Snoozes.V
	default:
		c.Cap = caps.Crashes.V
	}
	if l != nil {
		c.Min, c.Max = l.Min, l.Max
		for _, r := range l.Rungs {
			c.Rungs = append(c.Rungs, r.V)
		}
	}
	return c
}

// Rungs are the waits of each rung of a ladder, under caps.delay, whether or not a cap lets jobs come to it.
func (o *Outlook) Rungs(l *plan.Ladder) []Span {
	c := o.climbOf(l, worker.Failures)
	c.Cap = len(l.Rungs) + 1
	spans := make([]Span, 0, len(l.Rungs))
	for _, w := range c.Waits() {
		spans = append(spans, Span{w.Least, mean(w), w.Longest})
	}
	return spans
}
