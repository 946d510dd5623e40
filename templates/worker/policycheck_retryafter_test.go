//retryc:when retry_after

package worker

import (
	"errors"
	"slices"
	"testing"
	"time"
)

// waitSample is an error that carries the wait that a server asks for.
type waitSample struct{ error }

func (waitSample) RetryAfter() time.Duration { return time.Minute }

// checkRetryAfter checks that the named classes keep the wait that an error carries, and that no other does.
func checkRetryAfter(t testing.TB, p *policyTable, classes ...string) {
	t.Helper()
	for _, c := range p.classes {
		try := *p
		try.classes = []errorClass{{name: c.name, outcome: c.outcome, retryAfter: c.retryAfter, when: []condition{func(error) bool { return true }}}}
		want := time.Duration(0)
		if slices.Contains(classes, c.name) {
			want = time.Minute
		}
		if got := try.classify(waitSample{errors.New("busy")}, nil).asked; got != want {
			t.Errorf("class %s: a wait of %s, want %s", c.name, got, want)
		}
	}
}
