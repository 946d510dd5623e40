package worker

import (
	"math"
	"time"
)

// Wait is the least and the longest that a wait can be.
type Wait struct{ Least, Longest time.Duration }

// Waits are what a job waits that fails on a ladder and in no other way, under a cap of attempts and of delay: after
// the last of them it is dead. The generator writes them out; min and max are the factors of the jitter.
func Waits(rungs []time.Duration, min, max float64, attempts int, delay time.Duration) []Wait {
	q := &queueTable{
		policy: &policyTable{caps: caps{attempts: attempts, delay: delay, window: math.MaxInt64}},
		ladder: &ladder{rungs: rungs, min: min, max: max},
	}
	failed := &errorClass{outcome: transient}
	var waits []Wait
	for n := 1; q.decide(ended{class: failed, used: used{failures: n}}).deadReason == ""; n++ {
		least, longest := q.ladder.span(n, delay)
		waits = append(waits, Wait{least, longest})
	}
	return waits
}
