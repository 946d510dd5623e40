package emit

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/retryc/retryc/generator/internal/plan"
)

// policyInWords says what policy_gen.go says.
func policyInWords(text *prose, p *plan.Plan) {
	if len(p.Queues) > 0 {
		text.heading("Queues")
	}
	for _, q := range p.Queues {
		text.item(queueInWords(q))
	}
	text.heading("Ladders")
	text.paragraph(fmt.Sprintf("The waits after the first failure, the second, and so on. None is longer than %s.", plan.Duration(p.Caps.Delay.V)))
	for _, l := range p.Ladders {
		text.item(ladderInWords(l))
	}
	if p.Tenants != nil && len(p.Tenants.Ladders) > 0 {
		text.paragraph("A job climbs the ladder of its error's class; where that names none, the one of its " + p.Tenants.Tier + "; else the one of its queue.")
		for _, t := range p.Tenants.Ladders {
			text.item(fmt.Sprintf("%s %s: %s", p.Tenants.Tier, t.Tier.V, t.Ladder.Name.V))
		}
	}
	if len(p.Classes) > 0 {
		text.heading("Error classes")
		text.paragraph("The first that matches wins. An error that none matches is " + p.Unmatched + ".")
		for i, c := range p.Classes {
			text.numbered(i+1, classInWords(c))
		}
	}
	text.heading("Caps")
	c := p.Caps
	text.paragraph(fmt.Sprintf("A job is given up after %s, %s, %s, %s by a stopping worker or %s; %s after its first attempt; and when a server asks for a wait beyond %s.",
		count(c.Attempts.V, "failure", "failures"), count(c.Throttles.V, "throttle", "throttles"), count(c.Crashes.V, "crash", "crashes"),
		count(c.Interrupts.V, "interruption", "interruptions"), count(c.Snoozes.V, "snooze", "snoozes"), plan.Duration(c.Window.V), plan.Duration(c.RetryAfter.V)))
}

// retentionInWords says what Purge does, where there is one.
func retentionInWords(text *prose, p *plan.Plan) {
	r := p.Ledger.Retention
	if r == nil {
		return
	}
	text.heading("Retention")
	kept := plan.Duration(r.Attempts.V) + " after its end"
	if r.Keys != r.Attempts.V {
		kept += ", or " + plan.Duration(r.Keys) + " where it has a key"
	}
	text.paragraph("Purge deletes a finished job " + kept + ", with all its attempts; a key is free from then on. Jobs that are not finished, and dead ones, stay. " +
		"Nothing calls Purge but your own program. What it has deleted is on record in " + r.PurgeTable + ".")
}

func queueInWords(q *plan.Queue) string {
	s := fmt.Sprintf("%s: ladder %s; %d at once in one process; a run takes at most %s", q.Name.V, q.Ladder.Name.V, q.Concurrency, plan.Duration(q.Timeout.V))
	if len(q.Key) > 0 {
		s += "; its key is " + listed(fieldNames(q.Key), "and")
	}
	return s
}

func fieldNames(fields []*plan.Field) []string {
	var names []string
	for _, f := range fields {
		names = append(names, f.Name.V)
	}
	return names
}

func ladderInWords(l *plan.Ladder) string {
	var waits []string
	for i, r := range l.Rungs {
		if last := len(l.Rungs) - 1; i == 12 && i < last {
			waits = append(waits, "…", plan.Duration(l.Rungs[last].V))
			break
		}
		waits = append(waits, plan.Duration(r.V))
	}
	s := l.Name.V + ": " + strings.Join(waits, ", ")
	if l.Min != 1 || l.Max != 1 {
		s += fmt.Sprintf("; each times %s to %s, at random", factor(l.Min), factor(l.Max))
	}
	return s
}

func factor(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

func classInWords(c *plan.Class) string {
	var when []string
	for _, w := range c.When {
		when = append(when, conditionInWords(w))
	}
	s := fmt.Sprintf("%s, %s: %s.", c.Name.V, c.Outcome, strings.Join(when, "; "))
	if c.Ladder != nil {
		s += " Ladder " + c.Ladder.Name.V + "."
	}
	if c.Budget != "failures" {
		s += " It counts as one of its " + c.Budget + "."
	}
	if c.RetryAfter {
		s += " A wait that the server asks for is kept."
	}
	return s
}

func conditionInWords(w *plan.Condition) string {
	switch {
	case len(w.HTTP) > 0:
		var codes []string
		for _, s := range w.HTTP {
			code := strconv.Itoa(s.Code)
			if s.Family {
				code += "xx"
			}
			codes = append(codes, code)
		}
		return "HTTP status " + listed(codes, "or")
	case w.Is != nil:
		return refText(w.Is)
	case w.As != nil:
		return "any " + refText(w.As)
	case len(w.SQLState) > 0:
		var codes []string
		for _, s := range w.SQLState {
			codes = append(codes, s.V)
		}
		return "SQLSTATE " + listed(codes, "or")
	case w.Event != plan.NoEvent:
		return eventsInWords[w.Event]
	}
	return "a text that matches " + w.Message.V
}

var eventsInWords = map[plan.Event]string{
	plan.Timeout: "a timeout", plan.Crash: "a process that died", plan.Panic: "a panic",
	plan.Undecodable: "a payload that cannot be decoded", plan.Invalid: "a payload that breaks a rule",
}
