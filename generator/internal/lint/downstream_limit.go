package lint

import (
	"fmt"
	"math"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// downstreamLimit warns of workers that can ask more of a service than it takes. Each slot begins a run, and another as soon as that
// has ended.
var downstreamLimit = Rule{"RC330", "downstream_limit", func(p *plan.Plan, list *diag.List) {
	for _, q := range p.Queues {
		d := q.Downstream
		if d == nil {
			continue
		}
		each := max(1, float64(d.Per)/float64(d.Run))
		begun := float64(q.Concurrency) * float64(d.Processes) * each
		if begun <= float64(d.Requests) {
			continue
		}
		at := q.Spec.Downstream.Requests
		f := list.Warnf("RC330", at.Pos, at.Width, "the queue %q can begin %.0f runs in %s, with %d at a time in %s and %s for a quick one: its service takes %d",
			q.Name.V, math.Ceil(begun), short(d.Per), q.Concurrency, processes(d.Processes), short(d.Run), d.Requests)
		f.Hint = fewer(d, each)
		if c := q.Spec.Concurrency; c.Set() {
			f.Related = &diag.Related{Pos: c.Pos, Width: c.Width, Message: "concurrency is here"}
		}
	}
}}

// fewer is what to do: the highest concurrency that the service takes, if there is one.
func fewer(d *plan.Downstream, each float64) string {
	if n := int(float64(d.Requests) / each / float64(d.Processes)); n > 0 {
		return fmt.Sprintf("write concurrency: %d, or ask the service for more", n)
	}
	return fmt.Sprintf("with %s, one run at a time in each is too many: start fewer, or ask the service for more", processes(d.Processes))
}

func processes(n int) string {
	if n == 1 {
		return "1 process"
	}
	return fmt.Sprintf("%d processes", n)
}
