package worker

import (
	"math"
	"testing"
	"time"
)

func TestWaitIsAboveZeroAndNeverAboveItsLimit(t *testing.T) {
	limits := []time.Duration{time.Millisecond, time.Second, time.Hour, math.MaxInt64}
	for _, l := range []ladder{
		{rungs: []time.Duration{1, time.Second, time.Hour, math.MaxInt64}, min: 0.75, max: 1.25},
		{rungs: []time.Duration{time.Second}, min: 0, max: 1},
		{rungs: []time.Duration{time.Hour}, min: 1, max: 3},
		{rungs: []time.Duration{time.Hour}, min: 1, max: 1},
	} {
		for _, limit := range limits {
			for _, n := range []int{math.MinInt, 0, 1, 2, 3, 4, 5, 64, 65, 310, 10_000, math.MaxInt} {
				for seed := range uint64(200) {
					if d := l.wait(n, limit, seed); d <= 0 || d > limit {
						t.Fatalf("rung %d limit %v seed %d: %v", n, limit, seed, d)
					}
				}
			}
		}
	}
}

func FuzzWait(f *testing.F) {
	f.Add(int64(time.Second), int64(time.Hour), 3, 0.75, 1.25, uint64(1))
	f.Add(int64(math.MaxInt64), int64(math.MaxInt64), math.MaxInt, 0.0, 100.0, uint64(math.MaxUint64))
	f.Fuzz(func(t *testing.T, rung, limit int64, n int, low, high float64, seed uint64) {
		if rung <= 0 || limit < int64(shortest) || !(low >= 0) || !(high >= low) || high == 0 || math.IsInf(high, 0) {
			t.Skip("no spec gives these")
		}
		l := ladder{rungs: []time.Duration{time.Duration(rung)}, min: low, max: high}
		if d := l.wait(n, time.Duration(limit), seed); d <= 0 || d > time.Duration(limit) {
			t.Errorf("wait %v", d)
		}
	})
}

func TestJitterSpreadsUnderTheLimitAndDoesNotGatherAtIt(t *testing.T) {
	for name, l := range map[string]ladder{
		"percent": {rungs: []time.Duration{time.Hour}, min: 0.75, max: 1.25},
		"upward":  {rungs: []time.Duration{time.Hour}, min: 1, max: 2},
		"full":    {rungs: []time.Duration{time.Hour}, min: 0, max: 1},
	} {
		var tenths [10]int
		lowest, highest := time.Duration(math.MaxInt64), time.Duration(0)
		const n = 10_000
		for seed := range uint64(n) {
			d := l.wait(1, time.Hour, seedOf(randomID(), int(seed)))
			lowest, highest = min(lowest, d), max(highest, d)
			span := time.Duration(float64(time.Hour) * (1 - l.min/l.max))
			tenths[min(9, max(0, int(10*(d-(time.Hour-span))/span)))]++
		}
		if highest > time.Hour || highest-lowest < 12*time.Minute {
			t.Errorf("%s: %v … %v", name, lowest, highest)
		}
		for i, count := range tenths {
			if count < n/10*8/10 || count > n/10*12/10 {
				t.Errorf("%s: %d of %d waits in tenth %d of the range: %v", name, count, n, i, tenths)
			}
		}
	}
}

func TestAskedWaitIsNeverUndercutAndSpreads(t *testing.T) {
	l := ladder{rungs: []time.Duration{time.Second}, min: 0.75, max: 1.25}
	lowest, highest := time.Duration(math.MaxInt64), time.Duration(0)
	for i := range 100 {
		d := l.after(time.Minute, time.Hour, seedOf(randomID(), i))
		lowest, highest = min(lowest, d), max(highest, d)
	}
	if lowest < time.Minute || highest-lowest < 10*time.Second {
		t.Errorf("%v … %v for one minute asked", lowest, highest)
	}
	if d := l.after(time.Hour, time.Hour, 1); d != time.Hour {
		t.Errorf("at the cap: %v", d)
	}
}

func TestWaitIsPure(t *testing.T) {
	l := ladder{rungs: []time.Duration{time.Hour}, min: 0.5, max: 1.5}
	first := l.wait(1, 2*time.Hour, 7)
	for range 5 {
		if again := l.wait(1, 2*time.Hour, 7); again != first {
			t.Fatalf("%v, then %v for the same question", first, again)
		}
	}
}

func BenchmarkWait(b *testing.B) {
	l := ladder{rungs: []time.Duration{time.Second, time.Minute}, min: 0.75, max: 1.25}
	b.ReportAllocs()
	var sum time.Duration
	for i := range b.N {
		sum += l.wait(2, time.Hour, uint64(i))
	}
	_ = sum
}
