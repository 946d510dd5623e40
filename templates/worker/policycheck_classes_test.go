package worker

import (
	"errors"
	"fmt"
	"testing"
)

// classCase is what an error is taken for. An err that is nil, as a type has no value of its own to try, is skipped.
type classCase struct {
	err     error
	class   string
	outcome outcome
	budget  budget
}

// plainSample marks an error that is told by its text, which changes when it is wrapped.
type plainSample interface{ plain() }

// checkClasses tries each error as it is and wrapped.
func checkClasses(t testing.TB, p *policyTable, cases []classCase) {
	t.Helper()
	for _, c := range cases {
		if c.err == nil {
			continue
		}
		tries := []error{c.err, fmt.Errorf("wrapped: %w", c.err)}
		if _, plain := c.err.(plainSample); plain {
			tries = tries[:1]
		}
		for _, err := range tries {
			e, told := tryClass(p, err)
			if !told {
				t.Logf("%T: its zero value panics, so it is not tried", c.err)
				break
			}
			if e.class.name != c.class {
				t.Errorf("%T %v: the class %s, want %s; of two classes that match, the one that stands first in retry.yaml wins", c.err, err, e.class.name, c.class)
			} else if e.class.outcome != c.outcome || e.budget != c.budget {
				t.Errorf("%T %v: %s on the budget %s, want %s on %s", c.err, err, e.class.outcome, e.budget, c.outcome, c.budget)
			}
		}
	}
}

// tryClass classes err as an attempt would that ended in it. It is told nothing where a method of err panics.
func tryClass(p *policyTable, err error) (e ending, told bool) {
	defer func() { told = recover() == nil }()
	switch {
	case errors.Is(err, errCrashed):
		return p.crash(false), true
	case errors.Is(err, errTimeout):
		return p.classify(errors.New("cut off"), err), true
	}
	return p.classify(err, nil), true
}
