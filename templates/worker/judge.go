package worker

import (
	"errors"
)

// judge turns the end of a run into the row that records it. The methods of an error are the product's code: if one of
// them panics, that is how the attempt ended.
func (q *queueTable) judge(c claimed, err, cause error) (r result) {
	if err == nil {
		r := result{JobID: c.jobID, Attempt: c.attempt, Token: c.token, Outcome: ok, Decision: "done", Next: "gone", PolicyHash: q.policy.hash}
		if c.key != "" {
			r.Next = "done" // the row stays, so that the key stays taken
		}
		return r
	}
	if errors.Is(err, errUnknownSchema) && c.age < q.policy.caps.window {
		return q.putBack(c, err)
	}
	broken := contained(func() error {
		r = q.rule(c, q.policy.classify(err, cause), err)
		return nil
	})
	if broken != nil {
		r = q.rule(c, q.policy.event(errPanic, classPanic, q.policy.unmatched), broken)
	}
	return r
}

// rule applies the policy to an attempt that ended without success.
func (q *queueTable) rule(c claimed, e ending, err error) result {
	charged := c.used
	if e.class.outcome == transient {
		charged[e.budget]++
	}
	end := ended{
		class: e.class, budget: e.budget, used: charged, tier: c.tier, asked: e.asked,
		elapsed: c.elapsed, reason: e.reason, seed: seedOf(c.jobID, c.attempt),
	}
	v := q.decide(end)
	detail := q.policy.detail.clean(err.Error())
	r := result{
		JobID: c.jobID, Attempt: c.attempt, Token: c.token, Outcome: e.class.outcome, Class: e.class.name,
		Detail: detail, Fingerprint: fingerprint(e.class.name, err, detail), RetryAfterMS: e.asked.Milliseconds(),
		PolicyHash: q.policy.hash, Decision: "retry", Next: "scheduled", DelayMS: v.delay.Milliseconds(),
		RunAlone: e.budget == crashes || e.budget == sharedCrashes,
	}
	if e.class.outcome == transient {
		r.Budget = e.budget.String()
	}
	if v.deadReason != "" {
		r.Decision, r.Next, r.DeadReason, r.DelayMS, r.RunAlone = "dead", "dead", v.deadReason, 0, false
	}
	//retryc:if observed
	r.last = v.deadReason == "" && q.last(end, v.delay)
	//retryc:end
	return r
}

// putBack returns a job that this process cannot run now, as if it had not been claimed: no attempt, no row. It waits
// for a lease, in which another process may take it.
func (q *queueTable) putBack(c claimed, why error) result {
	return result{JobID: c.jobID, Attempt: c.attempt, Token: c.token, Next: "scheduled", PutBack: true, DelayMS: q.lease.Milliseconds(), Detail: q.policy.detail.clean(why.Error())}
}
