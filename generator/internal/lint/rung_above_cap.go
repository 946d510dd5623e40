package lint

import (
	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// rungAboveCap refuses a wait that caps.delay would cut.
var rungAboveCap = Rule{"RC301", "rung_above_cap", func(p *plan.Plan, list *diag.List) {
	limit := p.Caps.Delay
	for _, l := range p.Ladders {
		if e := l.Spec.Exponential; e != nil {
			if e.Cap.Set() && e.Cap.V > limit.V {
				d := list.Errorf("RC301", e.Cap.Pos, e.Cap.Width, "the cap %s of the ladder %q is above caps.delay, which is %s", short(e.Cap.V), l.Name.V, short(limit.V))
				d.Hint, d.Related = "raise caps.delay, or lower the cap", capIs(limit.Pos, limit.Width, "caps.delay")
			}
			continue
		}
		for k, r := range l.Rungs {
			if r.V > limit.V {
				d := list.Errorf("RC301", r.Pos, r.Width, "rung %d of the ladder %q waits %s, above caps.delay, which is %s", k+1, l.Name.V, short(r.V), short(limit.V))
				d.Hint, d.Related = "raise caps.delay, or shorten the rung", capIs(limit.Pos, limit.Width, "caps.delay")
			}
		}
	}
}}
