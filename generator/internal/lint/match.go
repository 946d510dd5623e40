package lint

import (
	"fmt"
	"strings"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// match is one thing that a condition looks for: of [404, 5xx] each is one. It covers another of its kind whose
// text is the same or, where it is a prefix, begins with it.
type match struct {
	kind, text string
	prefix     bool
	what       string // for messages
	pos        diag.Pos
	width      int
}

func (m match) covers(o match) bool {
	if m.kind != o.kind {
		return false
	}
	return m.text == o.text && m.prefix == o.prefix || m.prefix && strings.HasPrefix(o.text, m.text)
}

// matches takes a condition apart.
func matches(w *plan.Condition) []match {
	var found []match
	for _, s := range w.HTTP {
		m := match{kind: "http", text: fmt.Sprint(s.Code), prefix: s.Family, pos: s.Pos, width: s.Width}
		m.what = "the status " + m.text
		if s.Family {
			m.what = "the statuses " + m.text + "xx"
		}
		found = append(found, m)
	}
	for _, s := range w.SQLState {
		text, prefix := strings.CutSuffix(s.V, "*")
		found = append(found, match{"sqlstate", text, prefix, "the SQLSTATE " + s.V, s.Pos, s.Width})
	}
	switch {
	case w.Is != nil:
		found = append(found, match{"is", w.Is.At.V, false, "the error " + w.Is.At.V, w.Is.At.Pos, w.Is.At.Width})
	case w.As != nil:
		found = append(found, match{"as", w.As.At.V, false, "errors of type " + w.As.At.V, w.As.At.Pos, w.As.At.Width})
	case w.Message.Set():
		found = append(found, match{"message", w.Message.V, false, "this message", w.Message.Pos, w.Message.Width})
	case w.Event != plan.NoEvent:
		found = append(found, match{"event", string(w.Event), false, events[w.Event], w.Pos, 1})
	}
	return found
}

var events = map[plan.Event]string{
	plan.Timeout: "timeouts", plan.Crash: "crashes", plan.Panic: "panics", plan.Undecodable: "undecodable payloads", plan.Invalid: "invalid payloads",
}
