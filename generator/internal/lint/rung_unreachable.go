package lint

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// rungUnreachable refuses rungs at which every job is dead already. A ladder has one rung at least, so the only rung of
// a policy without retries is let be.
var rungUnreachable = Rule{"RC303", "rung_unreachable", func(p *plan.Plan, list *diag.List) {
	for _, l := range p.Ladders {
		ways := climbs(p, l)
		if len(ways) == 0 {
			continue // nobody climbs it: a rule of its own
		}
		best := slices.MaxFunc(ways, func(a, b climb) int { return cmp.Compare(a.reach(), b.reach()) })
		k := best.reach()
		if len(l.Rungs) <= max(k, 1) {
			continue
		}
		r := l.Rungs[max(k, 1)]
		d := list.Errorf("RC303", r.Pos, r.Width, "rung %d of the ladder %q is never reached: %s is %d%s, so a job %s", max(k, 1)+1, l.Name.V, best.name, best.cap, lesser(ways[0], best), waits(k))
		d.Hint, d.Related = "raise "+best.name+", or shorten the ladder", best.at
		if k == 0 {
			d.Hint = "raise " + best.name + ", or leave a single rung where no retries are wanted"
		}
	}
}}

// lesser names the first way as well, where it ends sooner than the best: that is the cap that people look at.
func lesser(first, best climb) string {
	if first.name == best.name {
		return ""
	}
	return fmt.Sprintf(" and %s is %d", first.name, first.cap)
}
