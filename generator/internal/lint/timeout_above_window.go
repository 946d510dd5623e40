package lint

import (
	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// timeoutAboveWindow refuses a first run that may outlast the whole life of its job.
var timeoutAboveWindow = Rule{"RC321", "timeout_above_window", func(p *plan.Plan, list *diag.List) {
	window := p.Caps.Window
	for _, q := range p.Queues {
		if q.Timeout.V <= window.V {
			continue
		}
		at := q.Timeout
		if !at.Set() { // the default is above a short window
			at.Pos, at.Width = window.Pos, window.Width
		}
		d := list.Errorf("RC321", at.Pos, at.Width, "the timeout of the queue %q, %s, is longer than caps.window, which is %s", q.Name.V, short(q.Timeout.V), short(window.V))
		d.Hint = "shorten the timeout, or raise caps.window"
		if q.Timeout.Set() {
			d.Related = capIs(window.Pos, window.Width, "caps.window")
		}
	}
}}
