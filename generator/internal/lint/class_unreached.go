package lint

import (
	"regexp"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// classUnreached refuses classes below one whose message is that of every error. The ends of a run that are no error of the handler's
// find their class all the same.
var classUnreached = Rule{"RC316", "class_unreached", func(p *plan.Plan, list *diag.List) {
	var above *plan.Class
	var taking *plan.Condition
	for _, c := range p.Classes {
		if above != nil && len(c.When) > 0 && !hasEvents(c) {
			d := list.Errorf("RC316", c.Name.Pos, c.Name.Width, "the class %q is never reached: the class %q above it takes every error", c.Name.V, above.Name.V)
			d.Hint = "move this class up, or give the message above more text; what an error is that no class takes, unmatched says"
			d.Related = &diag.Related{Pos: taking.Message.Pos, Width: taking.Message.Width, Message: "every error has this message"}
		}
		for _, w := range c.When {
			if above == nil && w.Message.Set() && matchesAll(w.Message.V) {
				above, taking = c, w
			}
		}
	}
}}

func hasEvents(c *plan.Class) bool {
	for _, w := range c.When {
		if w.Event != plan.NoEvent {
			return true
		}
	}
	return false
}

// matchesAll reports whether a pattern finds something in every line: in none at all, and in one that nobody thought of.
func matchesAll(pattern string) bool {
	re, err := regexp.Compile(pattern)
	return err == nil && (re.MatchString("") || re.MatchString("e")) && re.MatchString("\u2042 7~\u00df")
}
