package plan

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/retryc/retryc/spec"
	"github.com/retryc/retryc/templates/worker"
)

func TestExponentialIsWrittenOut(t *testing.T) {
	for _, c := range []struct {
		first  time.Duration
		factor float64
		limit  time.Duration
		want   []time.Duration
	}{
		{time.Minute, 2, time.Hour, []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute}},
		{time.Minute, 3, 5 * time.Minute, []time.Duration{time.Minute, 3 * time.Minute, 5 * time.Minute, 5 * time.Minute}},
		{time.Second, 1.5, time.Hour, []time.Duration{time.Second, 1500 * time.Millisecond, 2250 * time.Millisecond, 3375 * time.Millisecond}},
		{time.Second, 1.1, time.Hour, []time.Duration{time.Second, 1100 * time.Millisecond, 1210 * time.Millisecond, 1331 * time.Millisecond}},
		{time.Hour, 2, time.Minute, []time.Duration{time.Minute, time.Minute}},
	} {
		for k, want := range c.want {
			if got := exponential(c.first, c.factor, c.limit, k); got != want {
				t.Errorf("first %v factor %v cap %v: rung %d is %v, want %v", c.first, c.factor, c.limit, k+1, got, want)
			}
		}
	}
}

func FuzzExponentialStaysBetweenAMillisecondAndItsCap(f *testing.F) {
	f.Add(int64(time.Minute), 2.0, int64(time.Hour), 5)
	f.Add(int64(math.MaxInt64), 1000.0, int64(math.MaxInt64), 1000)
	f.Add(int64(1), 1.0, int64(time.Millisecond), 0)
	f.Add(int64(time.Minute), math.NaN(), int64(time.Hour), 3)
	f.Add(int64(time.Minute), math.Inf(-1), int64(time.Hour), 3)
	f.Fuzz(func(t *testing.T, first int64, factor float64, limit int64, k int) {
		if limit < int64(time.Millisecond) {
			t.Skip("the schema has no such cap")
		}
		got := exponential(time.Duration(first), factor, time.Duration(limit), k)
		if got < time.Millisecond || got > time.Duration(limit) {
			t.Errorf("%v", got)
		}
	})
}

func TestWaitsAreScaledUnderTheCapAndEndWithTheLadderOrTheAttempts(t *testing.T) {
	const ms, s, m, h = time.Millisecond, time.Second, time.Minute, time.Hour
	for _, c := range []struct {
		rungs    []time.Duration
		min, max float64
		attempts int
		want     []worker.Wait
	}{
		{[]time.Duration{m}, 0.75, 1.25, 9, []worker.Wait{{Least: 45 * s, Longest: 75 * s}}},
		{[]time.Duration{m}, 1, 1, 9, []worker.Wait{{Least: m, Longest: m}}},
		{[]time.Duration{m}, 0, 1, 9, []worker.Wait{{Least: ms, Longest: m}}},
		{[]time.Duration{m}, 0.9, 1.1, 9, []worker.Wait{{Least: 54 * s, Longest: 66 * s}}},
		{[]time.Duration{h, 100 * h}, 0.75, 1.25, 9, []worker.Wait{{Least: 36 * m, Longest: h}, {Least: 36 * m, Longest: h}}},
		{[]time.Duration{ms}, 0.5, 0.5, 9, []worker.Wait{{Least: ms, Longest: ms}}},
		{[]time.Duration{s, m, h}, 1, 1, 3, []worker.Wait{{Least: s, Longest: s}, {Least: m, Longest: m}}},
		{[]time.Duration{s, m, h}, 1, 1, 1, nil},
	} {
		l := &Ladder{Min: c.min, Max: c.max}
		for _, r := range c.rungs {
			l.Rungs = append(l.Rungs, spec.At[time.Duration]{V: r})
		}
		got := l.Waits(Caps{Attempts: spec.At[int]{V: c.attempts}, Delay: spec.At[time.Duration]{V: time.Hour}})
		if !slices.Equal(got, c.want) {
			t.Errorf("%v times %v to %v, %d attempts: %v, want %v", c.rungs, c.min, c.max, c.attempts, got, c.want)
		}
	}
}

func TestDurationReadsLikeTheSpec(t *testing.T) {
	for d, want := range map[time.Duration]string{
		30 * time.Second: "30s", 2 * time.Minute: "2m", time.Hour: "1h", 90 * time.Minute: "1h30m", 10 * time.Second: "10s",
		time.Hour + time.Second: "1h0m1s", 1500 * time.Millisecond: "1.5s", 300 * time.Millisecond: "300ms", 100 * time.Hour: "100h",
	} {
		if got := Duration(d); got != want {
			t.Errorf("Duration(%d) = %s, want %s", d, got, want)
		}
	}
}
