package generator

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/retryc/retryc/generator/internal/outlook"
	"github.com/retryc/retryc/generator/internal/picture"
	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/generator/internal/simulate"
	"github.com/retryc/retryc/spec"
	"github.com/retryc/retryc/spec/diag"
	"github.com/retryc/retryc/templates/worker"
)

// What simulate gives its callers.
type (
	Scenario  = simulate.Scenario
	Rate      = simulate.Rate
	Bound     = simulate.Bound
	Simulated = simulate.Simulated
	Moment    = simulate.Moment
	Rung      = simulate.Rung
	Column    = simulate.Column
)

// NiceTop is a number for the top of an axis.
func NiceTop(n int) int { return simulate.NiceTop(n) }

// Grouped is a number with a comma after each thousand.
func Grouped(n int) string { return picture.Grouped(n) }

// Duration is a length of time as retry.yaml has it.
func Duration(d time.Duration) string { return plan.Duration(d) }

// ParseDuration reads one, above zero.
func ParseDuration(text string) (time.Duration, bool) { return spec.Duration(text) }

// Bounds reads a list such as dead=1%,peak=5x,recovery=6x,drain=2h.
func Bounds(text string) ([]Bound, error) { return simulate.Bounds(text, spec.Duration) }

// Outage says which jobs of a spec meet a scenario.
type Outage struct {
	Queue           string // empty: the only one
	Tier            string // of the jobs' tenants; empty: none that has a ladder
	Class, Overload string // of the errors in the outage, and of those above the capacity; empty: that of an HTTP 503, or a 429
	Workers         int    // processes; 0: as many as are needed
}

// Simulation is what came of an outage.
type Simulation struct {
	Queue          string
	Down, Overload Climb
	Simulated
}

// SVG is a picture of it, with what is played and what came of it in words.
func (s *Simulation) SVG(title string, premise, outcome []string) []byte {
	o := picture.Outage{Title: title, Premise: premise, Outcome: outcome, Time: plan.Duration, Simulated: s.Simulated}
	return o.SVG()
}

// ClassOf is the class of the errors after which the rung is climbed.
func (s *Simulation) ClassOf(r Rung) string {
	if r.Overload {
		return s.Overload.Class
	}
	return s.Down.Class
}

// Climb is how jobs that fail are treated.
type Climb struct {
	Class  string
	Ladder string // how it is called
	Waits  string // of its rungs: 30s, 2m, 10m ±25%
}

// Simulate plays a scenario with a queue of the spec at path. There is no simulation if the spec has an error; that is in the result.
func Simulate(path string, o Outage, s Scenario) (*Simulation, *Result, error) {
	result, p, _, err := resolve(path)
	if err != nil {
		return nil, nil, err
	}
	if result.Diagnostics.HasErrors() {
		return nil, result, nil
	}
	q, err := queueNamed(path, p, o.Queue)
	if err != nil {
		return nil, nil, err
	}
	out := &Simulation{Queue: q.Name.V}
	tier, err := tierLadder(p, q, o.Tier)
	if err != nil {
		return nil, nil, err
	}
	if s.Down, out.Down, err = failing(p, q, tier, o.Class, 503); err != nil {
		return nil, nil, err
	}
	if s.Overload, out.Overload, err = failing(p, q, tier, o.Overload, 429); err != nil {
		return nil, nil, err
	}
	if out.Overload == out.Down {
		s.Overload = s.Down
	}
	switch {
	case (s.Asked > 0 || s.AskedEnd) && !s.Down.Honors && (s.Capacity == 0 || !s.Overload.Honors):
		return nil, nil, fmt.Errorf("the class %s does not honour a Retry-After: give it retry_after: honor, or leave --retry-after out", out.Down.Class)
	case s.Takes > q.Timeout.V || s.FailsIn > q.Timeout.V:
		return nil, nil, fmt.Errorf("no run takes longer than %s, the timeout of the queue %s", plan.Duration(q.Timeout.V), q.Name.V)
	}
	s.Slots = o.Workers * q.Concurrency
	out.Scenario = s
	if out.Result, err = simulate.Run(s); err != nil {
		return nil, nil, err
	}
	return out, result, nil
}

// queueNamed finds a queue; without a name, the only one.
func queueNamed(path string, p *plan.Plan, name string) (*plan.Queue, error) {
	if name == "" && len(p.Queues) == 1 {
		return p.Queues[0], nil
	}
	for _, q := range p.Queues {
		if q.Name.V == name {
			return q, nil
		}
	}
	if name == "" {
		return nil, fmt.Errorf("%s has several queues: name one of %s", path, strings.Join(queueNames(p.Queues), ", "))
	}
	return nil, noQueue(path, name, p.Queues)
}

// tierLadder is the ladder of a tier; nil where none is named.
func tierLadder(p *plan.Plan, q *plan.Queue, tier string) (*plan.Ladder, error) {
	if tier == "" {
		return nil, nil
	}
	if p.Tenants == nil || len(p.Tenants.Ladders) == 0 || q.Tier == nil {
		return nil, fmt.Errorf("jobs of the queue %s have no tier: tenants names no field of its payload, or no ladders", q.Name.V)
	}
	var tiers []string
	for _, t := range p.Tenants.Ladders {
		if t.Tier.V == tier {
			return t.Ladder, nil
		}
		tiers = append(tiers, t.Tier.V)
	}
	return nil, fmt.Errorf("there is no ladder for the tier %q: %s", tier, other(tier, tiers))
}

// failing is how errors of a class are treated; without a name, those with an HTTP status.
func failing(p *plan.Plan, q *plan.Queue, tier *plan.Ladder, name string, status int) (simulate.Class, Climb, error) {
	if name == "" {
		name = classOfStatus(p, status)
	}
	end, err := endNamed(outlook.Of(p), name)
	if err != nil {
		return simulate.Class{}, Climb{}, err
	}
	if end.Counter != worker.Failures && end.Counter != worker.Throttles {
		return simulate.Class{}, Climb{}, fmt.Errorf("%s is no error that a handler returns: name the class of one", name)
	}
	caps := p.Caps
	f := worker.Failing{
		Permanent: end.Permanent, Throttles: end.Counter == worker.Throttles,
		Class: rungsOf(end.Ladder), Tier: rungsOf(tier), Queue: rungsOf(q.Ladder),
		Caps: worker.Caps{
			Attempts: caps.Attempts.V, Throttles: caps.Throttles.V,
			Delay: caps.Delay.V, RetryAfter: caps.RetryAfter.V, Window: caps.Window.V,
		},
	}
	text := Climb{Class: name}
	if l := cmp.Or(end.Ladder, tier, q.Ladder); !end.Permanent {
		text.Ladder, text.Waits = l.Name.V, l.Text()
	}
	return simulate.Class{Decider: f.Decider(), Throttles: f.Throttles, Honors: end.RetryAfter}, text, nil
}

// endNamed finds the class of an error, or one that every worker has.
func endNamed(o *outlook.Outlook, name string) (outlook.End, error) {
	end, found := o.End(name)
	if !found {
		var names []string
		for _, e := range o.Ends() {
			names = append(names, e.Name)
		}
		return end, fmt.Errorf("there is no class %q: %s", name, other(name, names))
	}
	return end, nil
}

// classOfStatus is the first class that matches an HTTP status, whatever else the error is.
func classOfStatus(p *plan.Plan, status int) string {
	for _, c := range p.Classes {
		if slices.ContainsFunc(c.When, func(w *plan.Condition) bool {
			return slices.ContainsFunc(w.HTTP, func(s plan.Status) bool {
				return s.Code == status && !s.Family || s.Family && s.Code == status/100
			})
		}) {
			return c.Name.V
		}
	}
	return "unmatched"
}

func rungsOf(l *plan.Ladder) *worker.Ladder {
	if l == nil {
		return nil
	}
	rungs := make([]time.Duration, len(l.Rungs))
	for i, r := range l.Rungs {
		rungs[i] = r.V
	}
	return &worker.Ladder{Rungs: rungs, Min: l.Min, Max: l.Max}
}

func queueNames(queues []*plan.Queue) (names []string) {
	for _, q := range queues {
		names = append(names, q.Name.V)
	}
	return names
}

func noQueue(path, name string, queues []*plan.Queue) error {
	return fmt.Errorf("there is no queue %q in %s: %s", name, path, other(name, queueNames(queues)))
}

// other says which name was probably meant, or which there are.
func other(word string, names []string) string {
	guess := diag.Nearest(word, names)
	switch {
	case guess != "":
		return "did you mean " + guess + "?"
	case len(names) == 0:
		return "it has none"
	}
	return "it has " + strings.Join(names, ", ")
}
