package lint

import (
	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// crashBudget refuses a budget on a class of crashes alone: they have one of their own.
var crashBudget = Rule{"RC315", "crash_budget", func(p *plan.Plan, list *diag.List) {
	for _, c := range p.Classes {
		crash, other := conditionsOf(c)
		if budget := c.Spec.Budget; crash && !other && c.Outcome == "transient" && budget.Set() {
			list.Errorf("RC315", budget.Pos, budget.Width, "crashes always count to caps.crashes, never to %s", budget.V).Hint = "take the budget out"
		}
	}
}}
