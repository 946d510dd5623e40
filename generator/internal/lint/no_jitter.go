package lint

import (
	"fmt"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// noJitter warns of a ladder without jitter that more than one queue climbs, or more than one tenant: what fails together comes
// again together, rung by rung. That of a single queue can be meant so, and has to be written.
var noJitter = Rule{"RC306", "no_jitter", func(p *plan.Plan, list *diag.List) {
	queues := map[*plan.Ladder]int{}
	tenants := map[*plan.Ladder]bool{}
	for _, q := range p.Queues {
		for _, l := range laddersOf(p, q) {
			queues[l]++
			tenants[l] = tenants[l] || q.TenantID != nil
		}
	}
	for _, l := range p.Ladders {
		if l.Min != l.Max || queues[l] < 2 && !tenants[l] {
			continue
		}
		who := fmt.Sprintf("%d queues", queues[l])
		if queues[l] < 2 {
			who = "the jobs of all tenants"
		}
		at := l.Spec.Jitter
		d := list.Warnf("RC306", at.Pos, at.Width, "the ladder %q has no jitter, and %s climb it: jobs that fail together come again together at each rung", l.Name.V, who)
		d.Hint = "leave jitter out, which gives 25%, or write jitter: full"
	}
}}
