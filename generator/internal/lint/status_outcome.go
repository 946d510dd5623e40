package lint

import (
	"fmt"
	"strings"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// The statuses of which HTTP says that the same request comes to nothing again, and those of which it says that it may be done later.
var (
	lasting = []int{400, 404, 422}
	passing = []int{429, 502, 503, 504}
)

// statusOutcome warns of statuses whose class says the opposite of what HTTP does. Of a family there is one finding.
var statusOutcome = Rule{"RC318", "status_outcome", func(p *plan.Plan, list *diag.List) {
	for _, side := range []struct {
		statuses      []int
		wrong         string
		what, instead string
	}{
		{lasting, "transient", "retries", "the same request gets the same answer: put it in a class with outcome: permanent"},
		{passing, "permanent", "gives up on", "it may be answered a moment later: put it in a class with outcome: transient"},
	} {
		found := map[diag.Pos][]string{}
		for _, status := range side.statuses {
			if c, s := classOf(p, status); c != nil && c.Outcome == side.wrong {
				found[s.Pos] = append(found[s.Pos], fmt.Sprint(status))
			}
		}
		for _, c := range p.Classes {
			for _, w := range c.When {
				for _, s := range w.HTTP {
					statuses := found[s.Pos]
					if len(statuses) == 0 {
						continue
					}
					d := list.Warnf("RC318", s.Pos, s.Width, "the class %q %s %s", c.Name.V, side.what, statusesText(statuses))
					d.Hint = side.instead
					if s.Family {
						d.Hint += ", above this one"
					}
					d.Related = &diag.Related{Pos: c.Spec.Outcome.Pos, Width: c.Spec.Outcome.Width, Message: "the outcome is here"}
				}
			}
		}
	}
}}

func statusesText(all []string) string {
	if last := len(all) - 1; last > 0 {
		return "the statuses " + strings.Join(all[:last], ", ") + " and " + all[last]
	}
	return "the status " + all[0]
}
