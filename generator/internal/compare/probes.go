package compare

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/retryc/retryc/generator/internal/resolved"
)

// probe is an error to try the classes with: a status, a state, or the condition of a class as a text.
type probe struct {
	label string
	kind  string // http, sqlstate, is, as, message or event
	value string
}

// subject is an end of the base and the end of the head that it is compared with.
type subject struct {
	label       string
	before, now string // classes
	crash       bool
}

// taken is what an error is taken for by a policy: the first class that names it.
func taken(p *resolved.Policy, x probe) Taken {
	for _, c := range p.Classes {
		if slices.ContainsFunc(c.When, x.matches) {
			return Taken{c.Name, c.Outcome}
		}
	}
	if x.kind == "event" {
		return builtin(p, x.value)
	}
	return Taken{"unmatched", p.Unmatched}
}

// builtin is the class of an event that no class of the spec names.
func builtin(p *resolved.Policy, event string) Taken {
	switch event {
	case "crash":
		return Taken{"crashed", "transient"}
	case "timeout":
		return Taken{"timeout", "transient"}
	case "panic":
		return Taken{"panic", p.Unmatched}
	}
	return Taken{event, "permanent"}
}

func (x probe) matches(w resolved.Condition) bool {
	switch x.kind {
	case "http":
		return slices.ContainsFunc(w.HTTP, func(s string) bool { return s == x.value || s == x.value[:1]+"xx" })
	case "sqlstate":
		return slices.ContainsFunc(w.SQLState, func(s string) bool {
			prefix, wild := strings.CutSuffix(s, "*")
			return s == x.value || wild && strings.HasPrefix(x.value, prefix)
		})
	case "is":
		return w.Is == x.value
	case "as":
		return w.As == x.value
	case "message":
		return w.Message == x.value
	}
	return w.Event == x.value
}

// probesOf are the errors that one of the policies names, and every HTTP status.
func probesOf(policies ...*resolved.Policy) []probe {
	var probes []probe
	seen := map[probe]bool{}
	add := func(label, kind, value string) {
		if x := (probe{label, kind, value}); value != "" && !seen[x] {
			seen[x] = true
			probes = append(probes, x)
		}
	}
	for status := 100; status < 600; status++ {
		add("HTTP "+strconv.Itoa(status), "http", strconv.Itoa(status))
	}
	for _, event := range []string{"timeout", "crash", "panic", "undecodable", "invalid"} {
		add(eventsInWords[event], "event", event)
	}
	for _, p := range policies {
		for _, c := range p.Classes {
			for _, w := range c.When {
				for _, s := range w.SQLState {
					add("SQLSTATE "+s, "sqlstate", s)
				}
				add(w.Is, "is", w.Is)
				add("any "+w.As, "as", w.As)
				add(fmt.Sprintf("a text that matches %q", w.Message), "message", w.Message)
			}
		}
	}
	return probes
}

var eventsInWords = map[string]string{
	"timeout": "a timeout", "crash": "a process that died", "panic": "a panic",
	"undecodable": "a payload that cannot be decoded", "invalid": "a payload that breaks a rule",
}

// errors finds the errors that are taken for something else. One that no class names on either side is no news: what all
// of those are taken for is told once.
func (c *comparison) errors() {
	type change struct{ before, after Taken }
	var order []change
	found := map[change][]probe{}
	note := func(x probe, before, after Taken) {
		if before == after {
			return
		}
		k := change{before, after}
		if found[k] == nil {
			order = append(order, k)
		}
		found[k] = append(found[k], x)
	}
	for _, x := range probesOf(c.old, c.now) {
		before, after := taken(c.old, x), taken(c.now, x)
		if x.kind != "event" && before.Class == "unmatched" && after.Class == "unmatched" {
			continue
		}
		note(x, before, after)
	}
	note(probe{label: "an error that no class matches"}, Taken{"unmatched", c.old.Unmatched}, Taken{"unmatched", c.now.Unmatched})
	note(probe{label: "a handler that ends its goroutine"}, Taken{"exited", c.old.Unmatched}, Taken{"exited", c.now.Unmatched})
	for _, k := range order {
		c.report.Errors = append(c.report.Errors, ErrorChange{Errors: labelsOf(found[k]), Before: k.before, After: k.after})
		if k.before.Outcome != k.after.Outcome {
			c.kinds["outcome_changed"] = true
		}
		if k.before.Class != k.after.Class {
			c.move(found[k], k.before.Class, k.after.Class)
		}
	}
}

// move notes that errors are of another class. A process that died is counted in another way than other errors of its class.
func (c *comparison) move(probes []probe, before, after string) {
	isCrash := func(x probe) bool { return x.kind == "event" && x.value == "crash" }
	others := slices.DeleteFunc(slices.Clone(probes), isCrash)
	if len(others) > 0 {
		c.moved = append(c.moved, subject{strings.Join(labelsOf(others), ", "), before, after, false})
	}
	if len(others) < len(probes) {
		c.moved = append(c.moved, subject{eventsInWords["crash"], before, after, true})
	}
}

// labelsOf joins statuses that follow each other.
func labelsOf(probes []probe) (labels []string) {
	for i := 0; i < len(probes); i++ {
		if probes[i].kind != "http" {
			labels = append(labels, probes[i].label)
			continue
		}
		first, _ := strconv.Atoi(probes[i].value)
		last := first
		for i+1 < len(probes) && probes[i+1].kind == "http" && probes[i+1].value == strconv.Itoa(last+1) {
			i, last = i+1, last+1
		}
		if last > first {
			labels = append(labels, fmt.Sprintf("HTTP %d to %d", first, last))
		} else {
			labels = append(labels, fmt.Sprintf("HTTP %d", first))
		}
	}
	return labels
}
