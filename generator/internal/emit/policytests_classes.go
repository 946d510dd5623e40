package emit

import (
	"slices"

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
	for _, e := range events {
		row(sample{code: jen.Id(e.name)}, e.expect(p))
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

// event is an end of a run that is no error of the handler's: the runtime's error for it, and what it is taken for
// where no class names it. An empty outcome is that of unmatched.
type event struct {
	event    plan.Event
	name     string
	expected expected
}

var events = []event{
	{plan.Timeout, "errTimeout", expected{"timeout", "transient", "failures"}},
	{plan.Crash, "errCrashed", expected{"crashed", "transient", "crashes"}},
	{plan.Panic, "errPanic", expected{"panic", "", "failures"}},
	{plan.NoEvent, "errExited", expected{"exited", "", "failures"}},
	{plan.Undecodable, "errUndecodable", expected{"undecodable", "permanent", "failures"}},
	{plan.Invalid, "errInvalid", expected{"invalid", "permanent", "failures"}},
}

// expect is the first class that names the event, whatever its other conditions are, else the built-in one.
func (e event) expect(p *plan.Plan) expected {
	found := e.expected
	if found.outcome == "" {
		found.outcome = p.Unmatched
	}
	for _, c := range p.Classes {
		if e.event != plan.NoEvent && slices.ContainsFunc(c.When, func(w *plan.Condition) bool { return w.Event == e.event }) {
			found = expected{c.Name.V, c.Outcome, c.Budget}
			break
		}
	}
	if e.event == plan.Crash {
		found.budget = "crashes"
	}
	return found
}
