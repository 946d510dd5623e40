package lint

import (
	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// payloadTransient refuses to retry a payload that is wrong: it is the same at the next attempt.
var payloadTransient = Rule{"RC314", "payload_transient", func(p *plan.Plan, list *diag.List) {
	for _, c := range p.Classes {
		if c.Spec.Outcome.V != "transient" {
			continue
		}
		for _, w := range c.Spec.When {
			if !w.Payload.Set() {
				continue
			}
			d := list.Errorf("RC314", w.Payload.Pos, w.Payload.Width, "the class %q retries payloads that are %s, and they will not change", c.Name.V, w.Payload.V)
			d.Hint = "make a class of its own for it, with outcome: permanent"
			d.Related = &diag.Related{Pos: c.Spec.Outcome.Pos, Width: c.Spec.Outcome.Width, Message: "the outcome is here"}
		}
	}
}}
