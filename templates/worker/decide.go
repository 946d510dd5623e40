package worker

import "time"

// ended is how an attempt ended, as the policy sees it.
type ended struct {
	class   *errorClass
	budget  budget        // the counter that this attempt is charged to
	used    used          // this attempt included
	tier    string        // of the job's tenant
	asked   time.Duration // wait that the server or the handler asked for; 0 is none
	elapsed time.Duration // since the first attempt of this generation began
	reason  string        // dead reason if the class is permanent
	seed    uint64        // of the jitter
}

// verdict is what happens to the job next.
type verdict struct {
	delay      time.Duration // until the next attempt, where the job is not dead
	deadReason string
}

// shortest is the least wait there is: next_run_at counts milliseconds.
const shortest = time.Millisecond

// decide is the whole policy: no clock, no state, the same verdict for the same input. The failures budget ends
// at the end of its ladder; the others repeat the last rung until their cap.
func (q *queueTable) decide(e ended) verdict {
	caps := &q.policy.caps
	if e.class.outcome == permanent {
		return verdict{deadReason: e.reason}
	}
	n := e.used[e.budget]
	if n >= caps.of(e.budget) {
		return verdict{deadReason: e.budget.deadReason()}
	}
	var delay time.Duration
	switch e.budget {
	case interrupts:
		delay = shortest
	case snoozes:
		delay = max(e.asked, shortest)
	default:
		l := q.ladderOf(e.class, e.tier)
		if e.budget == failures && n > len(l.rungs) {
			return verdict{deadReason: e.budget.deadReason()}
		}
		if e.asked > caps.retryAfter {
			return verdict{deadReason: "retry_after"}
		}
		delay = l.wait(n, caps.delay, e.seed)
		if e.asked > 0 {
			delay = max(delay, l.after(e.asked, caps.retryAfter, e.seed))
		}
	}
	if delay > caps.window-e.elapsed {
		return verdict{deadReason: "window"}
	}
	return verdict{delay: delay}
}

// ladderOf is the ladder to climb: the class's over the tier's over the queue's.
func (q *queueTable) ladderOf(class *errorClass, tier string) *ladder {
	if class.ladder != nil {
		return class.ladder
	}
	if l := q.policy.tiers[tier]; l != nil {
		return l
	}
	return q.ladder
}
