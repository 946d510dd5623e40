package lint

import (
	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// classShadowed refuses a condition that an earlier class takes away: the first class that matches wins.
var classShadowed = Rule{"RC311", "class_shadowed", func(p *plan.Plan, list *diag.List) {
	var earlier []taken
	for _, c := range p.Classes {
		var own []taken
		for _, w := range c.When {
			for _, m := range matches(w) {
				for _, e := range earlier {
					if !e.covers(m) {
						continue
					}
					d := list.Errorf("RC311", m.pos, m.width, "the class %q never gets %s: the class %q above it does", c.Name.V, m.what, e.class)
					d.Hint = "take it out of one of them, or move this class up"
					d.Related = &diag.Related{Pos: e.pos, Width: e.width, Message: "it goes to " + e.class + " here"}
					break
				}
				own = append(own, taken{m, c.Name.V})
			}
		}
		earlier = append(earlier, own...)
	}
}}

// taken is a match and the class that it leads to.
type taken struct {
	match
	class string
}
