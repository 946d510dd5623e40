package lint

import (
	"fmt"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// fewReceives warns of brokers that take a message for dead before the policy does: each attempt is a receive. How often a
// message may come is set up at the broker, so that only its default is known, and the most that it can be.
var fewReceives = Rule{"RC352", "few_receives", func(p *plan.Plan, list *diag.List) {
	for _, q := range carried(p) {
		b := q.Backend.Broker
		limit, how := b.Limits.DefaultReceives, fmt.Sprintf("is dead at %s after %d receives, where %s says no more", b.Title, b.Limits.DefaultReceives, b.ReceivesSetting)
		hint := fmt.Sprintf("raise %s of the queue above the cap, and some more for crashes and deploys; or lower the cap, or write payload_in: row", b.ReceivesSetting)
		if limit == 0 && q.Backend.DeadLetter { // it has dead letters, so that the queue counts
			limit, how = b.Limits.Receives, fmt.Sprintf("is dead at %s after %d receives at the latest", b.Title, b.Limits.Receives)
			hint = "lower the cap, or write payload_in: row"
		}
		if limit == 0 {
			continue
		}
		attempts, most := 0, climb{}
		for _, l := range laddersOf(p, q) {
			for _, c := range climbs(p, l) {
				if n := c.attempts(l); n > attempts {
					attempts, most = n, c
				}
			}
		}
		if attempts <= limit {
			continue
		}
		at := q.Backend.Spec.Broker
		d := list.Errorf("RC352", at.Pos, at.Width, "a job of the queue %q can take %d attempts by %s, and its message %s", q.Name.V, attempts, most.name, how)
		d.Severity, d.Hint, d.Related = diag.Warning, hint, most.at
	}
}}

// attempts is how many a job can take: failures end with their ladder, the others repeat its last rung.
func (c climb) attempts(l *plan.Ladder) int {
	if c.name == "caps.attempts" {
		return min(c.cap, len(l.Rungs)+1)
	}
	return c.cap
}
