package simulate

import (
	"fmt"
	"time"

	"github.com/retryc/retryc/templates/worker"
)

// Run plays a scenario until every job has ended that the outage has hit.
func Run(s Scenario) (*Result, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	r := &run{Scenario: s, arrive: s.arrivals(), outage: s.Outage.Milliseconds(), free: s.Slots}
	r.tally.init(&s)
	for second := int64(0); r.more(second); second++ {
		if err := r.play(second); err != nil {
			return nil, err
		}
	}
	return r.tally.result(&s), nil
}

// run is a scenario being played.
type run struct {
	Scenario
	tally  tally
	wheel  wheel
	arrive arrivals
	outage int64
	now    int64 // ms
	taken  int   // of the capacity, in this second
	free   int   // slots
	ready  fifo  // due, and without a slot
	events int64
}

func (r *run) more(second int64) bool {
	r.tally.complete = second*1000 >= r.outage && r.tally.open == 0
	return !r.tally.complete && second*1000 < longest.Milliseconds() && r.events < mostEvents
}

func (r *run) play(second int64) error {
	start := second * 1000
	busy := r.wheel.turn(second)
	r.taken = 0
	r.tally.turn(second)
	if !busy && start >= r.outage && r.Slots == 0 && r.Takes == 0 { // all that arrive succeed at once
		r.tally.plain(r.arrive.before(start+1000) - r.arrive.before(start))
		return nil
	}
	arrived := r.arrive.before(start)
	if !busy && arrived == r.arrive.before(start+1000) && r.ready.len() == 0 {
		return nil
	}
	for r.now = start; r.now < start+1000; r.now++ {
		r.wheel.drain(&r.wheel.ms[r.now-start], r.happen)
		for until := r.arrive.before(r.now + 1); arrived < until; arrived++ {
			r.due(r.arrived(arrived))
		}
		for r.free > 0 && r.ready.len() > 0 {
			r.begin(r.ready.take())
		}
	}
	if r.tally.waiting > mostWaiting || r.ready.len() > mostWaiting {
		return fmt.Errorf("more than %d million jobs wait at once: a tenth of the rate and of the capacity shows the same in less memory", mostWaiting/1_000_000)
	}
	if r.events > mostEvents && second*1000 < r.outage {
		return fmt.Errorf("more than %d million retries come in the outage: a tenth of the rate and of the capacity shows the same in less time", mostEvents/1_000_000)
	}
	return nil
}

func (r *run) arrived(job int64) event {
	e := event{job: uint32(job)} // which is enough for a seed
	if r.now < r.outage {
		r.tally.open++
		e.flags = hit
	}
	return e
}

func (r *run) happen(e event) {
	r.events++
	if e.flags&ending == 0 {
		r.due(e)
		return
	}
	if r.Slots > 0 {
		r.free++
	}
	e.flags &^= ending
	r.end(e)
}

func (r *run) due(e event) {
	if r.Slots > 0 && (r.free == 0 || r.ready.len() > 0) {
		r.ready.add(e)
		return
	}
	r.begin(e)
}

// begin starts a run. How it ends is known from where the other side stands now.
func (r *run) begin(e event) {
	attempt := int(e.failures + e.throttles)
	if attempt == 0 {
		e.first = uint32(r.now)
	}
	r.tally.attempt(e)
	takes := r.Takes
	e.flags &^= failed | overloaded
	switch {
	case r.now < r.outage && (r.Failing >= 1 || worker.Fraction(^worker.Seed(r.Seed, int(e.job), attempt)) < r.Failing):
		e.flags |= failed
		takes = r.FailsIn
	case r.Capacity > 0 && r.taken >= r.Capacity:
		e.flags |= failed | overloaded
	default:
		r.taken++
	}
	if e.flags&(failed|hit) == failed {
		r.tally.open++
		e.flags |= hit
	}
	if takes == 0 {
		r.end(e)
		return
	}
	if r.Slots > 0 {
		r.free--
	}
	e.flags |= ending
	r.wheel.add(e, r.now+takes.Milliseconds())
}

// end is what the worker does with the end of a run.
func (r *run) end(e event) {
	if e.flags&failed == 0 {
		r.tally.succeeded(e, r.now)
		return
	}
	r.tally.failed(e)
	class := &r.Down
	if e.flags&overloaded != 0 {
		class = &r.Overload
	}
	if class.Throttles {
		e.throttles++
	} else {
		e.failures++
	}
	asked := time.Duration(0)
	switch {
	case !class.Honors:
	case !r.AskedEnd:
		asked = r.Asked
	case r.now < r.outage:
		asked = time.Duration(r.outage-r.now) * time.Millisecond
	}
	elapsed := time.Duration(r.now-int64(e.first)) * time.Millisecond
	spent := worker.Spent{Failures: int(e.failures), Throttles: int(e.throttles)}
	delay, dead := class.Decider.Decide(spent, asked, elapsed, worker.Seed(r.Seed, int(e.job), spent.Failures+spent.Throttles))
	if dead != "" {
		r.tally.died(dead, r.now)
		return
	}
	if at := r.now + delay.Milliseconds(); at < longest.Milliseconds() {
		r.wheel.add(e, at)
	}
}

// fifo is a queue of events that never shrinks: what was taken is used again once all is.
type fifo struct {
	events []event
	first  int
}

func (f *fifo) len() int { return len(f.events) - f.first }

func (f *fifo) add(e event) { f.events = append(f.events, e) }

func (f *fifo) take() event {
	e := f.events[f.first]
	f.first++
	if f.first == len(f.events) || f.first > 1<<20 && f.first > len(f.events)/2 {
		f.events = append(f.events[:0], f.events[f.first:]...)
		f.first = 0
	}
	return e
}
