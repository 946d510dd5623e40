package worker

import "time"

// Ladder is the waits of a ladder and the factors of its jitter.
type Ladder struct {
	Rungs    []time.Duration
	Min, Max float64
}

// Caps are those of the caps that end a job which only ever fails or is throttled.
type Caps struct {
	Attempts, Throttles       int
	Delay, RetryAfter, Window time.Duration
}

// Failing is how the attempts of a queue fail: their class, and the ladders that go with it.
type Failing struct {
	Caps      Caps
	Permanent bool    // the class's outcome
	Throttles bool    // the budget of the class is throttles, and not failures
	Class     *Ladder // of the class; nil: the tier's
	Tier      *Ladder // of the job's tenant; nil: the queue's
	Queue     *Ladder
}

// Decider is the worker's decision about attempts that fail in one way, for tools that ask what a policy will do.
type Decider struct {
	queue *queueTable
	end   ended
}

// Decider has the tables that a generated worker would have.
func (f Failing) Decider() *Decider {
	const tier = "tier"
	p := &policyTable{
		caps: caps{
			attempts: f.Caps.Attempts, throttles: f.Caps.Throttles,
			delay: f.Caps.Delay, retryAfter: f.Caps.RetryAfter, window: f.Caps.Window,
		},
		tiers: map[string]*ladder{tier: f.Tier.table()},
	}
	class := &errorClass{outcome: transient, ladder: f.Class.table()}
	if f.Permanent {
		class.outcome = permanent
	}
	d := &Decider{queue: &queueTable{policy: p, ladder: f.Queue.table()}, end: ended{class: class, tier: tier, reason: "permanent"}}
	if f.Throttles {
		d.end.budget = throttles
	}
	return d
}

func (l *Ladder) table() *ladder {
	if l == nil {
		return nil
	}
	return &ladder{rungs: l.Rungs, min: l.Min, max: l.Max}
}

// Spent is what a job has had, the attempt that has just ended included.
type Spent struct{ Failures, Throttles int }

// Decide is how long the job waits for its next attempt, or why it is dead: asked is the wait that the server asked for, elapsed
// the time since its first attempt began.
func (d *Decider) Decide(s Spent, asked, elapsed time.Duration, seed uint64) (delay time.Duration, deadReason string) {
	e := d.end
	e.used[failures], e.used[throttles] = s.Failures, s.Throttles
	e.asked, e.elapsed, e.seed = asked, elapsed, seed
	v := d.queue.decide(e)
	return v.delay, v.deadReason
}

// Rungs is how many rungs the ladder has that is climbed.
func (d *Decider) Rungs() int { return len(d.climbed().rungs) }

// Wait is that of the n-th rung, from 1.
func (d *Decider) Wait(n int) Wait {
	least, longest := d.climbed().span(n, d.queue.policy.caps.delay)
	return Wait{least, longest}
}

func (d *Decider) climbed() *ladder { return d.queue.ladderOf(d.end.class, d.end.tier) }

// Seed is that of an attempt of a job that has only a number.
func Seed(run uint64, job, attempt int) uint64 {
	h := (run ^ uint64(job)*0x9e3779b97f4a7c15) * 0xd1342543de82ef95
	return (h ^ h>>32 ^ uint64(attempt)) * 1099511628211
}

// Fraction spreads seeds evenly over 0 … 1, as the jitter does.
func Fraction(seed uint64) float64 { return fraction(seed) }
