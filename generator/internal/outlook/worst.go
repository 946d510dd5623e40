package outlook

import (
	"math"
	"slices"
	"time"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/templates/worker"
)

// Worst is a job that never succeeds and that uses up every counter first: it fails, is throttled, crashes alone and in
// company, is interrupted and snoozes, in whatever order and of whatever classes make the most of it.
type Worst struct {
	Counts     [6]int        // attempts charged to each counter, by worker.Counter
	Runs       int           // of the handler: all of these, and the one after which the job is dead
	HandlerFor time.Duration // that they can take together
	LedgerRows int           // one for each
	Traffic    Traffic       // with the longest waits
	Window     bool          // caps.window ends it before the counters do
}

// spending is what the worst depends on.
type spending struct {
	ladder  *plan.Ladder // of those without one of their class
	timeout time.Duration
	traffic string // where it goes
}

// Worst is that of the queue's jobs of a tier.
func (o *Outlook) Worst(q *plan.Queue, tier string) Worst {
	l, _ := o.ladderOf(q, tier, End{})
	key := spending{l, q.Timeout.V, Route(q)}
	if w, known := o.worst[key]; known {
		return w
	}
	w := o.spend(q, tier)
	o.worst[key] = w
	return w
}

func (o *Outlook) spend(q *plan.Queue, tier string) Worst {
	var w Worst
	window := o.plan.Caps.Window.V
	waits := o.widest(q, tier)
	var taken []Span
	for counter, n := range mostWithin(waits, window) {
		w.Counts[counter] = n
		w.Runs += n
		w.Window = w.Window || n < len(waits[counter])
		taken = append(taken, waits[counter][:n]...)
	}
	w.Traffic = traffic(q, taken)
	w.Runs++
	w.LedgerRows = w.Runs
	w.HandlerFor = o.handlerFor(q, w.Runs)
	return w
}

// widest are, for each counter, the least and the longest that its n-th charge can make a job wait, whatever the class is.
// As many as there are, the counter can be charged without the job's being dead.
func (o *Outlook) widest(q *plan.Queue, tier string) [6][]Span {
	var waits [6][]Span
	add := func(counter worker.Counter, end End) {
		var l *plan.Ladder
		if counter != worker.Interrupts && counter != worker.Snoozes {
			l, _ = o.ladderOf(q, tier, end)
		}
		for k, wait := range o.climbOf(l, counter).Waits() {
			if k == len(waits[counter]) {
				waits[counter] = append(waits[counter], Span{Least: wait.Least})
			}
			w := &waits[counter][k]
			w.Least, w.Longest = min(w.Least, wait.Least), max(w.Longest, wait.Longest)
		}
	}
	for _, e := range o.ends {
		if e.Permanent {
			continue
		}
		add(e.Counter, e)
		if e.Crash {
			add(worker.SharedCrashes, e)
		}
	}
	return waits
}

// mostWithin is how many of each list can be taken, each from its front, so that together they are as many as can be and no
// longer than the window. All fit, as a rule.
func mostWithin(waits [6][]Span, window time.Duration) (counts [6]int) {
	var sum time.Duration
	for counter, list := range waits {
		counts[counter] = len(list)
		for _, wait := range list {
			sum = saturatingSum(sum, wait.Least)
		}
	}
	if sum <= window {
		return counts
	}
	// least[n] is the shortest time in which n can be taken of the lists so far, and taken[n] how many of each.
	least, taken := []time.Duration{0}, [][6]int{{}}
	for counter, list := range waits {
		prefix := []time.Duration{0}
		for _, wait := range list {
			prefix = append(prefix, saturatingSum(prefix[len(prefix)-1], wait.Least))
		}
		next := slices.Repeat([]time.Duration{math.MaxInt64}, len(least)+len(list))
		from := make([][6]int, len(next))
		for n, before := range least {
			for k, more := range prefix {
				if total := saturatingSum(before, more); total < next[n+k] {
					next[n+k], from[n+k] = total, taken[n]
					from[n+k][counter] = k
				}
			}
		}
		least, taken = next, from
	}
	for n := len(least) - 1; n > 0; n-- {
		if least[n] <= window {
			return taken[n]
		}
	}
	return [6]int{}
}

func saturatingSum(a, b time.Duration) time.Duration {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

func saturating(n int, d time.Duration) time.Duration {
	if d > 0 && time.Duration(n) > math.MaxInt64/d {
		return math.MaxInt64
	}
	return time.Duration(n) * d
}
