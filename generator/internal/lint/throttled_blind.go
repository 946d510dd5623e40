package lint

import (
	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// throttledBlind warns of a 429 that is tried again with no regard to when the server said.
var throttledBlind = Rule{"RC317", "throttled_blind", func(p *plan.Plan, list *diag.List) {
	c, s := classOf(p, 429)
	if c == nil || c.Outcome == "permanent" || c.RetryAfter {
		return
	}
	d := list.Warnf("RC317", s.Pos, s.Width, "the class %q tries a 429 again without regard to its Retry-After, which can be longer than the rung", c.Name.V)
	d.Hint = "add retry_after: honor, which caps.retry_after bounds; an answer without the header waits for its rung"
	if at := c.Spec.RetryAfter; at.Set() {
		d.Related = &diag.Related{Pos: at.Pos, Width: at.Width, Message: "it is ignored here"}
	}
}}

// classOf is the class that an HTTP status comes to, and where it says so.
func classOf(p *plan.Plan, status int) (*plan.Class, plan.Status) {
	for _, c := range p.Classes {
		for _, w := range c.When {
			for _, s := range w.HTTP {
				if s.Code == status || s.Family && s.Code == status/100 {
					return c, s
				}
			}
		}
	}
	return nil, plan.Status{}
}
