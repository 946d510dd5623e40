package lint

import (
	"slices"
	"time"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// fewMessages is how many messages one wait may take without a word: at SQS they last for six hours.
const fewMessages = 24

// manyMessages warns of waits that a broker can only hold back piece by piece. The job comes on time all the same. A message that
// carries its job is sent once, and put back for each wait.
var manyMessages = Rule{"RC341", "many_messages", func(p *plan.Plan, list *diag.List) {
	for _, q := range p.Queues {
		if q.Backend == nil || q.Backend.Carried {
			continue
		}
		broker, at := q.Backend.Broker, q.Backend.Spec.Broker
		for _, l := range laddersOf(p, q) {
			for k, r := range l.Rungs {
				wait := longest(l, r.V, p.Caps.Delay.V)
				n := broker.Limits.Messages(wait)
				if n <= fewMessages {
					continue
				}
				d := list.Errorf("RC341", r.Pos, r.Width, "rung %d of the ladder %q waits up to %s, which takes %d messages at %s: it holds one back for %s at most",
					k+1, l.Name.V, short(wait), n, broker.Title, short(broker.Limits.Delay))
				d.Severity = diag.Warning
				d.Hint = "leave the backend out, and nothing is sent while a job waits; or shorten the rung"
				d.Related = &diag.Related{Pos: at.Pos, Width: at.Width, Message: "the backend is here"}
				break // one for each ladder: the longer rungs are no news
			}
		}
	}
}}

// laddersOf are the ladders that jobs of the queue can climb: its own, that of their tier, that of their error's class.
func laddersOf(p *plan.Plan, q *plan.Queue) []*plan.Ladder {
	found := []*plan.Ladder{q.Ladder}
	if q.Tier != nil {
		for _, t := range p.Tenants.Ladders {
			found = append(found, t.Ladder)
		}
	}
	for _, c := range p.Classes {
		if c.Outcome != "permanent" {
			found = append(found, c.Ladder)
		}
	}
	var once []*plan.Ladder
	for _, l := range found {
		if l != nil && !slices.Contains(once, l) {
			once = append(once, l)
		}
	}
	return once
}

// longest is the most that the rung can wait.
func longest(l *plan.Ladder, rung, limit time.Duration) time.Duration {
	return time.Duration(min(float64(rung)*l.Max, float64(limit)))
}
