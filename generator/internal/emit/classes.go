package emit

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/dave/jennifer/jen"

	"github.com/retryc/retryc/generator/internal/plan"
)

// class makes one entry of error_classes; parts that say nothing new are left out:
//
//	{
//		name:       "throttled",
//		outcome:    transient,
//		when:       []condition{httpStatus(429)},
//		retryAfter: true,
//		budget:     throttles,
//		ladder:     &gentleLadder,
//	}
func class(c *plan.Class) jen.Code {
	var when, on []jen.Code
	for _, w := range c.When {
		if w.Event == plan.NoEvent || w.Event == plan.Timeout {
			when = append(when, condition(w))
		}
		if w.Event != plan.NoEvent {
			on = append(on, jen.Id(eventErrors[w.Event]))
		}
	}
	parts := []jen.Code{
		keyed("name", jen.Lit(c.Name.V)),
		keyed("outcome", expr(c.Outcome)),
	}
	if len(when) > 0 {
		parts = append(parts, keyed("when", jen.Index().Id("condition").Add(wrapped(when, 3))))
	}
	if len(on) > 0 {
		parts = append(parts, keyed("on", jen.Index().Error().Values(on...)))
	}
	if c.RetryAfter {
		parts = append(parts, keyed("retryAfter", jen.True()))
	}
	if c.Budget != "failures" {
		parts = append(parts, keyed("budget", expr(c.Budget)))
	}
	if c.Ladder != nil {
		parts = append(parts, keyed("ladder", jen.Op("&").Id(c.Ladder.GoName)))
	}
	return lines(parts...)
}

// condition makes httpStatus(404, any5xx), is(ErrSourceDeleted), as[*net.OpError](), sqlState("40001", "08*"),
// messageMatches(`reset$`) or timedOut.
func condition(w *plan.Condition) jen.Code {
	switch {
	case len(w.HTTP) > 0:
		var codes []jen.Code
		for _, s := range w.HTTP {
			if s.Family {
				codes = append(codes, jen.Id(fmt.Sprintf("any%dxx", s.Code)))
			} else {
				codes = append(codes, jen.Lit(s.Code))
			}
		}
		return jen.Id("httpStatus").Call(codes...)
	case w.Is != nil:
		return jen.Id("is").Call(goRef(w.Is))
	case w.As != nil:
		return jen.Id("as").Types(goRef(w.As)).Call()
	case len(w.SQLState) > 0:
		var codes []jen.Code
		for _, s := range w.SQLState {
			codes = append(codes, jen.Lit(s.V))
		}
		return jen.Id("sqlState").Call(codes...)
	case w.Event == plan.Timeout:
		return jen.Id("timedOut")
	}
	return jen.Id("messageMatches").Call(raw(w.Message.V))
}

// eventErrors are the errors by which the runtime tells the events.
var eventErrors = map[plan.Event]string{
	plan.Timeout: "errTimeout", plan.Crash: "errCrashed", plan.Panic: "errPanic", plan.Undecodable: "errUndecodable", plan.Invalid: "errInvalid",
}

// goRef is a Go identifier, with a star in front of a pointer type.
func goRef(r *plan.GoRef) jen.Code {
	s := jen.Empty()
	if r.Pointer {
		s = jen.Op("*")
	}
	if r.Path == "" {
		return s.Id(r.Name)
	}
	return s.Qual(r.Path, r.Name)
}

// sentinelText is the text of a declared error: source deleted for ErrSourceDeleted.
func sentinelText(name string) string {
	var b strings.Builder
	rest := []rune(strings.TrimPrefix(name, "Err"))
	for i, r := range rest {
		starts := unicode.IsUpper(r) && i > 0 && (!unicode.IsUpper(rest[i-1]) || i+1 < len(rest) && unicode.IsLower(rest[i+1]))
		if starts {
			b.WriteByte(' ')
		}
		acronym := unicode.IsUpper(r) && (i+1 < len(rest) && unicode.IsUpper(rest[i+1]) || i > 0 && unicode.IsUpper(rest[i-1]) && !starts)
		if !acronym {
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}
