package worker

import (
	"errors"
	"slices"
	"time"
)

// Names of the classes that no retry.yaml has to declare.
const (
	classCrashed     = "crashed"
	classInterrupted = "interrupted"
	classTimeout     = "timeout"
	classPanic       = "panic"
	classExited      = "exited"
	classUndecodable = "undecodable"
	classInvalid     = "invalid"
	classMarked      = "marked"
	classSnoozed     = "snoozed"
	classUnmatched   = "unmatched"
)

// condition is one entry of a class's when.
type condition func(error) bool

// ending is the class of an error, and what goes with it.
type ending struct {
	class  *errorClass
	budget budget
	asked  time.Duration // wait that the server or the handler asked for
	reason string        // dead reason if the class is permanent
}

// classify names the end of a run: err is what the handler returned, cause why its context ended, nil while it
// had not. What only the handler knows comes first: marks, and the errors that retry.yaml declares for handlers to
// return. Then comes what this process did to it, since what a client returns when it is cut off may look like anything;
// then the classes of retry.yaml from top to bottom.
func (p *policyTable) classify(err, cause error) ending {
	var marked *mark
	errors.As(err, &marked)
	if slices.ContainsFunc(p.declared, func(e error) bool { return errors.Is(err, e) }) {
		cause = nil
	}
	switch {
	case marked != nil && marked.kind == markSnooze:
		return ending{class: &errorClass{name: classSnoozed, outcome: transient}, budget: snoozes, asked: marked.after}
	case marked != nil && marked.kind == markPermanent:
		return ending{class: &errorClass{name: classMarked, outcome: permanent}, reason: "permanent"}
	case errors.Is(cause, ErrStopped), errors.Is(cause, ErrLeaseLost):
		return ending{class: &errorClass{name: classInterrupted, outcome: transient}, budget: interrupts}
	case errors.Is(cause, errTimeout):
		return p.event(errTimeout, classTimeout, transient)
	case errors.Is(err, errPanic):
		return p.event(errPanic, classPanic, p.unmatched)
	case errors.Is(err, errExited):
		return p.event(errExited, classExited, p.unmatched)
	case errors.Is(err, errUndecodable):
		e := p.event(errUndecodable, classUndecodable, permanent)
		e.reason = "undecodable"
		return e
	case errors.Is(err, errInvalid):
		return p.event(errInvalid, classInvalid, permanent)
	}
	class := p.match(err)
	if class == nil {
		class = &errorClass{name: classUnmatched, outcome: p.unmatched}
	}
	e := ending{class: class, budget: class.budget, reason: "permanent"}
	if marked != nil {
		if class.outcome == permanent || class.name == classUnmatched {
			e.class = &errorClass{name: classMarked, outcome: transient}
		}
		e.asked = marked.after
	} else if class.retryAfter {
		e.asked = askedBy(err)
	}
	return e
}

// crash is the end of a run whose process died, alone or while it ran other jobs too.
func (p *policyTable) crash(company bool) ending {
	e := p.event(errCrashed, classCrashed, transient)
	e.budget = crashes
	if company {
		e.budget = sharedCrashes
	}
	return e
}

// event names an end that is no handler's error: the first class that names it, whatever its conditions would say
// of the error's shape, else a built-in one.
func (p *policyTable) event(event error, name string, o outcome) ending {
	class := &errorClass{name: name, outcome: o}
	for i := range p.classes {
		if slices.Contains(p.classes[i].on, event) {
			class = &p.classes[i]
			break
		}
	}
	return ending{class: class, budget: class.budget, reason: "permanent"}
}

func (p *policyTable) match(err error) *errorClass {
	for i := range p.classes {
		if slices.ContainsFunc(p.classes[i].when, func(c condition) bool { return c(err) }) {
			return &p.classes[i]
		}
	}
	return nil
}

// askedBy is the wait that an error in err's chain carries from the other side; 0 is none.
func askedBy(err error) time.Duration {
	var e interface{ RetryAfter() time.Duration }
	if errors.As(err, &e) {
		return e.RetryAfter()
	}
	return 0
}
