package emit

import "github.com/retryc/retryc/generator/internal/plan"

// features are what the emitted code of the plan calls in the runtime, by the names that the runtime's //retryc:when
// lines have. Whatever is not named there comes out always.
func features(p *plan.Plan) map[string]bool {
	used := map[string]bool{}
	for _, c := range p.Classes {
		used["response"] = used["response"] || c.RetryAfter
		for _, w := range c.When {
			conditionFeatures(used, w)
		}
	}
	for _, r := range p.Ledger.Redact {
		if r.Pattern != "" {
			used["redact_pattern"] = true
		} else {
			used["redact_"+r.Name] = true
		}
	}
	for _, q := range p.Queues {
		if b := q.Backend; b != nil {
			used["broker"], used["broker_"+b.Broker.Name] = true, true
			used["broker_message"] = used["broker_message"] || b.Carried
			used["broker_dead"] = used["broker_dead"] || b.DeadLetter
			used["broker_push"] = used["broker_push"] || b.PushSecret != ""
		}
		used["enqueue_tx"] = used["enqueue_tx"] || !q.Carried()
		structs(q.Payload, func(s *plan.Struct) {
			if anyField(s, (*plan.Field).Required) {
				used["required"], used["breaches"] = true, true
			}
			for _, f := range s.Fields {
				valueFeatures(used, f.Type)
			}
		})
	}
	if p.Observer != nil {
		used["observed"], used["observed_"+p.Observer.Name] = true, true
	}
	for _, w := range p.Webhooks {
		used["webhook"], used[schemeFeatures[w.Signature.Scheme]] = true, true
		used["webhook_only"] = used["webhook_only"] || w.Only != nil
	}
	used["retention"] = p.Ledger.Retention != nil
	used["redrive"] = p.Redrive != nil
	testFeatures(used, p)
	return used
}

// schemeFeatures are the features that read the signatures of each scheme.
var schemeFeatures = map[plan.Scheme]string{
	plan.HMAC: "webhook_hmac", plan.GitHub: "webhook_hmac", plan.Stripe: "webhook_stripe", plan.StandardWebhooks: "webhook_standard",
}

func conditionFeatures(used map[string]bool, w *plan.Condition) {
	switch {
	case len(w.HTTP) > 0:
		used["http"], used["response"] = true, true
		for _, s := range w.HTTP {
			used["http_family"] = used["http_family"] || s.Family
		}
	case w.As != nil:
		used["as"] = true
	case len(w.SQLState) > 0:
		used["sqlstate"] = true
	case w.Event == plan.Timeout:
		used["timeout"] = true
	case w.Message.Set():
		used["message"] = true
	}
}

// valueFeatures are what the checks of a value call.
func valueFeatures(used map[string]bool, t *plan.Type) {
	if !checked(t) {
		return
	}
	used["breaches"] = true
	switch t.Kind {
	case plan.String:
		if t.URI {
			used["uri"] = true
		} else {
			used["text"] = true
		}
	case plan.UUID:
		used["uuid"] = true
	case plan.Object:
		used["nested"] = true
	case plan.Map:
		used["element"], used["text"] = true, true
		valueFeatures(used, t.Elem)
	case plan.List:
		used["element"] = true
		valueFeatures(used, t.Elem)
	}
}
