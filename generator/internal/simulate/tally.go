package simulate

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
