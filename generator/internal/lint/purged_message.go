package lint

import (
	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// purgedMessage warns of a retention that a message can outlive: one that comes again after its job is purged makes a new one. What
// is over is known by the row of a job with a key, and by the ledger rows of one without.
var purgedMessage = Rule{"RC356", "purged_message", func(p *plan.Plan, list *diag.List) {
	r := p.Ledger.Retention
	if r == nil {
		return
	}
	for _, q := range carried(p) {
		b, kept, name, at := q.Backend.Broker, r.Attempts.V, "attempts", r.Attempts
		if len(q.Spec.Key) > 0 {
			kept, name = r.Keys, "keys"
			if set := p.Spec.Ledger.Retention.Keys; set.Set() {
				at = set
			}
		}
		if kept >= b.Limits.Retention {
			continue
		}
		d := list.Errorf("RC356", at.Pos, at.Width, "a finished job is purged after %s, and %s can keep its message for %s: one that was not removed and comes again then makes the job anew",
			short(kept), b.Title, short(b.Limits.Retention))
		d.Severity = diag.Warning
		d.Hint = "write " + name + ": 400d, or any time that is longer than " + short(b.Limits.Retention)
		d.Related = carriedIs(q)
	}
}}
