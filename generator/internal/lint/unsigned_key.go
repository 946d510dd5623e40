package lint

import (
	"slices"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// unsignedKey warns of keys that are taken from what the sender does not sign: whoever has seen a delivery makes as many
// jobs of it as he likes.
var unsignedKey = Rule{"RC370", "unsigned_key", func(p *plan.Plan, list *diag.List) {
	for _, w := range p.Webhooks {
		for _, m := range w.Fields {
			if m.Header == "" || w.Signature.Covers(m.Header) || !slices.Contains(w.Queue.Key, m.Field) {
				continue
			}
			d := list.Errorf("RC370", m.At.Pos, m.At.Width, "the key's field %q comes from the header %s, which the signature does not cover", m.Field.Name.V, m.At.V)
			d.Severity = diag.Warning
			d.Hint = "take it from the body, if the event has an id there"
		}
	}
}}
