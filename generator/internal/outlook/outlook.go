// Package outlook is what a policy means for a job: which ladder it climbs, how often it is attempted, how long it waits,
// what ends it, and what it takes until then. It is computed from a plan that no stage has found an error in, and every
// decision in it is the worker's own, so that it says what will be done.
//
//	o := outlook.Of(p)
//	for _, end := range o.Ends() {                  // the ways in which an attempt can end
//		c := o.Course(queue, tier, end)             // a job whose attempts all end so; tier "" is none
//		c.Ladder, c.Chosen, c.Steps, c.Typical      // what it climbs and why, wait by wait, and how it goes
//	}
//	w := o.Worst(queue, tier)                       // a job that uses up every counter
//
// A course comes in three: Soonest, where each wait is as short as its jitter allows and handlers take no time; Typical, with
// waits as they are on the average; and Latest, with the longest waits and handlers that take their whole timeout. What only
// a handler or a server decides (a Snooze, a Retry-After) is in none of them: Course.Asked says how long a server can ask for.
package outlook

import (
	"time"

	"github.com/retryc/retryc/generator/internal/plan"
)

// Outlook is the meaning of one plan. It remembers what was computed: many queues share a ladder. It is for one
// goroutine.
type Outlook struct {
	plan  *plan.Plan
	ends  []End
	walks map[climb]*walked
	worst map[spending]Worst
}

// Of is the meaning of p.
func Of(p *plan.Plan) *Outlook {
	return &Outlook{plan: p, ends: endsOf(p), walks: map[climb]*walked{}, worst: map[spending]Worst{}}
}

// Ends are the ways in which an attempt can end without success: the classes of the spec in its order, then those that
// every worker has.
func (o *Outlook) Ends() []End { return o.ends }

// End finds the one of that name; of a class that is for crashes too, the one that is not.
func (o *Outlook) End(name string) (End, bool) {
	for _, e := range o.ends {
		if e.Name == name {
			return e, true
		}
	}
	return End{}, false
}

// Tiers are those by which jobs of the queue climb other ladders. The first is "": none, or one that the spec does not
// name.
func (o *Outlook) Tiers(q *plan.Queue) []string {
	tiers := []string{""}
	if q.Tier == nil || o.plan.Tenants == nil {
		return tiers
	}
	for _, t := range o.plan.Tenants.Ladders {
		if reaches(q.Tier, t.Tier.V) {
			tiers = append(tiers, t.Tier.V)
		}
	}
	return tiers
}

// reaches reports whether the field can have the value: an enum lists all it can.
func reaches(f *plan.Field, value string) bool {
	if f.Type.Kind != plan.Enum {
		return true
	}
	for _, v := range f.Type.Values {
		if v.Value.V == value {
			return true
		}
	}
	return false
}

// Span is a length of time as short, as usual and as long as it can be.
type Span struct{ Least, Mean, Longest time.Duration }
