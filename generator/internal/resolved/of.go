package resolved

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/retryc/retryc/generator/internal/outlook"
	"github.com/retryc/retryc/generator/internal/plan"
)

// Of is the policy of a plan that no stage has found an error in.
func Of(p *plan.Plan) *Policy {
	out := &Policy{
		Form: Form,
		Generate: Generate{
			Package: p.Package, Go: p.GoDir, TypeScript: p.TypeScriptDir, Alerts: p.AlertsDir,
			Migrations: Migrations{Dir: p.MigrationsDir, Format: p.MigrationsFormat, Number: p.Spec.Generate.MigrationsNumber.Or(1)},
		},
		Caps:          capsOf(p.Caps),
		Classes:       []Class{},
		Unmatched:     p.Unmatched,
		Ladders:       []Ladder{},
		DefaultLadder: p.DefaultLadder.Name.V,
		Tenants:       tenantsOf(p.Tenants),
		Queues:        make([]Queue, 0, len(p.Queues)),
		Webhooks:      make([]Webhook, 0, len(p.Webhooks)),
		Worker:        Worker{Poll: Duration{p.Poll}, Grace: Duration{p.Grace}},
		Observability: "none",
		Ledger:        ledgerOf(p),
		Redrive:       redriveOf(p.Redrive),
		Prices:        PricesOf(p.Prices),
		Review: Review{
			MaxIncrease: maps.Clone(p.Review.MaxIncrease), MaxDecrease: maps.Clone(p.Review.MaxDecrease),
			Forbid: append([]string{}, p.Review.Forbid...),
		},
	}
	if p.Observer != nil {
		out.Observability = p.Observer.Name
	}
	for _, c := range p.Classes {
		out.Classes = append(out.Classes, classOf(c))
	}
	o := outlook.Of(p)
	for _, l := range p.Ladders {
		out.Ladders = append(out.Ladders, ladderOf(o, l))
	}
	qs := &queues{p, o, map[tiersOf][]Tier{}}
	for _, q := range p.Queues {
		out.Queues = append(out.Queues, qs.resolve(q))
	}
	for _, w := range p.Webhooks {
		out.Webhooks = append(out.Webhooks, webhookOf(w))
	}
	return out
}

func capsOf(c plan.Caps) Caps {
	return Caps{
		Attempts: c.Attempts.V, Throttles: c.Throttles.V, Crashes: c.Crashes.V, Interrupts: c.Interrupts.V, Snoozes: c.Snoozes.V,
		Delay: Duration{c.Delay.V}, RetryAfter: Duration{c.RetryAfter.V}, Window: Duration{c.Window.V},
	}
}

func classOf(c *plan.Class) Class {
	out := Class{Name: c.Name.V, Outcome: c.Outcome, When: []Condition{}, RetryAfter: c.RetryAfter, Budget: c.Budget}
	if c.Ladder != nil {
		out.Ladder = c.Ladder.Name.V
	}
	for _, w := range c.When {
		out.When = append(out.When, conditionOf(w))
	}
	return out
}

func conditionOf(w *plan.Condition) Condition {
	out := Condition{Message: w.Message.V, Event: string(w.Event), Is: refText(w.Is), As: refText(w.As)}
	for _, s := range w.HTTP {
		code := strconv.Itoa(s.Code)
		if s.Family {
			code += "xx"
		}
		out.HTTP = append(out.HTTP, code)
	}
	for _, s := range w.SQLState {
		out.SQLState = append(out.SQLState, s.V)
	}
	return out
}

func refText(r *plan.GoRef) string {
	if r == nil {
		return ""
	}
	s := r.Name
	if r.Path != "" {
		s = r.Path + "." + s
	}
	if r.Pointer {
		s = "*" + s
	}
	return s
}

func ladderOf(o *outlook.Outlook, l *plan.Ladder) Ladder {
	out := Ladder{Name: l.Name.V, Jitter: Jitter{l.Min, l.Max}, Rungs: []Duration{}, Waits: []Span{}}
	for _, r := range l.Rungs {
		out.Rungs = append(out.Rungs, Duration{r.V})
	}
	for _, w := range o.Rungs(l) {
		out.Waits = append(out.Waits, Span{Duration{w.Least}, Duration{w.Mean}, Duration{w.Longest}})
	}
	return out
}

func tenantsOf(t *plan.Tenants) *Tenants {
	if t == nil {
		return nil
	}
	out := &Tenants{ID: t.ID, Tier: t.Tier, Ladders: []TierLadder{}}
	for _, l := range t.Ladders {
		out.Ladders = append(out.Ladders, TierLadder{l.Tier.V, l.Ladder.Name.V})
	}
	return out
}

// PricesOf are the prices of a plan; nil where it has none.
func PricesOf(p *plan.Prices) *Prices {
	if p == nil {
		return nil
	}
	return &Prices{p.Currency, p.Publish, p.Request, p.HandlerSecond, p.LedgerRow}
}

func ledgerOf(p *plan.Plan) Ledger {
	l := p.Ledger
	out := Ledger{
		Dialect: l.Dialect.Name, Prefix: l.Prefix,
		Tables:      Tables{Job: l.JobTable, Attempt: l.AttemptTable, DeadLetter: l.DeadLetterView},
		Columns:     []Column{},
		Dropped:     []Dropped{},
		ErrorDetail: ErrorDetail{MaxBytes: l.DetailMax, Redact: []Redaction{}},
	}
	if r := l.Retention; r != nil {
		out.Tables.Purge = r.PurgeTable
		out.Retention = &Retention{Attempts: Duration{r.Attempts.V}, Keys: Duration{r.Keys}}
	}
	for i, c := range l.Columns {
		column := Column{Name: c.Name.V, Type: c.Type, From: c.From.V, Index: c.Index, RenamedFrom: p.Spec.Ledger.Columns[i].RenamedFrom.V}
		if c.Retyped.From.Set() {
			column.Retyped = &Retyping{c.Retyped.From.V, c.Retyped.Reason.V}
		}
		out.Columns = append(out.Columns, column)
	}
	for _, name := range slices.Sorted(maps.Keys(l.Dropped)) {
		out.Dropped = append(out.Dropped, Dropped{name, l.Dropped[name]})
	}
	for _, r := range l.Redact {
		out.ErrorDetail.Redact = append(out.ErrorDetail.Redact, Redaction{r.Name, r.Pattern})
	}
	return out
}

func durationOrNil(d time.Duration) *Duration {
	if d == 0 {
		return nil
	}
	return &Duration{d}
}
