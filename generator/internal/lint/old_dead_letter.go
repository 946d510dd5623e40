package lint

import (
	"fmt"
	"time"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// timeToLook is how long a dead letter should be there for a person to see it.
const timeToLook = 24 * time.Hour

// oldDeadLetter warns of dead letters that are hardly there. A message that SQS itself moves keeps the time when it was first
// sent, by which the dead-letter queue removes it.
var oldDeadLetter = Rule{"RC351", "old_dead_letter", func(p *plan.Plan, list *diag.List) {
	for _, q := range carried(p) {
		b := q.Backend.Broker
		if !q.Backend.DeadLetter || b.Limits.Receives == 0 || b.Limits.DefaultRetention == 0 {
			continue // none moves a message by itself, or none is removed
		}
		outwait(p, q, b.Limits.DefaultRetention-timeToLook, longest, func(l *plan.Ladder, w waited) {
			if w.sum > b.Limits.Retention {
				return // the message is lost before: a rule of its own
			}
			r, at := l.Rungs[w.rung], q.Backend.Spec.NativeDead
			left := "at once"
			if rest := b.Limits.DefaultRetention - w.sum; rest > 0 {
				left = "after " + short(rest.Round(time.Second))
			}
			d := list.Errorf("RC351", r.Pos, r.Width, "by wait %d on the ladder %q a message of the queue %q is %s old%s, and what %s then moves to the dead-letter queue itself is removed there %s, where its %s is the usual %s",
				w.n, l.Name.V, q.Name.V, short(w.sum.Round(time.Second)), most(l), b.Title, left, b.RetentionSetting, short(b.Limits.DefaultRetention))
			d.Severity = diag.Warning
			d.Hint = fmt.Sprintf("set %s of the dead-letter queue to %s: it counts from when the message was first sent", b.RetentionSetting, short(b.Limits.Retention))
			d.Related = &diag.Related{Pos: at.Pos, Width: at.Width, Message: "dead messages go there"}
		})
	}
}}
