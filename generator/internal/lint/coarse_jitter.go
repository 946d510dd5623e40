package lint

import (
	"time"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// fewTimes is how many times jobs that failed together come again at, at least, for jitter to be of use.
const fewTimes = 4

// coarseJitter warns of jitter that a broker rounds away: jobs come at the few times that it can hold a message back for. Where
// the job is a row, the poll finds it at its own time, if only the poll comes often enough.
var coarseJitter = Rule{"RC354", "coarse_jitter", func(p *plan.Plan, list *diag.List) {
	for _, q := range p.Queues {
		if q.Backend == nil {
			continue
		}
		b := q.Backend.Broker
		for _, l := range laddersOf(p, q) {
			if l.Min == l.Max {
				continue
			}
			for k, r := range l.Rungs {
				low, high := shortest(l, r.V, p.Caps.Delay.V), longest(l, r.V, p.Caps.Delay.V)
				held := b.Limits.HeldWithin(low, high, fewTimes)
				if len(held) == fewTimes || !q.Backend.Carried && polled(p, high-low) {
					continue
				}
				d := list.Errorf("RC354", r.Pos, r.Width, "rung %d of the ladder %q is spread over %s to %s, and %s holds a message of the queue %q back for %s: jobs that fail together come again together",
					k+1, l.Name.V, short(low.Round(time.Millisecond)), short(high.Round(time.Millisecond)), b.Title, q.Name.V, times(held))
				d.Severity = diag.Warning
				if q.Backend.Carried {
					d.Hint = "widen the jitter, write jitter: none where that is meant, or payload_in: row, where each job comes at its own time"
					d.Related = carriedIs(q)
				} else {
					d.Hint = "shorten worker.poll: it finds each job at its own time"
					poll := p.Spec.Worker.Poll
					d.Related = capIs(poll.Pos, poll.Width, "worker.poll")
				}
				break // one for each ladder
			}
		}
	}
}}

// polled reports whether the poll finds jobs, which a broker's message would not bring for a while, as far apart as they are due.
// A spread of few seconds is let be: no poll is as exact.
func polled(p *plan.Plan, spread time.Duration) bool {
	return p.Poll <= spread/fewTimes || spread < fewTimes*time.Second
}
