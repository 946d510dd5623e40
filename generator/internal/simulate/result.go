package simulate

import (
	"math"
	"slices"
	"strings"
	"time"
)

// Moment is a number of attempts in a second.
type Moment struct {
	Count int
	At    time.Duration // since the beginning of the outage
}

// Result is what came of a scenario.
type Result struct {
	Jobs, Hit int64 // all that arrived, and those that failed at least once
	Dead      []Dead
	Peak      Moment // the most retries in a second
	PeakAfter Moment // the same, once the outage is over
	Busiest   Moment // the most attempts of any kind in a second once the outage is over
	Waiting   Moment // the most jobs that wait for a retry
	// Drain is how long after the outage the last job ended that it had hit; Half and Most (99 of 100) are of those that it left.
	Drain, Half, Most time.Duration
	Rungs             []Rung
	Seconds           []Second
	Complete          bool // else jobs still waited when the simulation was given up
}

// Dead is how many jobs died of one reason.
type Dead struct {
	Reason string
	Jobs   int64
}

// Rung is the attempts that came after a wait.
type Rung struct {
	Overload       bool // of the ladder that attempts above the capacity climb
	Number         int
	Least, Longest time.Duration
	Attempts       int64
	Peak           Moment
	InPeak         int // of them, in the second that has the most of all rungs
}

// DeadShare is the share of the jobs that were hit.
func (r *Result) DeadShare() float64 {
	var dead int64
	for _, d := range r.Dead {
		dead += d.Jobs
	}
	return float64(dead) / float64(max(1, r.Hit))
}

// Herd is the rung that brings back the most jobs in a second, if that is more than arrive and more than chance explains; else nil.
func (s *Simulated) Herd() *Rung {
	rate := s.Rate.PerSecond()
	most := 1.25*rate + 6*math.Sqrt(rate) + 1
	var herd *Rung
	for i := range s.Rungs {
		if r := &s.Rungs[i]; float64(r.Peak.Count) > most {
			herd, most = r, float64(r.Peak.Count)
		}
	}
	return herd
}

func (t *tally) result(s *Scenario) *Result {
	t.align()
	r := &Result{Jobs: t.jobs, Hit: t.hit, Seconds: t.seconds, Complete: t.complete}
	for reason, n := range t.dead {
		r.Dead = append(r.Dead, Dead{reason, n})
	}
	slices.SortFunc(r.Dead, func(a, b Dead) int { return strings.Compare(a.Reason, b.Reason) })
	over := int((s.Outage + time.Second - 1) / time.Second)
	for i, c := range t.seconds {
		r.Peak.max(c.Retries, i)
		r.Waiting.max(c.Waiting, i)
		if i >= over {
			r.PeakAfter.max(c.Retries, i)
			r.Busiest.max(c.First+c.Retries, i)
		}
	}
	for i, c := range s.classes() {
		for n, counted := range t.climbs[i].rungs {
			if counted.attempts > 0 {
				w := c.Decider.Wait(n + 1)
				r.Rungs = append(r.Rungs, Rung{i == 1, n + 1, w.Least, w.Longest, counted.attempts, Moment{counted.peak, time.Duration(counted.peakAt) * time.Second}, counted.inPeak})
			}
		}
	}
	if t.complete {
		r.Drain = max(0, time.Duration(t.last)*time.Millisecond-s.Outage)
		r.Half, r.Most = t.until(s.Outage, over, 50), t.until(s.Outage, over, 99)
	}
	return r
}

func (m *Moment) max(count, second int) {
	if count > m.Count {
		*m = Moment{count, time.Duration(second) * time.Second}
	}
}

// until is how long after the outage so many of 100 jobs had ended that waited then.
func (t *tally) until(outage time.Duration, over, percent int) time.Duration {
	left := 0
	for _, c := range t.seconds[min(over, len(t.seconds)):] {
		left += c.Ended
	}
	ended := 0
	for i := over; i < len(t.seconds); i++ {
		ended += t.seconds[i].Ended
		if ended > 0 && ended*100 >= left*percent {
			return time.Duration(i+1)*time.Second - outage
		}
	}
	return 0
}
