package worker

import (
	"fmt"
	"math"
	"testing"
	"time"
)

// span is the least and the longest that a wait can be.
type span struct{ low, high time.Duration }

// ladderCase is what a job waits that fails on a ladder and in no other way. After the last of waits, it is dead.
type ladderCase struct {
	name   string
	ladder *ladder
	waits  []span
}

func checkLadders(t testing.TB, p *policyTable, cases []ladderCase) {
	t.Helper()
	for _, c := range cases {
		q := &queueTable{policy: unhurried(p), ladder: c.ladder}
		for i, want := range c.waits {
			checkWait(t, fmt.Sprintf("ladder %s, failure %d", c.name, i+1), q, i+1, want)
		}
		v := q.decide(ended{class: &errorClass{outcome: transient}, used: used{failures: len(c.waits) + 1}})
		if v.deadReason != failures.String() {
			t.Errorf("ladder %s: the job lives on after failure %d, the last", c.name, len(c.waits)+1)
		}
	}
}

// checkWait tries many seeds: no wait may be outside of want, and some must come near both of its ends.
func checkWait(t testing.TB, name string, q *queueTable, failure int, want span) {
	t.Helper()
	const rounding = time.Microsecond
	low, high := time.Duration(math.MaxInt64), time.Duration(0)
	for seed := range uint64(1000) {
		v := q.decide(ended{class: &errorClass{outcome: transient}, used: used{failures: failure}, seed: seed})
		if v.deadReason != "" {
			t.Errorf("%s: the job is dead (%s), want another attempt", name, v.deadReason)
			return
		}
		low, high = min(low, v.delay), max(high, v.delay)
	}
	if low < want.low-rounding || high > want.high+rounding {
		t.Errorf("%s: waits of %s to %s, want %s to %s", name, low, high, want.low, want.high)
	}
	if tenth := (want.high - want.low) / 10; low > want.low+tenth || high < want.high-tenth {
		t.Errorf("%s: waits of %s to %s do not spread over %s to %s", name, low, high, want.low, want.high)
	}
}

// unhurried is p without its window, which other tests look at.
func unhurried(p *policyTable) *policyTable {
	c := *p
	c.caps.window = math.MaxInt64
	return &c
}

// choiceCase is which ladder a job climbs, by its queue, its tenant's tier and its error's class. An empty tier or
// class is one that names no ladder.
type choiceCase struct {
	queue       *queueTable
	tier, class string
	want        *ladder
}

func checkChoices(t testing.TB, cases []choiceCase) {
	t.Helper()
	for _, c := range cases {
		class := &errorClass{}
		for i := range c.queue.policy.classes {
			if c.queue.policy.classes[i].name == c.class {
				class = &c.queue.policy.classes[i]
			}
		}
		if got := c.queue.ladderOf(class, c.tier); got != c.want {
			t.Errorf("queue %q, tier %q, class %q: the ladder %v, want %v", c.queue.name, c.tier, c.class, got.rungs, c.want.rungs)
		}
	}
}

// capCase is how many attempts a counter allows: the last of them is dead.
type capCase struct {
	budget   budget
	attempts int
}

func checkCaps(t testing.TB, p *policyTable, cases []capCase) {
	t.Helper()
	for _, c := range cases {
		q := &queueTable{policy: unhurried(p), ladder: &ladder{rungs: make([]time.Duration, c.attempts), max: 1}}
		for _, n := range []int{1, c.attempts - 1, c.attempts, c.attempts + 1} {
			e := ended{class: &errorClass{outcome: transient}, budget: c.budget}
			e.used[c.budget] = n
			want := ""
			if n >= c.attempts {
				want = c.budget.deadReason()
			}
			if got := q.decide(e).deadReason; got != want {
				t.Errorf("%s, attempt %d: dead reason %q, want %q", c.budget, n, got, want)
			}
		}
	}
}

// checkLimits checks the three caps that are lengths of time.
func checkLimits(t testing.TB, p *policyTable, delay, retryAfter, window time.Duration) {
	t.Helper()
	limited := func(rung, limit time.Duration) *queueTable {
		c := *p
		c.caps.attempts, c.caps.window = 2, limit
		return &queueTable{policy: &c, ladder: &ladder{rungs: []time.Duration{rung}, min: 1, max: 1}}
	}
	e := ended{class: &errorClass{outcome: transient}, used: used{failures: 1}}
	const endless = time.Duration(math.MaxInt64)
	if got := limited(endless, endless).decide(e).delay; got != delay {
		t.Errorf("the longest wait of a ladder is %s, want %s", got, delay)
	}
	e.asked = retryAfter
	if got, want := limited(shortest, endless).decide(e).delay, max(shortest, retryAfter); got != want {
		t.Errorf("a server that asks for %s gets %s, want %s", e.asked, got, want)
	}
	e.asked = retryAfter + 1
	if got := limited(shortest, endless).decide(e).deadReason; got != "retry_after" {
		t.Errorf("a server that asks for %s makes the job dead with %q, want retry_after", e.asked, got)
	}
	e.asked, e.elapsed = 0, window-shortest
	if got := limited(shortest, p.caps.window).decide(e).deadReason; got != "" {
		t.Errorf("after %s the job is dead (%s), want another attempt", e.elapsed, got)
	}
	e.elapsed++
	if got := limited(shortest, p.caps.window).decide(e).deadReason; got != "window" {
		t.Errorf("after %s the job is dead with %q, want window", e.elapsed, got)
	}
}
