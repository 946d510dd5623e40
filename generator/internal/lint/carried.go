package lint

import (
	"time"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// carried are the queues whose payloads are in the messages: what a broker does to a message, it does to the job.
func carried(p *plan.Plan) (found []*plan.Queue) {
	for _, q := range p.Queues {
		if q.Backend != nil && q.Backend.Carried {
			found = append(found, q)
		}
	}
	return found
}

// carriedIs is the other place of a finding about such a queue.
func carriedIs(q *plan.Queue) *diag.Related {
	at := q.Backend.Spec.PayloadIn
	return &diag.Related{Pos: at.Pos, Width: at.Width, Message: "the payload is in the message"}
}

// waited is a wait of a job on a ladder, and what it has waited in all at its end.
type waited struct {
	n    int // from 1
	rung int // from 0
	sum  time.Duration
}

// outwaits finds where a job that climbs l has waited for more than limit in all, if it comes so far. Each rung takes as long as
// of says, and no job waits beyond caps.window.
func (c climb) outwaits(p *plan.Plan, l *plan.Ladder, limit time.Duration, of func(l *plan.Ladder, rung, most time.Duration) time.Duration) (waited, bool) {
	sum, last := time.Duration(0), time.Duration(0)
	for k, r := range l.Rungs[:min(len(l.Rungs), c.reach())] {
		last = of(l, r.V, p.Caps.Delay.V)
		if sum += last; sum > limit || sum > p.Caps.Window.V {
			return waited{k + 1, k, sum}, sum <= p.Caps.Window.V
		}
	}
	more := c.reach() - len(l.Rungs) // how often the last rung comes again
	if more <= 0 || last <= 0 || c.name == "caps.attempts" {
		return waited{}, false
	}
	times := (limit-sum)/last + 1
	sum += times * last
	return waited{len(l.Rungs) + int(times), len(l.Rungs) - 1, sum}, times <= time.Duration(more) && sum <= p.Caps.Window.V
}

// outwait is where a job of the queue is first found to have waited for more than limit, on each ladder that it can climb.
func outwait(p *plan.Plan, q *plan.Queue, limit time.Duration, of func(l *plan.Ladder, rung, most time.Duration) time.Duration, found func(l *plan.Ladder, w waited)) {
	for _, l := range laddersOf(p, q) {
		for _, c := range climbs(p, l) {
			if w, is := c.outwaits(p, l, limit, of); is {
				found(l, w)
				break // one for each ladder
			}
		}
	}
}
