package lint

import (
	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// unkeyedMessage warns of queues at which an event that is sent twice is two jobs. Of the brokers' own ways to see that, those that
// there are last for minutes, in queues of a kind that the worker does not take.
var unkeyedMessage = Rule{"RC355", "unkeyed_message", func(p *plan.Plan, list *diag.List) {
	for _, q := range carried(p) {
		if len(q.Spec.Key) > 0 {
			continue
		}
		d := list.Errorf("RC355", q.Name.Pos, q.Name.Width, "the queue %q has no idempotency_key, so a producer that sends a message again, as it has to after an answer that was lost, makes two jobs", q.Name.V)
		d.Severity = diag.Warning
		d.Hint = "add idempotency_key: the fields of the payload that say which event it is"
		d.Related = carriedIs(q)
	}
}}
