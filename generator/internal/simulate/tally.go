package simulate

import (
	"math"
	"slices"
	"strings"
	"time"
)

// Second is what happened in one second.
type Second struct {
	First, Retries int // attempts that began
	Failed, Dead   int // attempts that failed, jobs that died
	Ended          int // jobs of the outage, or that had failed, which are done or dead
	Waiting        int // jobs that have failed and will run again, at its end
}

// tally counts what happens.
type tally struct {
	seconds  []Second
	now      *Second
	jobs     int64
	hit      int64 // jobs that have failed
	open     int   // jobs that came during the outage, or have failed, and have not ended
	waiting  int   // those of them that have failed
	dead     map[string]int64
	peak     int   // retries, in a second
	last     int64 // when the last job ended that was open, in ms
	climbs   []climb
	overload int // of those above the capacity
	complete bool
}

// climb is the rungs that are climbed by attempts that fail in the outage, or by those above the capacity.
type climb struct {
	throttles bool // which counter is the rung's number
	rungs     []rung
}

// rung counts the attempts that come after a wait.
type rung struct {
	attempts int64
	peak     int
	peakAt   int // second
	second   int
	now      int // in that second
	inPeak   int // in the second with the most retries of all rungs
}

func (t *tally) init(s *Scenario) {
	t.dead = map[string]int64{}
	for i, c := range s.classes() {
		t.climbs = append(t.climbs, climb{c.Throttles, make([]rung, c.Decider.Rungs())})
		t.overload = i // the same climb where the class is the same
	}
}

func (t *tally) turn(second int64) {
	t.align()
	t.seconds = append(t.seconds, Second{Waiting: t.waiting})
	t.now = &t.seconds[second]
}

// align keeps how many of each rung have come, if the second that ends is the one with the most retries.
func (t *tally) align() {
	if t.now == nil || t.now.Retries <= t.peak {
		return
	}
	t.peak = t.now.Retries
	for i := range t.climbs {
		for n := range t.climbs[i].rungs {
			if r := &t.climbs[i].rungs[n]; r.second == len(t.seconds)-1 {
				r.inPeak = r.now
			} else {
				r.inPeak = 0
			}
		}
	}
}

// plain are jobs that arrive and succeed.
func (t *tally) plain(n int64) {
	t.jobs += n
	t.now.First += int(n)
}

func (t *tally) attempt(e event) {
	if e.failures+e.throttles == 0 {
		t.jobs++
		t.now.First++
		return
	}
	t.now.Retries++
	c, n := &t.climbs[0], e.failures
	if e.flags&overloaded != 0 {
		c = &t.climbs[t.overload]
	}
	if c.throttles {
		n = e.throttles
	}
	c.rungs[min(int(n), len(c.rungs))-1].count(len(t.seconds) - 1)
}

func (r *rung) count(second int) {
	if r.second != second {
		r.second, r.now = second, 0
	}
	r.attempts++
	r.now++
	if r.now > r.peak {
		r.peak, r.peakAt = r.now, second
	}
}

func (t *tally) failed(e event) {
	t.now.Failed++
	if e.failures+e.throttles == 0 {
		t.hit++
		t.waiting++
	}
	t.now.Waiting = t.waiting
}

func (t *tally) succeeded(e event, now int64) {
	if e.failures+e.throttles > 0 {
		t.waiting--
		t.now.Waiting = t.waiting
	}
	if e.flags&hit != 0 {
		t.ended(now)
	}
}

func (t *tally) died(reason string, now int64) {
	t.dead[reason]++
	t.now.Dead++
	t.waiting--
	t.now.Waiting = t.waiting
	t.ended(now)
}

func (t *tally) ended(now int64) {
	t.open--
	t.last = now
	t.now.Ended++
}

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
