package lint

import (
	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// tierUnnamed warns of tiers that tenants.ladders leaves out: their jobs climb the ladder of the queue, which may be meant, and may
// be a tier that came later.
var tierUnnamed = Rule{"RC328", "tier_unnamed", func(p *plan.Plan, list *diag.List) {
	if p.Tenants == nil || len(p.Spec.Tenants.Ladders) == 0 {
		return
	}
	named := map[string]bool{}
	for _, l := range p.Spec.Tenants.Ladders {
		named[l.Tier.V] = true
	}
	for _, q := range p.Queues {
		if q.Tier == nil || q.Ladder == nil {
			continue
		}
		for _, v := range q.Tier.Type.Values { // none where it is no enum
			if named[v.Value.V] {
				continue
			}
			named[v.Value.V] = true // each is told of once
			d := list.Warnf("RC328", v.Value.Pos, v.Value.Width, "tenants.ladders has no ladder for the tier %q, so its jobs climb that of the queue", v.Value.V)
			d.Hint = "add " + v.Value.V + ": " + q.Ladder.Name.V + ", where that is meant"
			first := p.Spec.Tenants.Ladders[0].Tier
			d.Related = &diag.Related{Pos: first.Pos, Width: first.Width, Message: "the ladders of the tiers are here"}
		}
	}
}}
