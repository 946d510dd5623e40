package picture

import (
	"math"
	"time"
)

// Scale puts times between 0 and 1 so that short and long waits can both be seen: far from zero it is logarithmic.
type Scale struct {
	Base, End time.Duration // about half of the shortest time that matters, and the longest
}

// At is where a time stands; nothing is beyond the end.
func (s Scale) At(d time.Duration) float64 {
	base := float64(max(s.Base, 1))
	return math.Log1p(float64(min(max(d, 0), s.End))/base) / math.Log1p(float64(max(s.End, 1))/base)
}

// marks are times that people think in.
var marks = []time.Duration{
	time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond, time.Second, 5 * time.Second, 15 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour,
	24 * time.Hour, 48 * time.Hour, 7 * 24 * time.Hour, 30 * 24 * time.Hour, 365 * 24 * time.Hour,
}

// Marks are times for an axis, from zero on, of which no two are nearer to each other than gap.
func (s Scale) Marks(gap float64) []time.Duration {
	chosen := []time.Duration{0}
	for _, m := range marks {
		if m <= s.End && s.At(m)-s.At(chosen[len(chosen)-1]) >= gap {
			chosen = append(chosen, m)
		}
	}
	return chosen
}
