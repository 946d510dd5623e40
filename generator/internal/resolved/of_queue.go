package resolved

import (
	"strings"
	"time"

	"github.com/retryc/retryc/generator/internal/outlook"
	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/templates/worker"
)

// queues resolves queues. Many have the same outlook, which is then made once, and is one slice in all of them.
type queues struct {
	plan  *plan.Plan
	o     *outlook.Outlook
	tiers map[tiersOf][]Tier
}

// tiersOf is what the outlook of a queue depends on.
type tiersOf struct {
	ladder  *plan.Ladder
	own     bool // it names its ladder
	timeout time.Duration
	route   string
	tiers   string
}

func (qs *queues) resolve(q *plan.Queue) Queue {
	out := Queue{
		Name: q.Name.V, GoName: q.GoName, Payload: fieldsOf(q.Payload), Key: []string{}, Ladder: q.Ladder.Name.V,
		Concurrency: q.Concurrency, Timeout: Duration{q.Timeout.V}, Lease: Duration{q.Lease.V}, SQLFunction: q.SQLFunction,
		TenantID: nameOf(q.TenantID), Tier: nameOf(q.Tier), Downstream: downstreamOf(q.Downstream), Backend: backendOf(q.Backend), Objectives: objectivesOf(qs.plan, q.Objectives), Tiers: qs.outlook(q),
	}
	for _, f := range q.Key {
		out.Key = append(out.Key, f.Name.V)
	}
	return out
}

func (qs *queues) outlook(q *plan.Queue) []Tier {
	names := qs.o.Tiers(q)
	key := tiersOf{ladder: q.Ladder, own: q.Spec.Ladder.Set(), timeout: q.Timeout.V, route: outlook.Route(q), tiers: strings.Join(names, "\x00")}
	if tiers := qs.tiers[key]; tiers != nil {
		return tiers
	}
	var tiers []Tier
	for _, name := range names {
		t := Tier{Tier: name, Ends: make([]End, 0, len(qs.o.Ends())), Worst: worstOf(qs.plan, qs.o, qs.o.Worst(q, name))}
		for _, e := range qs.o.Ends() {
			t.Ends = append(t.Ends, endOf(qs.plan, qs.o, qs.o.Course(q, name, e)))
		}
		tiers = append(tiers, t)
	}
	qs.tiers[key] = tiers
	return tiers
}

func downstreamOf(d *plan.Downstream) *Downstream {
	if d == nil {
		return nil
	}
	return &Downstream{d.Requests, Duration{d.Per}, Duration{d.Run}, d.Processes}
}

func nameOf(f *plan.Field) string {
	if f == nil {
		return ""
	}
	return f.Name.V
}

func fieldsOf(s *plan.Struct) []Field {
	fields := make([]Field, 0, len(s.Fields))
	for _, f := range s.Fields {
		fields = append(fields, Field{Name: f.Name.V, GoName: f.GoName, Required: f.Required(), Default: f.Default, Type: typeOf(f.Type)})
	}
	return fields
}

func typeOf(t *plan.Type) Type {
	out := Type{Type: string(t.Kind)}
	if t.URI {
		out.Format = "uri"
	}
	for _, v := range t.Values {
		out.Enum = append(out.Enum, v.Value.V)
	}
	if t.Elem != nil {
		elem := typeOf(t.Elem)
		if t.Kind == plan.Map {
			out.Values = &elem
		} else {
			out.Items = &elem
		}
	}
	if t.Struct != nil {
		out.Fields = fieldsOf(t.Struct)
	}
	return out
}

func backendOf(b *plan.Backend) *Backend {
	if b == nil {
		return nil
	}
	out := &Backend{Broker: b.Broker.Name, Variable: b.Variable, BaseURLVariable: b.BaseURL, PushVariable: b.PushSecret, Queue: b.Queue, PayloadIn: "row", NativeDeadLetter: b.DeadLetter}
	if b.Carried {
		out.PayloadIn = "message"
	}
	return out
}

func endOf(p *plan.Plan, o *outlook.Outlook, c outlook.Course) End {
	out := End{
		Class: c.End.Name, Crash: c.End.Crash, Outcome: "transient", Budget: c.End.Counter.String(), LadderOf: c.Chosen,
		Soonest: walkOf(c.Soonest), Typical: walkOf(c.Typical), Latest: walkOf(c.Latest),
		LongestWait: Duration{c.LongestWait}, MostWaited: Duration{c.MostWaited}, Asked: durationOrNil(c.Asked), Takes: takesOf(p, o, o.Takes(c)),
	}
	if c.End.Permanent {
		out.Outcome, out.Budget = "permanent", ""
	}
	if c.Ladder != nil {
		out.Ladder = c.Ladder.Name.V
	}
	return out
}

func walkOf(w outlook.Walk) Walk {
	return Walk{Attempts: w.Attempts, Waited: Duration{w.Waited}, Elapsed: Duration{w.Elapsed}, DeadReason: w.Reason}
}

func worstOf(p *plan.Plan, o *outlook.Outlook, w outlook.Worst) Worst {
	return Worst{
		Failures: w.Counts[worker.Failures], Throttles: w.Counts[worker.Throttles],
		Crashes: w.Counts[worker.Crashes], SharedCrashes: w.Counts[worker.SharedCrashes],
		Interrupts: w.Counts[worker.Interrupts], Snoozes: w.Counts[worker.Snoozes],
		Window: w.Window, Takes: takesOf(p, o, w.Takes()),
	}
}

func takesOf(p *plan.Plan, o *outlook.Outlook, t outlook.Takes) Takes {
	out := Takes{Runs: t.Runs, HandlerTime: Duration{t.HandlerFor}, LedgerRows: t.LedgerRows, Messages: t.Traffic.Messages, Requests: t.Traffic.Requests}
	if p.Prices != nil {
		cost := o.Cost(t)
		out.Cost = &cost
	}
	return out
}
