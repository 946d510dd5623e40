package outlook

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec"
	"github.com/retryc/retryc/spec/spectest"
	"github.com/retryc/retryc/templates/worker"
)

// Whatever the order in which a job's attempts end in one way or another, the worker's own decisions give it no more attempts
// than the worst has, and some order gives it as many.
func TestNoJobIsWorseThanTheWorst(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	bounded := 0
	for i := range 150 {
		text := randomSpec(random)
		p := planOf(t, text)
		o := Of(p)
		q := p.Queues[0]
		w := o.Worst(q, "")
		if w.Window {
			bounded++
		}
		climbs := o.climbsOf(q)
		most := 0
		for range 60 {
			most = max(most, worker.Attempts(climbs, func(int) int { return random.IntN(len(climbs)) }))
		}
		if best := worker.Attempts(o.spent(q, w, climbs)); best > most {
			most = best
		}
		if most != w.Runs {
			t.Fatalf("spec %d: the worst has %d attempts %v, and the worker allows %d:\n%s", i, w.Runs, w.Counts, most, text)
		}
	}
	if bounded < 20 || bounded > 130 {
		t.Errorf("the window bounds %d of the specs: try others", bounded)
	}
}

// climbsOf are all the ways in which an attempt of a queue's job can end that do not kill it at once.
func (o *Outlook) climbsOf(q *plan.Queue) (climbs []worker.Climb) {
	for _, e := range o.ends {
		if e.Permanent {
			continue
		}
		l, _ := o.ladderOf(q, "", e)
		climbs = append(climbs, o.climbOf(l, e.Counter))
		if e.Crash {
			climbs = append(climbs, o.climbOf(l, worker.SharedCrashes))
		}
	}
	return climbs
}

// spent takes the counts of the worst, the shortest wait of each first, and then whatever kills the job.
func (o *Outlook) spent(q *plan.Queue, w Worst, climbs []worker.Climb) ([]worker.Climb, func(n int) int) {
	var order []int
	for counter, n := range w.Counts {
		for k := range n {
			best := -1
			for i, c := range climbs {
				waits := c.Waits()
				if int(c.Counter) == counter && k < len(waits) && (best < 0 || waits[k].Least < climbs[best].Waits()[k].Least) {
					best = i
				}
			}
			order = append(order, best)
		}
	}
	last := 0
	for i, c := range climbs { // one that is used up, or whose wait passes the window
		if len(c.Waits()) == w.Counts[c.Counter] {
			last = i
		}
	}
	return climbs, func(n int) int {
		if n <= len(order) {
			return order[n-1]
		}
		return last
	}
}

func randomSpec(random *rand.Rand) string {
	n := func(most int) int { return 1 + random.IntN(most) }
	ladder := func() string {
		rungs := ""
		for range n(4) {
			rungs += fmt.Sprintf("%ds, ", n(400))
		}
		return fmt.Sprintf("{rungs: [%s], jitter: %s}", rungs[:len(rungs)-2], []string{"none", "25%", "full"}[random.IntN(3)])
	}
	window := time.Duration(n(3000)) * time.Second
	if random.IntN(3) == 0 {
		window = 1000 * time.Hour
	}
	return fmt.Sprintf(`caps: {attempts: %d, throttles: %d, crashes: %d, interrupts: %d, snoozes: %d, delay: %ds, window: %s}
error_classes:
  - {name: slow, outcome: transient, when: [{http: 429}], budget: throttles, ladder: b}
  - {name: busy, outcome: transient, when: [{http: 503}], ladder: c}
  - {name: died, outcome: %s, when: [{crash: true}]}
ladders: {a: %s, b: %s, c: %s}
default_ladder: a
queues: {q: {payload: {}}}
`, n(6), n(6), n(4), n(4), n(4), n(400), plan.Duration(window), []string{"transient", "permanent"}[random.IntN(2)], ladder(), ladder(), ladder())
}

func planOf(t *testing.T, snippet string) *plan.Plan {
	t.Helper()
	doc, refused := spec.Parse("retry.yaml", spectest.Overlay(snippet))
	p, list := plan.New(doc)
	if append(refused, list...).HasErrors() {
		t.Fatal(refused, list, snippet)
	}
	return p
}
