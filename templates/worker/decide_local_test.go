package worker

import (
	"errors"
	"fmt"
	"testing"
	"time"
)

func testQueue() *queueTable {
	p := notePolicy()
	p.caps.window = 100 * time.Hour
	return &queueTable{policy: p, ladder: noteLadder()}
}

func TestDecide(t *testing.T) {
	hour := &ladder{rungs: []time.Duration{time.Hour}, min: 1, max: 1}
	transientClass, permanentClass := &errorClass{outcome: transient}, &errorClass{outcome: permanent}
	q := testQueue()
	q.policy.tiers = map[string]*ladder{"paid": hour}
	for name, c := range map[string]struct {
		e    ended
		want string
	}{
		"permanent":                    {ended{class: permanentClass, reason: "undecodable"}, "dead undecodable"},
		"first rung":                   {ended{class: transientClass, used: used{failures: 1}}, "30s"},
		"second rung":                  {ended{class: transientClass, used: used{failures: 2}}, "2m0s"},
		"end of the ladder":            {ended{class: transientClass, used: used{failures: 3}}, "dead failures"},
		"tier over queue":              {ended{class: transientClass, used: used{failures: 1}, tier: "paid"}, "1h0m0s"},
		"unknown tier":                 {ended{class: transientClass, used: used{failures: 1}, tier: "?"}, "30s"},
		"class over tier":              {ended{class: &errorClass{outcome: transient, ladder: noteLadder()}, used: used{failures: 1}, tier: "paid"}, "30s"},
		"cap before the ladder ends":   {ended{class: transientClass, used: used{failures: 10}}, "dead failures"},
		"throttles repeat the last":    {ended{class: transientClass, budget: throttles, tier: "paid", used: used{throttles: 2, failures: 9}}, "1h0m0s"},
		"throttles at their cap":       {ended{class: transientClass, budget: throttles, used: used{throttles: 3}}, "dead throttles"},
		"crashes at their cap":         {ended{class: transientClass, budget: crashes, used: used{crashes: 2}}, "dead crashes"},
		"interrupted runs again":       {ended{class: transientClass, budget: interrupts, used: used{interrupts: 3}}, "1ms"},
		"interrupts at their cap":      {ended{class: transientClass, budget: interrupts, used: used{interrupts: 4}}, "dead interrupts"},
		"snooze":                       {ended{class: transientClass, budget: snoozes, asked: 5 * time.Hour, used: used{snoozes: 1}}, "5h0m0s"},
		"snooze of nothing":            {ended{class: transientClass, budget: snoozes, asked: -1, used: used{snoozes: 1}}, "1ms"},
		"snoozes at their cap":         {ended{class: transientClass, budget: snoozes, asked: 1, used: used{snoozes: 3}}, "dead snoozes"},
		"asked for less than the rung": {ended{class: transientClass, asked: time.Second, used: used{failures: 1}}, "30s"},
		"asked for more than the rung": {ended{class: transientClass, asked: time.Minute, used: used{failures: 1}}, "1m0s"},
		"asked for the cap":            {ended{class: transientClass, asked: 2 * time.Hour, used: used{failures: 1}}, "2h0m0s"},
		"asked for more than the cap":  {ended{class: transientClass, asked: 2*time.Hour + 1, used: used{failures: 1}}, "dead retry_after"},
		"just inside the window":       {ended{class: transientClass, elapsed: 100*time.Hour - 30*time.Second, used: used{failures: 1}}, "30s"},
		"past the window":              {ended{class: transientClass, elapsed: 100*time.Hour - 30*time.Second + 1, used: used{failures: 1}}, "dead window"},
		"a clock that went mad":        {ended{class: transientClass, elapsed: 1<<63 - 1, used: used{failures: 1}}, "dead window"},
	} {
		v := q.decide(c.e)
		got := v.delay.String()
		if v.deadReason != "" {
			got = "dead " + v.deadReason
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

type statusError int

func (e statusError) Error() string   { return fmt.Sprint("status ", int(e)) }
func (e statusError) StatusCode() int { return int(e) }

type sdkError int

func (e sdkError) Error() string       { return "sdk" }
func (e sdkError) HTTPStatusCode() int { return int(e) }

type stateError string

func (e stateError) Error() string    { return "db" }
func (e stateError) SQLState() string { return string(e) }

type slowError struct{ error }

func (slowError) Timeout() bool { return true }

func TestClassify(t *testing.T) {
	p := &policyTable{unmatched: transient, declared: []error{errNever}, classes: []errorClass{
		{name: "throttled", outcome: transient, when: []condition{httpStatus(429)}, budget: throttles, retryAfter: true},
		{name: "gone", outcome: permanent, when: []condition{httpStatus(404, 410), is(errNever)}},
		{name: "busy", outcome: transient, when: []condition{sqlState("40001", "08*")}},
		{name: "slow", outcome: transient, when: []condition{timedOut, httpStatus(any5xx)}, on: []error{errTimeout}},
		{name: "typed", outcome: permanent, when: []condition{as[*responseError]()}},
		{name: "worded", outcome: permanent, when: []condition{messageMatches("(?i)no such"), messageMatches("panic|deadline")}},
	}}
	wrap := func(err error) error { return fmt.Errorf("a: %w", errors.Join(errBroken, fmt.Errorf("b: %w", err))) }
	for _, c := range []struct {
		err, cause error
		want       string
	}{
		{wrap(statusError(429)), nil, "throttled transient throttles"},
		{wrap(sdkError(410)), nil, "gone permanent failures"},
		{wrap(errNever), nil, "gone permanent failures"},
		{wrap(stateError("40001")), nil, "busy transient failures"},
		{wrap(stateError("08006")), nil, "busy transient failures"},
		{wrap(stateError("0800")), nil, "busy transient failures"},
		{wrap(stateError("40002")), nil, "unmatched transient failures"},
		{wrap(statusError(599)), nil, "slow transient failures"},
		{wrap(statusError(600)), nil, "unmatched transient failures"},
		{wrap(slowError{errBroken}), nil, "slow transient failures"},
		{wrap(&responseError{status: 302}), nil, "typed permanent failures"},
		{wrap(errors.New("No such key")), nil, "worded permanent failures"},
		{errBroken, nil, "unmatched transient failures"},
		{statusError(404), errTimeout, "slow transient failures"},
		{statusError(404), ErrStopped, "interrupted transient interrupts"},
		{statusError(404), ErrLeaseLost, "interrupted transient interrupts"},
		{wrap(errNever), errTimeout, "gone permanent failures"},
		{wrap(errNever), ErrStopped, "gone permanent failures"},
		{Permanent(statusError(429)), ErrStopped, "marked permanent failures"},
		{wrap(Permanent(errBroken)), nil, "marked permanent failures"},
		{wrap(RetryAfter(errBroken, 1)), nil, "marked transient failures"},
		{wrap(RetryAfter(statusError(429), 1)), nil, "throttled transient throttles"},
		{wrap(RetryAfter(statusError(404), 1)), nil, "marked transient failures"},
		{wrap(Snooze(1)), nil, "snoozed transient snoozes"},
		{fmt.Errorf("%w: x", errPanic), nil, "panic transient failures"},
		{errExited, nil, "exited transient failures"},
		{fmt.Errorf("%w: x", errUndecodable), nil, "undecodable permanent failures"},
		{fmt.Errorf("%w: x", errInvalid), nil, "invalid permanent failures"},
	} {
		e := p.classify(c.err, c.cause)
		if got := fmt.Sprint(e.class.name, " ", e.class.outcome, " ", e.budget); got != c.want {
			t.Errorf("%v (cause %v): %s, want %s", c.err, c.cause, got, c.want)
		}
	}
	if e := p.crash(false); e.class.name != "crashed" || e.budget != crashes {
		t.Errorf("crash: %+v", e)
	}
	for err, want := range map[error]time.Duration{
		&responseError{status: 429, after: time.Minute}:                        time.Minute,
		RetryAfter(&responseError{status: 429, after: time.Minute}, time.Hour): time.Hour,
		&responseError{status: 503, after: time.Minute}:                        0, // its class does not honour it
	} {
		if got := p.classify(err, nil).asked; got != want {
			t.Errorf("%v: asked for %v, want %v", err, got, want)
		}
	}
}

func BenchmarkClassify(b *testing.B) {
	p := &policyTable{unmatched: transient, classes: []errorClass{
		{name: "a", when: []condition{httpStatus(429)}}, {name: "b", when: []condition{is(errNever)}}, {name: "c", when: []condition{httpStatus(any5xx)}},
	}}
	err := fmt.Errorf("wrapped: %w", statusError(503))
	b.ReportAllocs()
	for range b.N {
		p.classify(err, nil)
	}
}
