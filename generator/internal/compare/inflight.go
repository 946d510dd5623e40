package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/generator/internal/resolved"
)

// inFlight says what becomes of jobs that are enqueued, or wait for a retry, when the new policy begins to run.
func (c *comparison) inFlight(notes []string) {
	say := func(format string, args ...any) {
		c.report.InFlight = append(c.report.InFlight, fmt.Sprintf(format, args...))
	}
	c.report.InFlight = append(c.report.InFlight, notes...)
	if c.old.Ledger.Dialect != c.now.Ledger.Dialect {
		say("jobs do not move from %s to %s: let the old workers drain their queues first", c.old.Ledger.Dialect, c.now.Ledger.Dialect)
	}
	if list := c.unknownFields(); len(list) > 0 {
		say("while workers run that were built before, they put back jobs with a field that they do not know: %s", listed(list, 8))
	}
	for _, was := range c.base.Queues {
		if i := slices.IndexFunc(c.head.Queues, func(q *plan.Queue) bool { return q.Name.V == was.Name.V }); i >= 0 {
			c.broker(was, c.head.Queues[i])
		}
	}
	figures := func(test func(f Figure) bool) bool {
		return slices.ContainsFunc(c.report.Queues, func(q QueueChange) bool {
			return q.Change == Changed && slices.ContainsFunc(q.Jobs, func(r Row) bool { return slices.ContainsFunc(r.Figures, test) })
		})
	}
	if figures(func(f Figure) bool { return decides[f.Name] }) {
		say("a job that waits for a retry keeps the wait that it has; from its next attempt on the new policy decides, by what the job has used up so far")
	}
	if figures(func(f Figure) bool { return f.Name == "attempts" && f.is.low < f.was.low }) {
		say("a job that has used up more than the new policy gives is dead when its next attempt fails")
	}
	if c.now.Caps.Window.Duration < c.old.Caps.Window.Duration {
		say("a job whose first attempt is longer ago than %s is dead when its next attempt fails", c.now.Caps.Window)
	}
	if slices.ContainsFunc(c.report.Errors, func(e ErrorChange) bool { return e.Before.Outcome == "transient" && e.After.Outcome == "permanent" }) {
		say("a job that waits for a retry after an error that is permanent now is attempted once more all the same")
	}
	if slices.ContainsFunc(c.report.Errors, func(e ErrorChange) bool { return e.Before.Outcome == "permanent" && e.After.Outcome == "transient" }) {
		say("jobs that are dead of an error that is transient now stay dead")
	}
}

// unknownFields are the queues that get new fields, with these.
func (c *comparison) unknownFields() (list []string) {
	now := byName(c.now.Queues)
	for _, was := range c.old.Queues {
		is := now[was.Name]
		if is == nil {
			continue
		}
		var names []string
		for _, f := range is.Payload {
			if !slices.ContainsFunc(was.Payload, func(g resolved.Field) bool { return g.Name == f.Name }) {
				names = append(names, f.Name)
			}
		}
		if len(names) > 0 {
			list = append(list, was.Name+" ("+strings.Join(names, ", ")+")")
		}
	}
	return list
}

// decides are the figures that depend on what the policy decides after an attempt.
var decides = map[string]bool{"outcome": true, "budget": true, "ladder": true, "attempts": true, "longest_wait": true, "window": true, "dead_reason": true, "retry_after": true, "runs": true}

// broker says what becomes of messages where a queue is at another place.
func (c *comparison) broker(was, is *plan.Queue) {
	if was.Backend == nil {
		return
	}
	place := func(b *plan.Backend) [4]string { return [4]string{b.Broker.Name, b.Variable, b.BaseURL, b.Queue} }
	moved := is.Backend == nil || place(was.Backend) != place(is.Backend)
	at := was.Backend.Broker.Title
	say := func(format string, args ...any) {
		c.report.InFlight = append(c.report.InFlight, fmt.Sprintf(format, args...))
	}
	switch {
	case moved && was.Backend.Carried:
		say("messages of the queue %s that are left at %s are read by nobody, and each may be the only copy of its job: let the old workers drain them first", was.Name.V, at)
	case moved:
		say("messages of the queue %s that are left at %s are read by nobody; the poll finds their jobs, but a payload that another program has sent is no job yet: let the old workers drain them first",
			was.Name.V, at)
	case was.Backend.Carried && !is.Backend.Carried:
		say("messages of the queue %s with payloads become jobs as they arrive", was.Name.V)
	}
}
