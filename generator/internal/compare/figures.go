package compare

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/retryc/retryc/generator/internal/resolved"
)

// value is a figure of some jobs: as a text, and where it is a number as the least and the most that it can be.
type value struct {
	name    string
	text    string
	low, hi float64
	number  bool
	unit    string // of a cost: its currency
}

func textual(name, text string) value { return value{name: name, text: text} }

func counted(name string, n int) value {
	return value{name: name, text: strconv.Itoa(n), low: float64(n), hi: float64(n), number: true}
}

func lasting(name string, d resolved.Duration) value {
	return value{name: name, text: d.String(), low: float64(d.Duration), hi: float64(d.Duration), number: true}
}

// endValues are the figures of jobs whose attempts all end in one way.
func endValues(e *resolved.End, currency string) []value {
	attempts := counted("attempts", e.Typical.Attempts)
	attempts.low, attempts.hi = float64(e.Latest.Attempts), float64(e.Soonest.Attempts)
	if e.Latest.Attempts != e.Soonest.Attempts {
		attempts.text += fmt.Sprintf(" (%d to %d)", e.Latest.Attempts, e.Soonest.Attempts)
	}
	window := lasting("window", e.Typical.Waited)
	window.low, window.hi = float64(e.Soonest.Waited.Duration), float64(e.MostWaited.Duration)
	if e.Soonest.Waited != e.MostWaited {
		window.text = fmt.Sprintf("%s (%s to %s)", readable(e.Typical.Waited), readable(e.Soonest.Waited), readable(e.MostWaited))
	}
	asked := textual("retry_after", "none")
	if e.Asked != nil {
		asked.text = "up to " + e.Asked.String()
	}
	return append([]value{
		textual("outcome", e.Outcome), textual("budget", orNone(e.Budget)), textual("ladder", orNone(e.Ladder)),
		attempts, lasting("longest_wait", e.LongestWait), window, textual("dead_reason", reasons(e)), asked,
	}, takesValues(e.Takes, currency)...)
}

// takesValues are what those jobs take. Runs and rows of the ledger are told of the worst: here they are the attempts.
func takesValues(t resolved.Takes, currency string) []value {
	cost := textual("cost", "none")
	if t.Cost != nil {
		cost = value{"cost", strconv.FormatFloat(rounded(*t.Cost), 'f', -1, 64) + " " + currency, *t.Cost, *t.Cost, true, currency}
	}
	return []value{lasting("handler_time", t.HandlerTime), counted("messages", t.Messages), counted("requests", t.Requests), cost}
}

func worstValues(w *resolved.Worst, currency string) []value {
	return append([]value{counted("runs", w.Takes.Runs), counted("ledger_rows", w.Takes.LedgerRows)}, takesValues(w.Takes, currency)...)
}

// reasons are why such a job is dead, the usual one first.
func reasons(e *resolved.End) string {
	list := []string{e.Typical.DeadReason}
	for _, other := range []string{e.Soonest.DeadReason, e.Latest.DeadReason} {
		if other != list[0] && (len(list) == 1 || other != list[1]) {
			list = append(list, other)
		}
	}
	return strings.Join(list, ", or ")
}

// readable leaves out what nobody reads beside minutes.
func readable(d resolved.Duration) resolved.Duration {
	if d.Duration >= time.Minute {
		d.Duration = d.Round(time.Second)
	}
	return d
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// rounded has four digits that matter.
func rounded(x float64) float64 {
	if x == 0 {
		return 0
	}
	scale := math.Pow(10, 4-math.Ceil(math.Log10(math.Abs(x))))
	return math.Round(x*scale) / scale
}

// changed is the figures that differ. Values come in the same order on both sides.
func changed(before, after []value) (figures []Figure) {
	for i, was := range before {
		is := after[i]
		if was == is {
			continue
		}
		f := Figure{Name: was.name, Before: was.text, After: is.text, was: was, is: is}
		if share := growth(was.hi, is.hi); was.comparable(is) && !math.IsInf(share, 0) {
			f.Change = &share
		}
		figures = append(figures, f)
	}
	return figures
}

// follows are the figures that follow from the outcome where that changes.
var follows = map[string]bool{"budget": true, "ladder": true, "longest_wait": true, "dead_reason": true}

// telling leaves out of the figures of one end what others tell: what follows from the outcome. Those are quiet that change for
// all ends alike, since a run is another one: they are judged, and the worst tells of them.
func telling(figures []Figure) (kept []Figure, quiet bool) {
	outcome := slices.ContainsFunc(figures, func(f Figure) bool { return f.Name == "outcome" })
	kept = slices.DeleteFunc(figures, func(f Figure) bool { return outcome && follows[f.Name] })
	return kept, !slices.ContainsFunc(kept, func(f Figure) bool { return f.Name != "handler_time" && f.Name != "cost" })
}

// comparable reports whether both are numbers of the same kind.
func (v value) comparable(w value) bool { return v.number && w.number && v.unit == w.unit }

// growth is by which part of what was a figure has grown.
func growth(was, is float64) float64 {
	if was == 0 {
		if is == 0 {
			return 0
		}
		return math.Inf(1)
	}
	return math.Round((is-was)/was*1e6) / 1e6
}
