package lint

import (
	"time"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// retentionShort warns of a retention that a job can outlive: it is more often a wrong unit than meant.
var retentionShort = Rule{"RC325", "retention_short", func(p *plan.Plan, list *diag.List) {
	r := p.Ledger.Retention
	if r == nil {
		return
	}
	window, lease := p.Caps.Window, time.Duration(0)
	for _, q := range p.Queues {
		lease = max(lease, q.Lease.V)
	}
	if life := window.V + lease; r.Attempts.V < life {
		d := list.Warnf("RC325", r.Attempts.Pos, r.Attempts.Width, "attempts are kept for %s after the end of a job, which can live for %s itself: caps.window and a lease", short(r.Attempts.V), short(life))
		d.Hint = "write a longer time, such as 400d"
		d.Related = capIs(window.Pos, window.Width, "caps.window")
	}
}}
