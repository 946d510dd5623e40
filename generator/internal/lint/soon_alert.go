package lint

import (
	"time"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// soonAlert warns of alerts that cannot come so soon: Prometheus scrapes every 15 to 60 seconds, and an increase takes several
// scrapes to be seen.
var soonAlert = Rule{"RC380", "soon_alert", func(p *plan.Plan, list *diag.List) {
	told := map[diag.Pos]bool{}
	look := func(name string, asked, least time.Duration, pos diag.Pos, width int) {
		if !pos.Valid() || asked >= least || told[pos] {
			return
		}
		told[pos] = true
		d := list.Errorf("RC380", pos, width, "Prometheus does not see within %s what %s asks for: it scrapes every 15 to 60 seconds", short(asked), name)
		d.Severity, d.Hint = diag.Warning, "write "+short(least)+" or more"
	}
	for _, q := range p.Queues {
		failure, oldest := q.Objectives.FailureVisibleWithin, q.Objectives.OldestMessage
		look("failure_visible_within", failure.V, 3*time.Minute, failure.Pos, failure.Width)
		look("oldest_message", oldest.V, time.Minute, oldest.Pos, oldest.Width)
	}
}}
