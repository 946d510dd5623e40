package lint

import (
	"slices"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// climb is one way in which jobs climb a ladder: a rung's number is what the job has used of this budget.
type climb struct {
	name string // of the cap: caps.attempts
	cap  int
	at   *diag.Related // where the file says it
}

// reach is the highest rung that the climb can come to: the attempt that reaches a cap is the last.
func (c climb) reach() int { return c.cap - 1 }

// climbs are the ways in which jobs climb l: as failures, as throttled answers, as crashes. One may
// stand there twice.
func climbs(p *plan.Plan, l *plan.Ladder) []climb {
	caps := p.Caps
	attempts := climb{"caps.attempts", caps.Attempts.V, capIs(caps.Attempts.Pos, caps.Attempts.Width, "caps.attempts")}
	throttles := climb{"caps.throttles", caps.Throttles.V, capIs(caps.Throttles.Pos, caps.Throttles.Width, "caps.throttles")}
	crashes := climb{"caps.crashes", caps.Crashes.V, capIs(caps.Crashes.Pos, caps.Crashes.Width, "caps.crashes")}

	var found []climb
	shared := isShared(p, l)
	if shared {
		found = append(found, attempts)
		if !declaresCrash(p) { // the built-in class crashed has no ladder of its own
			found = append(found, crashes)
		}
	}
	for _, c := range p.Classes {
		if c.Outcome == "permanent" || c.Ladder != l && !(c.Ladder == nil && shared) {
			continue
		}
		crash, other := conditionsOf(c)
		if crash {
			found = append(found, crashes)
		}
		switch {
		case other && c.Budget == "throttles":
			found = append(found, throttles)
		case other:
			found = append(found, attempts)
		}
	}
	return found
}

// isShared reports whether l is a ladder of queues or tiers, which classes without one of their own climb.
func isShared(p *plan.Plan, l *plan.Ladder) bool {
	if slices.ContainsFunc(p.Queues, func(q *plan.Queue) bool { return q.Ladder == l }) {
		return true
	}
	return p.Tenants != nil && slices.ContainsFunc(p.Tenants.Ladders, func(t plan.TierLadder) bool { return t.Ladder == l })
}

func declaresCrash(p *plan.Plan) bool {
	return slices.ContainsFunc(p.Classes, func(c *plan.Class) bool { return hasEvent(c, plan.Crash) })
}

// conditionsOf says whether a class is for crashes, and whether it is for anything else.
func conditionsOf(c *plan.Class) (crash, other bool) {
	for _, w := range c.When {
		if w.Event == plan.Crash {
			crash = true
		} else {
			other = true
		}
	}
	return crash, other
}
