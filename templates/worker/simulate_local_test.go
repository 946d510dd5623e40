package worker

import (
	"math"
	"testing"
	"time"
)

// A Decider gives what the tables of a generated worker give.
func TestDeciderIsTheWorkersDecision(t *testing.T) {
	standard := &Ladder{Rungs: []time.Duration{30 * time.Second, 2 * time.Minute, 10 * time.Minute}, Min: 0.75, Max: 1.25}
	slow := &Ladder{Rungs: []time.Duration{time.Hour}, Min: 0, Max: 1}
	c := Caps{Attempts: 3, Throttles: 4, Delay: 30 * time.Minute, RetryAfter: time.Hour, Window: 2 * time.Hour}
	p := &policyTable{
		tiers: map[string]*ladder{"paid": slow.table()},
		caps:  caps{attempts: 3, throttles: 4, delay: 30 * time.Minute, retryAfter: time.Hour, window: 2 * time.Hour},
	}
	q := &queueTable{policy: p, ladder: standard.table()}
	for name, f := range map[string]struct {
		failing Failing
		class   errorClass
		tier    string
	}{
		"queue":     {Failing{Queue: standard}, errorClass{outcome: transient}, ""},
		"tier":      {Failing{Queue: standard, Tier: slow}, errorClass{outcome: transient}, "paid"},
		"class":     {Failing{Queue: standard, Tier: slow, Class: standard}, errorClass{outcome: transient, ladder: standard.table()}, "paid"},
		"throttles": {Failing{Queue: standard, Throttles: true}, errorClass{outcome: transient, budget: throttles}, ""},
		"permanent": {Failing{Queue: standard, Permanent: true}, errorClass{outcome: permanent}, ""},
	} {
		f.failing.Caps = c
		d := f.failing.Decider()
		for failed := range 5 {
			for throttled := range 5 {
				for _, asked := range []time.Duration{0, time.Minute, time.Hour, 2 * time.Hour} {
					for _, elapsed := range []time.Duration{0, 119 * time.Minute} {
						seed := Seed(1, failed, throttled)
						want := q.decide(ended{
							class: &f.class, budget: f.class.budget, tier: f.tier, reason: "permanent", asked: asked, elapsed: elapsed, seed: seed,
							used: used{failures: failed, throttles: throttled},
						})
						delay, reason := d.Decide(Spent{failed, throttled}, asked, elapsed, seed)
						if got := (verdict{delay, reason}); got != want {
							t.Errorf("%s: %d failures, %d throttles, asked %s after %s: %+v, want %+v", name, failed, throttled, asked, elapsed, got, want)
						}
					}
				}
			}
		}
	}
	d := Failing{Queue: standard, Tier: slow, Caps: c}.Decider()
	if got := d.Wait(1); d.Rungs() != 1 || got != (Wait{time.Millisecond, 30 * time.Minute}) {
		t.Errorf("%d rungs, the first %v", d.Rungs(), got)
	}
}

// Neighbouring jobs and attempts must not share their jitter, or a simulation would show herds that are none.
func TestSeedsOfNumberedJobsSpread(t *testing.T) {
	const n = 200_000
	for name, seed := range map[string]func(i int) uint64{
		"jobs":     func(i int) uint64 { return Seed(1, i, 1) },
		"attempts": func(i int) uint64 { return Seed(1, 7, i) },
		"runs":     func(i int) uint64 { return Seed(uint64(i), 7, 1) },
	} {
		var tenths [10]int
		var sum, products float64
		before := Fraction(seed(n))
		for i := range n {
			f := Fraction(seed(i))
			tenths[int(10*f)]++
			sum += f
			products += (f - 0.5) * (before - 0.5)
			before = f
		}
		for i, count := range tenths {
			if math.Abs(float64(count)-n/10) > 5*math.Sqrt(n/10) {
				t.Errorf("%s: %d of %d in tenth %d", name, count, n, i)
			}
		}
		if correlation := products / n * 12; math.Abs(correlation) > 5/math.Sqrt(n) {
			t.Errorf("%s: neighbours are correlated by %f", name, correlation)
		}
		if mean := sum / n; math.Abs(mean-0.5) > 5*0.29/math.Sqrt(n) {
			t.Errorf("%s: mean %f", name, mean)
		}
	}
}
