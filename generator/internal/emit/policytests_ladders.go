package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/retryc/retryc/generator/internal/plan"
)

// ladderCases makes a row a ladder:
//
//	{"short", &shortLadder, []span{
//		{22500 * time.Millisecond, 37500 * time.Millisecond},
//		{90 * time.Second, 150 * time.Second},
//	}}
func ladderCases(p *plan.Plan) []jen.Code {
	var cases []jen.Code
	for _, l := range p.Ladders {
		var spans []jen.Code
		for _, w := range l.Waits(p.Caps) {
			spans = append(spans, jen.Values(duration(w.Least), duration(w.Longest)))
		}
		waits := jen.Nil()
		if len(spans) > 0 {
			waits = jen.Index().Id("span").Add(lines(spans...))
		}
		cases = append(cases, jen.Values(jen.Lit(l.Name.V), jen.Op("&").Id(l.GoName), waits))
	}
	return cases
}

// choiceCases makes rows that show which ladder wins: each queue's own, each tier's, and each class's that has one.
//
//	{&weeklyDigestQueue, "", "", &standardLadder},
//	{&weeklyDigestQueue, "free", "", &shortLadder},
//	{&weeklyDigestQueue, "free", "throttled", &gentleLadder},
func choiceCases(p *plan.Plan) []string {
	var cases []string
	row := func(q *plan.Queue, tier, class string, l *plan.Ladder) {
		cases = append(cases, "{&"+q.Var+", "+quoted(tier)+", "+quoted(class)+", &"+l.GoName+"},")
	}
	for _, q := range p.Queues {
		row(q, "", "", q.Ladder)
	}
	if len(p.Queues) == 0 {
		return nil
	}
	first, tier := p.Queues[0], ""
	if p.Tenants != nil {
		for _, t := range p.Tenants.Ladders {
			tier = t.Tier.V
			row(first, tier, "", t.Ladder)
		}
	}
	for _, c := range p.Classes {
		if c.Ladder != nil {
			row(first, tier, c.Name.V, c.Ladder)
		}
	}
	return cases
}

// capCases makes {failures, 6} and so on.
func capCases(c plan.Caps) []jen.Code {
	row := func(budget string, n int) jen.Code { return jen.Values(jen.Id(budget), jen.Lit(n)) }
	return []jen.Code{
		row("failures", c.Attempts.V), row("throttles", c.Throttles.V), row("crashes", c.Crashes.V), row("sharedCrashes", 3*c.Crashes.V),
		row("interrupts", c.Interrupts.V), row("snoozes", c.Snoozes.V),
	}
}
