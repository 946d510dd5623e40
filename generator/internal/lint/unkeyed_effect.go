package lint

import (
	"strings"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// effects are words in the name of a field by which it can be told that the job moves money or reaches a person.
var effects = map[string]string{
	"amount": "moves money", "charge": "moves money", "payment": "moves money", "payout": "moves money", "refund": "moves money",
	"transfer": "moves money", "iban": "moves money", "currency": "moves money",
	"email": "reaches a person", "phone": "reaches a person", "recipient": "reaches a person", "sms": "reaches a person", "msisdn": "reaches a person",
}

// unkeyedEffect warns of queues without a key of whose jobs it can be told that two are worse than one. What a handler does, nobody
// knows but the team: the names of the payload's fields are what there is to go by.
var unkeyedEffect = Rule{"RC327", "unkeyed_effect", func(p *plan.Plan, list *diag.List) {
	for _, q := range p.Queues {
		if len(q.Spec.Key) > 0 || q.Backend != nil && q.Backend.Carried { // of which RC355 tells
			continue
		}
		f, effect := effectOf(q.Payload)
		if f == nil {
			continue
		}
		d := list.Warnf("RC327", q.Name.Pos, q.Name.Width, "the queue %q has no idempotency_key, and by its field %s it %s: a producer that enqueues again does it twice", q.Name.V, f.Name.V, effect)
		d.Hint = "add idempotency_key: the fields of the payload that say which event it is"
		d.Related = &diag.Related{Pos: f.Name.Pos, Width: f.Name.Width, Message: "the field is here"}
	}
}}

// effectOf is the first field that tells of an effect, also inside of another.
func effectOf(s *plan.Struct) (*plan.Field, string) {
	for _, f := range s.Fields {
		if f.Type == nil || f.Type.Kind == plan.Bool || f.Type.Kind == plan.Time {
			continue
		}
		for _, w := range plan.Words(f.Name.V) {
			if effect := effects[strings.ToLower(w)]; effect != "" {
				return f, effect
			}
		}
		if f.Type.Struct != nil {
			if inner, effect := effectOf(f.Type.Struct); inner != nil {
				return inner, effect
			}
		}
	}
	return nil, ""
}
