package lint

import (
	"slices"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// noObjective warns of slo that asks for nothing: its author may believe that somebody would be told.
var noObjective = Rule{"RC381", "no_objective", func(p *plan.Plan, list *diag.List) {
	if p.AlertsDir == "" || slices.ContainsFunc(p.Queues, func(q *plan.Queue) bool { return asksFor(q.Objectives) }) {
		return
	}
	d := list.Errorf("RC381", p.Spec.SLO.Pos, len("slo"), "slo has no objective: nobody is told that jobs fail, wait or die")
	d.Severity, d.Hint = diag.Warning, "write what is to be told, such as oldest_message: 10m"
}}

func asksFor(o plan.Objectives) bool {
	return o.FailureVisibleWithin.Set() || o.OldestMessage.Set() || o.DeadLetterGrowth.Set() || o.NewFingerprint || o.LastRung
}
