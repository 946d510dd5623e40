package lint

import (
	"fmt"
	"time"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// outlivesMessage is about jobs that wait for longer than their broker keeps a message, which is from when it was sent, however
// often it came. It refuses those that outlive any message there, and warns of those that outlive the messages of a queue as it is
// where nobody has set up more.
var outlivesMessage = Rule{"RC350", "outlives_message", func(p *plan.Plan, list *diag.List) {
	for _, q := range carried(p) {
		b := q.Backend.Broker
		if b.Limits.Retention == 0 {
			continue
		}
		refused := map[*plan.Ladder]bool{}
		outwait(p, q, b.Limits.Retention, shortest, func(l *plan.Ladder, w waited) {
			refused[l] = true
			d := outlived(list, q, l, w, fmt.Sprintf("%s, and %s keeps no message for longer than %s from when it was sent", least(l), b.Title, short(b.Limits.Retention)))
			d.Hint = "shorten the ladder or caps.window, or write payload_in: row, where the job waits in the database"
		})
		outwait(p, q, b.Limits.DefaultRetention, longest, func(l *plan.Ladder, w waited) {
			if refused[l] {
				return
			}
			d := outlived(list, q, l, w, fmt.Sprintf("%s, and %s keeps a message for %s from when it was sent where %s says no more", most(l), b.Title, short(b.Limits.DefaultRetention), b.RetentionSetting))
			d.Severity = diag.Warning
			d.Hint = fmt.Sprintf("set %s of the queue to %s, the most there is; or shorten the ladder or caps.window, or write payload_in: row", b.RetentionSetting, short(b.Limits.Retention))
		})
	}
}}

func outlived(list *diag.List, q *plan.Queue, l *plan.Ladder, w waited, why string) *diag.Diagnostic {
	r := l.Rungs[w.rung]
	d := list.Errorf("RC350", r.Pos, r.Width, "by wait %d on the ladder %q a job of the queue %q has waited for %s%s: its message is removed, and the job is lost",
		w.n, l.Name.V, q.Name.V, short(w.sum.Round(time.Second)), why)
	d.Related = carriedIs(q)
	return d
}

// least and most say which of its waits a sum is of, where jitter makes a difference.
func least(l *plan.Ladder) string {
	if l.Min == l.Max {
		return ""
	}
	return " at least"
}

func most(l *plan.Ladder) string {
	if l.Min == l.Max {
		return ""
	}
	return " at most"
}
