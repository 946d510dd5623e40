package lint

import (
	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// classBuiltin keeps the names of the built-in classes for what they mean: otherwise nobody could tell from a row
// of the ledger which of the two it was.
var classBuiltin = Rule{"RC312", "class_builtin", func(p *plan.Plan, list *diag.List) {
	for _, c := range p.Classes {
		event, builtin := builtinClasses[c.Name.V]
		if !builtin || event != plan.NoEvent && hasEvent(c, event) {
			continue
		}
		d := list.Errorf("RC312", c.Name.Pos, c.Name.Width, "%s is the name of a built-in class", c.Name.V)
		d.Hint = "rename the class"
		if event != plan.NoEvent {
			d.Hint = "rename the class, or give it the condition that the built-in one stands for: " + conditions[event]
		}
	}
}}

// builtinClasses are the classes that no spec has to declare, with the condition by which a spec can take one over.
var builtinClasses = map[string]plan.Event{
	"crashed": plan.Crash, "timeout": plan.Timeout, "panic": plan.Panic, "undecodable": plan.Undecodable, "invalid": plan.Invalid,
	"interrupted": plan.NoEvent, "exited": plan.NoEvent, "marked": plan.NoEvent, "snoozed": plan.NoEvent, "unmatched": plan.NoEvent,
}

var conditions = map[plan.Event]string{
	plan.Crash: "crash: true", plan.Timeout: "timeout: true", plan.Panic: "panic: true", plan.Undecodable: "payload: undecodable", plan.Invalid: "payload: invalid",
}

func hasEvent(c *plan.Class, event plan.Event) bool {
	for _, w := range c.When {
		if w.Event == event {
			return true
		}
	}
	return false
}
