package worker

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// attempt runs one claimed job and records how that ended.
func (p *process) attempt(handling context.Context, c claimed) {
	run, lost := context.WithCancelCause(handling)
	defer lost(nil)
	run, cancel := context.WithTimeoutCause(run, p.queue.timeout, errTimeout)
	defer cancel()
	p.hold(c, lost)
	defer p.release(c)

	begun := time.Now()
	effects, err := p.worker.safely(run, c)
	c.elapsed += time.Since(begun)
	r := p.queue.judge(c, err, context.Cause(run))
	p.settle(handling, run, c, r, effects)
}

// judge turns the end of a run into the row that records it.
func (q *queueTable) judge(c claimed, err, cause error) result {
	if err == nil {
		r := result{JobID: c.jobID, Attempt: c.attempt, Token: c.token, Outcome: ok, Decision: "done", Next: "gone", PolicyHash: q.policy.hash}
		if c.key != "" {
			r.Next = "done" // the row stays, so that the key stays taken
		}
		return r
	}
	return q.rule(c, q.policy.classify(err, cause), err)
}

// rule applies the policy to an attempt that ended without success.
func (q *queueTable) rule(c claimed, e ending, err error) result {
	charged := c.used
	if e.class.outcome == transient {
		charged[e.budget]++
	}
	v := q.decide(ended{
		class: e.class, budget: e.budget, used: charged, tier: c.tier, asked: e.asked,
		elapsed: c.elapsed, reason: e.reason, seed: seedOf(c.jobID, c.attempt),
	})
	detail := q.policy.detail.clean(err.Error())
	r := result{
		JobID: c.jobID, Attempt: c.attempt, Token: c.token, Outcome: e.class.outcome, Class: e.class.name,
		Detail: detail, Fingerprint: fingerprint(e.class.name, err, detail), RetryAfterMS: e.asked.Milliseconds(),
		PolicyHash: q.policy.hash, Decision: "retry", Next: "scheduled", DelayMS: v.delay.Milliseconds(),
	}
	if e.class.outcome == transient {
		r.Budget = e.budget.String()
	}
	if v.deadReason != "" {
		r.Decision, r.Next, r.DeadReason, r.DelayMS = "dead", "dead", v.deadReason, 0
	}
	return r
}

// settle writes r until the database has taken it. Only a lost lease, or a process that is told to stop while the
// database is down, leaves the attempt to the reaper.
func (p *process) settle(handling, run context.Context, c claimed, r result, effects []effect) {
	log := slog.With("job_id", c.jobID, "queue", p.queue.name, "attempt", c.attempt)
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, 5*time.Second) {
		if errors.Is(context.Cause(run), ErrLeaseLost) {
			log.Warn("late result discarded", "error", ErrLeaseLost)
			return
		}
		accepted, err := p.store.finish(context.WithoutCancel(run), r, func(ctx context.Context, tx Tx) error {
			for _, fn := range effects {
				if err := fn(run, tx); err != nil {
					return &effectError{err}
				}
			}
			return nil
		})
		var failed *effectError
		switch {
		case errors.As(err, &failed): // the effect failed: that is how the attempt ended
			effects = nil
			r = p.queue.judge(c, failed.err, context.Cause(run))
			continue
		case err == nil && accepted:
			r.log(log, "attempt ended")
			return
		case err == nil:
			log.Warn("late result discarded", "error", ErrLeaseLost)
			return
		}
		log.Error("the end of an attempt could not be written; trying again", "error", err)
		select {
		case <-time.After(wait):
		case <-handling.Done():
			log.Error("attempt left to its lease", "error", err)
			return
		}
	}
}

// effectError is an error of a function given to OnCommit.
type effectError struct{ err error }

func (e *effectError) Error() string { return e.err.Error() }
