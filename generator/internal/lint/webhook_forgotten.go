package lint

import (
	"time"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// webhookKept is how long deliveries come again: senders repeat them for days, and let people do so for weeks.
const webhookKept = 30 * 24 * time.Hour

// webhookForgotten refuses a ledger that forgets keys while deliveries with them can come.
var webhookForgotten = Rule{"RC371", "webhook_forgotten", func(p *plan.Plan, list *diag.List) {
	r := p.Ledger.Retention
	if r == nil {
		return
	}
	for _, w := range p.Webhooks {
		needed := max(webhookKept, w.Signature.Tolerance.V)
		if r.Keys >= needed {
			continue
		}
		at := p.Spec.Ledger.Retention.Keys
		if !at.Set() {
			at = r.Attempts
		}
		d := list.Errorf("RC371", at.Pos, at.Width, "keys are kept for %s, and deliveries of the webhook %q can come again for %s", short(r.Keys), w.Name.V, short(needed))
		d.Hint = "write keys: " + short(needed) + ", or more"
		d.Related = &diag.Related{Pos: w.Name.Pos, Width: w.Name.Width, Message: "the webhook is here"}
	}
}}
