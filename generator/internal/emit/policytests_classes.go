package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/retryc/retryc/generator/internal/plan"
)

// classCases makes a row for each condition of each class, for each event, and for an error that no class names:
//
//	{httpSample(429), "throttled", transient, throttles},
//	{ErrSourceDeleted, "gone", permanent, failures},
//	{errCrashed, "crashed", transient, crashes},
func classCases(p *plan.Plan) []jen.Code {
	var cases []jen.Code
	row := func(s sample, e expected) {
		cases = append(cases, jen.Values(s.code, jen.Lit(e.class), jen.Id(e.outcome), jen.Id(e.budget)))
	}
	for i, c := range p.Classes {
		for _, w := range c.When {
			for _, s := range samplesOf(p.Classes[:i], w) {
				if e, sure := expect(p, s, expected{"unmatched", p.Unmatched, "failures"}); sure {
					row(s, e)
				}
			}
		}
	}
	for _, event := range events {
		builtin := event.expected
		if builtin.outcome == "" {
			builtin.outcome = p.Unmatched
		}
		if e, sure := expect(p, event.sample(), builtin); sure {
			if event.event == plan.Crash {
				e.budget = "crashes"
			}
			row(event.sample(), e)
		}
	}
	other := sample{code: jen.Qual("errors", "New").Call(jen.Lit("something else")), text: "something else"}
	if e, sure := expect(p, other, expected{"unmatched", p.Unmatched, "failures"}); sure {
		row(other, e)
	}
	return cases
}

// expected is what an error is taken for.
type expected struct{ class, outcome, budget string }

// expect is the first class that matches s, else otherwise. It is not sure where the text decides and wrapping changes it.
func expect(p *plan.Plan, s sample, otherwise expected) (e expected, sure bool) {
	bare, wrapped := firstMatch(p, s, s.text), firstMatch(p, s, "wrapped: "+s.text)
	switch {
	case bare != wrapped && !s.plain:
		return expected{}, false
	case bare == nil:
		return otherwise, true
	}
	return expected{bare.Name.V, bare.Outcome, bare.Budget}, true
}

func firstMatch(p *plan.Plan, s sample, text string) *plan.Class {
	for _, c := range p.Classes {
		for _, w := range c.When {
			if s.matches(w, text) {
				return c
			}
		}
	}
	return nil
}

// event is an end of a run that is no error of the handler's: the runtime's error for it, with its text, and what it is
// taken for where no class names it. An empty outcome is that of unmatched.
type event struct {
	event       plan.Event
	name, text  string
	expected    expected
	hasDeadline bool // the error is a context.DeadlineExceeded as well
}

var events = []event{
	{plan.Timeout, "errTimeout", "handler timeout: context deadline exceeded", expected{"timeout", "transient", "failures"}, true},
	{plan.Crash, "errCrashed", "the process died while it ran this attempt", expected{"crashed", "transient", "crashes"}, false},
	{plan.Panic, "errPanic", "panic", expected{"panic", "", "failures"}, false},
	{plan.NoEvent, "errExited", "the handler ended its goroutine", expected{"exited", "", "failures"}, false},
	{plan.Undecodable, "errUndecodable", "payload cannot be decoded", expected{"undecodable", "permanent", "failures"}, false},
	{plan.Invalid, "errInvalid", "payload is not valid", expected{"invalid", "permanent", "failures"}, false},
}

func (e event) sample() sample {
	s := sample{code: jen.Id(e.name), text: e.text, event: e.event, timeout: e.hasDeadline}
	if e.hasDeadline {
		s.is, s.as = "context.DeadlineExceeded", []string{"net.Error"}
	}
	return s
}
