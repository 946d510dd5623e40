package lint

import (
	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// exponentialCap refuses a ladder that its own cap flattens from the first rung on.
var exponentialCap = Rule{"RC302", "exponential_cap", func(p *plan.Plan, list *diag.List) {
	for _, l := range p.Ladders {
		e := l.Spec.Exponential
		if e == nil || !e.Cap.Set() || e.First.V <= e.Cap.V {
			continue
		}
		d := list.Errorf("RC302", e.First.Pos, e.First.Width, "the first rung of the ladder %q, %s, is above its own cap of %s", l.Name.V, short(e.First.V), short(e.Cap.V))
		d.Hint, d.Related = "raise cap, or lower first", capIs(e.Cap.Pos, e.Cap.Width, "the cap")
	}
}}
