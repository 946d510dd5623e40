package lint

import (
	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// tierLadders refuses half of a pair: tiers choose a ladder only where both the field and the ladders are named.
var tierLadders = Rule{"RC323", "tier_ladders", func(p *plan.Plan, list *diag.List) {
	t := p.Spec.Tenants
	switch {
	case t.Tier.Set() && len(t.Ladders) == 0:
		list.Errorf("RC323", t.Tier.Pos, t.Tier.Width, "the tier %s chooses nothing: tenants has no ladders", t.Tier.V).Hint = "add ladders: {free: …, paid: …}, or take tier out"
	case !t.Tier.Set() && len(t.Ladders) > 0:
		first := t.Ladders[0].Tier
		list.Errorf("RC323", first.Pos, first.Width, "nothing says which tier a job is of: tenants has no tier").Hint = "add tier: with the field of the payload that names it, or take ladders out"
	}
}}
