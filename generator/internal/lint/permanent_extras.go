package lint

import (
	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// permanentExtras refuses what a permanent class cannot use: there is no further attempt.
var permanentExtras = Rule{"RC313", "permanent_extras", func(p *plan.Plan, list *diag.List) {
	for _, c := range p.Classes {
		if c.Outcome != "permanent" {
			continue
		}
		src := c.Spec
		for _, extra := range []struct {
			key   string
			pos   diag.Pos
			width int
		}{
			{"retry_after", src.RetryAfter.Pos, src.RetryAfter.Width},
			{"budget", src.Budget.Pos, src.Budget.Width},
			{"ladder", src.Ladder.Pos, src.Ladder.Width},
		} {
			if !extra.pos.Valid() {
				continue
			}
			d := list.Errorf("RC313", extra.pos, extra.width, "%s says nothing in the class %q, which is permanent", extra.key, c.Name.V)
			d.Hint = "take it out, or make the class transient"
			d.Related = &diag.Related{Pos: src.Outcome.Pos, Width: src.Outcome.Width, Message: "the outcome is here"}
		}
	}
}}
