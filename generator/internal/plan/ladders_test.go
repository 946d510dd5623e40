package plan

import (
	"math"
	"testing"
	"time"
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
