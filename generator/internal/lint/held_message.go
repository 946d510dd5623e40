package lint

import (
	"time"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// longHold is how long a job of a crashed worker can wait without a word.
const longHold = 10 * time.Minute

// heldMessage warns of handlers that outlast what a broker keeps a message from others for: it comes again beside the run, and
// is put back until that has ended. Where that cannot be extended, a message is kept for as long as a handler may run, and a lease.
var heldMessage = Rule{"RC353", "held_message", func(p *plan.Plan, list *diag.List) {
	for _, q := range carried(p) {
		b := q.Backend.Broker
		limit, hold := b.Limits.Lease, q.Timeout.V+q.Lease.V
		var d *diag.Diagnostic
		hint := "shorten the timeout, or write payload_in: row, where only the claim has to be quick"
		switch {
		case b.Limits.Fixed && q.Timeout.Set() && hold > longHold && q.Timeout.V > q.Lease.V:
			d = list.Errorf("RC353", q.Timeout.Pos, q.Timeout.Width,
				"%s cannot extend what it keeps a received message for, so that is the timeout and the lease, %s: as long waits a job whose worker has crashed, and not for the lease of %s",
				b.Title, short(hold), short(q.Lease.V))
		case limit != 0 && q.Timeout.V > limit:
			d = list.Errorf("RC353", q.Timeout.Pos, q.Timeout.Width, "%s keeps a received message for %s, and a run may take %s: the message comes again beside it", b.Title, short(limit), short(q.Timeout.V))
		case limit != 0 && !b.Limits.Connected && q.Lease.V > limit:
			hint = "shorten the lease: workers renew it while they run"
			d = list.Errorf("RC353", q.Lease.Pos, q.Lease.Width, "%s keeps a received message for %s, and not for the lease of %s", b.Title, short(limit), short(q.Lease.V))
		default:
			continue
		}
		d.Severity, d.Hint, d.Related = diag.Warning, hint, carriedIs(q)
	}
}}
