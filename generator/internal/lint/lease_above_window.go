package lint

import (
	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// leaseAboveWindow warns of a lease after which no job is tried again: a crash is known once the lease is over. One that is shorter
// than the timeout is no matter, since workers renew it.
var leaseAboveWindow = Rule{"RC326", "lease_above_window", func(p *plan.Plan, list *diag.List) {
	window := p.Caps.Window
	for _, q := range p.Queues {
		if q.Lease.V < window.V {
			continue
		}
		at := q.Lease
		if !at.Set() { // the default is above a short window
			at.Pos, at.Width = window.Pos, window.Width
		}
		d := list.Warnf("RC326", at.Pos, at.Width, "the lease of the queue %q, %s, is not shorter than caps.window, which is %s: a job whose worker crashed is dead when that is found", q.Name.V, short(q.Lease.V), short(window.V))
		d.Hint = "shorten the lease, which workers renew while they run, or raise caps.window"
		if q.Lease.Set() {
			d.Related = capIs(window.Pos, window.Width, "caps.window")
		}
	}
}}
