package simulate

import "time"

// Column is what happened in a length of time.
type Column struct {
	At             time.Duration // since the beginning of the outage
	First, Retries int           // attempts
	Busiest        Second        // the second of it with the most attempts
	Failed, Dead   int           // attempts, jobs
	Waiting        int           // jobs that have failed and will run again, at its end
}

// steps are lengths of time that people count in.
var steps = []time.Duration{
	time.Second, 2 * time.Second, 3 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 20 * time.Second, 30 * time.Second,
	time.Minute, 90 * time.Second, 2 * time.Minute, 3 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 20 * time.Minute,
	30 * time.Minute, time.Hour, 2 * time.Hour, 3 * time.Hour, 4 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour,
}

// Step is the shortest of a few usual lengths of which no more than most make up a time.
func Step(d time.Duration, most int) time.Duration {
	for _, step := range steps {
		if d <= time.Duration(most)*step {
			return step
		}
	}
	return steps[len(steps)-1]
}

// Columns are the seconds before until, in columns of one length, as many as most allows.
func (r *Result) Columns(until time.Duration, most int) (step time.Duration, columns []Column) {
	until = min(until, r.Length())
	step = Step(until, most)
	size := int(step / time.Second)
	for i, s := range r.Seconds[:until/time.Second] {
		if i%size == 0 {
			columns = append(columns, Column{At: time.Duration(i) * time.Second})
		}
		c := &columns[len(columns)-1]
		c.First += s.First
		c.Retries += s.Retries
		c.Failed += s.Failed
		c.Dead += s.Dead
		c.Waiting = s.Waiting
		if s.First+s.Retries > c.Busiest.First+c.Busiest.Retries || i%size == 0 {
			c.Busiest = s
		}
	}
	return step, columns
}

// Length is how long was simulated.
func (r *Result) Length() time.Duration { return time.Duration(len(r.Seconds)) * time.Second }

// Shown is what a picture has room for: a tail of few jobs would leave none for the rest.
func (s *Simulated) Shown() time.Duration {
	if tail := s.Most + s.Most/2; s.Complete && s.Drain > tail+s.Outage/2 {
		return (s.Outage + tail + s.Outage/2).Truncate(time.Second)
	}
	return s.Length()
}

// NiceTop is a number for the top of an axis, not below n, whose half and quarter are whole.
func NiceTop(n int) int {
	for unit := 4; ; unit *= 10 {
		for _, f := range []int{1, 2, 3, 4, 5, 6, 8} {
			if f*unit >= n {
				return f * unit
			}
		}
	}
}
