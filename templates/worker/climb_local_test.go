package worker

import (
	"testing"
	"time"
)

// What a tool says of a policy has to be what a job does, drawn waits included.
func TestAClimbIsWhatDecideDoes(t *testing.T) {
	for name, c := range map[string]Climb{
		"failures to the end of the ladder": {Rungs: []time.Duration{time.Second, time.Minute, 10 * time.Minute}, Min: 0.75, Max: 1.25, Counter: Failures, Cap: 10, Delay: time.Hour},
		"failures to their cap":             {Rungs: []time.Duration{time.Second, time.Minute, 10 * time.Minute}, Min: 0.5, Max: 1.5, Counter: Failures, Cap: 3, Delay: time.Hour},
		"one attempt":                       {Rungs: []time.Duration{time.Second}, Min: 1, Max: 1, Counter: Failures, Cap: 1, Delay: time.Hour},
		"throttles repeat the last rung":    {Rungs: []time.Duration{time.Second, 2 * time.Hour}, Min: 0, Max: 1, Counter: Throttles, Cap: 6, Delay: time.Hour},
		"crashes":                           {Rungs: []time.Duration{time.Minute}, Min: 1, Max: 2, Counter: Crashes, Cap: 4, Delay: time.Hour},
		"crashes in company":                {Rungs: []time.Duration{time.Minute}, Min: 1, Max: 2, Counter: SharedCrashes, Cap: 4, Delay: time.Hour},
		"interrupts":                        {Counter: Interrupts, Cap: 5, Delay: time.Hour},
		"a window that ends it":             {Rungs: []time.Duration{time.Minute, 30 * time.Minute, 30 * time.Minute}, Min: 0.9, Max: 1.1, Counter: Failures, Cap: 10, Delay: time.Hour, Window: 40 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			if c.Window == 0 {
				c.Window = 1000 * time.Hour
			}
			const run = 3 * time.Second
			soonest, _ := c.Walk(run, func(w Wait) time.Duration { return w.Least })
			latest, _ := c.Walk(run, func(w Wait) time.Duration { return w.Longest })
			q := c.queue(&ladder{rungs: c.Rungs, min: c.Min, max: c.Max}, c.Window)
			lowest, highest := append([]time.Duration(nil), c.between(1)...), append([]time.Duration(nil), c.between(0)...)
			for seed := range uint64(2000) {
				var waits []time.Duration
				elapsed := run
				for n := 1; ; n++ {
					e := c.end(n, elapsed)
					e.seed = seedOf("a job", int(seed)*1000+n)
					v := q.decide(e)
					if v.deadReason != "" {
						replayed, reason := c.Walk(run, replay(waits, c.Waits()))
						if len(replayed) != len(waits) || reason != v.deadReason {
							t.Fatalf("seed %d: %d waits, then %s; the walk has %d, then %s", seed, len(waits), v.deadReason, len(replayed), reason)
						}
						break
					}
					waits = append(waits, v.delay)
					elapsed += v.delay + run
				}
				if len(waits) > len(soonest) || len(waits) < len(latest) {
					t.Fatalf("seed %d: %d waits, outside %d … %d", seed, len(waits), len(latest), len(soonest))
				}
				for k, w := range waits {
					lowest[k], highest[k] = min(lowest[k], w), max(highest[k], w)
				}
			}
			for k, w := range c.Waits()[:len(latest)] {
				slack := (w.Longest - w.Least) / 50
				if lowest[k] < w.Least || lowest[k] > w.Least+slack || highest[k] > w.Longest || highest[k] < w.Longest-slack {
					t.Errorf("wait %d was %v … %v, and is said to be %v … %v", k+1, lowest[k], highest[k], w.Least, w.Longest)
				}
			}
		})
	}
}

// between are the waits at a share of their range.
func (c Climb) between(share float64) []time.Duration {
	var all []time.Duration
	for _, w := range c.Waits() {
		all = append(all, w.Least+time.Duration(share*float64(w.Longest-w.Least)))
	}
	return all
}

// replay picks the waits that were; past their end the longest, which a window would refuse first.
func replay(waits []time.Duration, all []Wait) func(Wait) time.Duration {
	k := -1
	return func(w Wait) time.Duration {
		k++
		if k < len(waits) {
			return waits[k]
		}
		return all[k].Longest
	}
}
