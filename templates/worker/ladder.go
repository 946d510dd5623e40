package worker

import (
	"math"
	"math/bits"
	"time"
)

// wait is the n-th rung with its jitter, n from 1; past the end it is the last rung.
func (l *ladder) wait(n int, limit time.Duration, seed uint64) time.Duration {
	low, high := l.span(n, limit)
	return low + min(high-low, time.Duration(float64(high-low)*fraction(seed)))
}

// span is the least and the longest wait of the n-th rung, in whole milliseconds: above zero and never above limit. A
// range that reaches over the limit is scaled down as a whole, so that jobs spread below it and do not gather at it.
func (l *ladder) span(n int, limit time.Duration) (low, high time.Duration) {
	rung := float64(l.rungs[min(max(n, 1), len(l.rungs))-1]) / float64(time.Millisecond)
	least, longest := rung*l.min, rung*l.max
	if top := float64(limit / time.Millisecond); longest > top {
		least, longest = least*(top/longest), top
	}
	whole := func(ms float64) time.Duration { return max(shortest, time.Duration(math.Round(ms))*time.Millisecond) }
	return whole(least), whole(longest)
}

// after is a wait that the other side asked for. It is never undercut, so its jitter only adds: up to half the
// spread of the ladder, and no more than limit allows.
func (l *ladder) after(asked, limit time.Duration, seed uint64) time.Duration {
	spread := min(float64(asked)*(l.max-l.min)/2, float64(limit-asked))
	return asked + time.Duration(max(0, spread)*fraction(seed))
}

// fraction spreads seeds evenly over 0 … 1.
func fraction(seed uint64) float64 {
	high, low := bits.Mul64(seed^0x9e3779b97f4a7c15, 0xd1342543de82ef95)
	high, low = bits.Mul64(high^low^seed, 0xaf251af3b0f025b5)
	return float64((high^low)>>11) / (1 << 53)
}

// seedOf gives each attempt of each job its own jitter, and the same one whoever computes it (FNV-1a).
func seedOf(jobID string, attempt int) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(jobID) {
		h = (h ^ uint64(jobID[i])) * 1099511628211
	}
	return (h ^ uint64(attempt)) * 1099511628211
}
