package outlook

import (
	"slices"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/templates/worker"
)

// End is one way in which an attempt ends without success.
type End struct {
	Name       string      // of its class, as the ledger has it
	Class      *plan.Class // nil: one that every worker has
	Crash      bool        // of a process that died: it is counted with crashes, whatever the class's budget is
	Permanent  bool        // the job is dead at once
	Reason     string      // of such a death
	Counter    worker.Counter
	Ladder     *plan.Ladder // nil: the tier's, else the queue's
	RetryAfter bool         // a server can ask for a longer wait
}

// endsOf lists them. A class for crashes and for other ends is two.
func endsOf(p *plan.Plan) []End {
	var ends []End
	for _, c := range p.Classes {
		crash, other := false, false
		for _, w := range c.When {
			crash = crash || w.Event == plan.Crash
			other = other || w.Event != plan.Crash
		}
		if other {
			ends = append(ends, declared(c))
		}
		if crash && firstWith(p, plan.Crash) == c {
			ends = append(ends, crashed(declared(c)))
		}
	}
	for _, b := range builtin {
		if b.event != plan.NoEvent && firstWith(p, b.event) != nil {
			continue
		}
		e := b.end
		if b.unmatched {
			e.Permanent = p.Unmatched == "permanent"
		}
		if e.Permanent && e.Reason == "" {
			e.Reason = "permanent"
		}
		ends = append(ends, e)
	}
	return ends
}

func declared(c *plan.Class) End {
	e := End{Name: c.Name.V, Class: c, Permanent: c.Outcome == "permanent", Ladder: c.Ladder, RetryAfter: c.RetryAfter, Counter: worker.Failures}
	if c.Budget == "throttles" {
		e.Counter = worker.Throttles
	}
	if e.Permanent {
		e.Reason, e.RetryAfter = "permanent", false
	}
	return e
}

func crashed(e End) End {
	e.Crash, e.Counter, e.RetryAfter = true, worker.Crashes, false
	return e
}

// firstWith is the class that an event is of; nil: the built-in one.
func firstWith(p *plan.Plan, event plan.Event) *plan.Class {
	for _, c := range p.Classes {
		if slices.ContainsFunc(c.When, func(w *plan.Condition) bool { return w.Event == event }) {
			return c
		}
	}
	return nil
}

// builtin are the classes that no spec has to declare. With an event, a class of the spec that names it stands in; an
// unmatched one has the outcome of that name.
var builtin = []struct {
	event     plan.Event
	unmatched bool
	end       End
}{
	{plan.Timeout, false, End{Name: "timeout"}},
	{plan.Panic, true, End{Name: "panic"}},
	{plan.NoEvent, true, End{Name: "exited"}},
	{plan.NoEvent, true, End{Name: "unmatched"}},
	{plan.Crash, false, End{Name: "crashed", Crash: true, Counter: worker.Crashes}},
	{plan.NoEvent, false, End{Name: "interrupted", Counter: worker.Interrupts}},
	{plan.NoEvent, false, End{Name: "snoozed", Counter: worker.Snoozes}},
	{plan.NoEvent, false, End{Name: "marked", Permanent: true}},
	{plan.Undecodable, false, End{Name: "undecodable", Permanent: true, Reason: "undecodable"}},
	{plan.Invalid, false, End{Name: "invalid", Permanent: true}},
}
