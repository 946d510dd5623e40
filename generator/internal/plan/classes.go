package plan

import (
	"strconv"
	"strings"

	"github.com/retryc/retryc/spec"
)

// classes resolves error_classes and collects the sentinels that they declare.
func (b *builder) classes() {
	seen := map[string]spec.Name{}
	for i := range b.doc.Classes {
		src := &b.doc.Classes[i]
		if first, twice := seen[src.Name.V]; twice && src.Name.Set() {
			d := errorAt(b, "RC202", src.Name, "there are two error classes %q", src.Name.V)
			d.Hint = "join their conditions in one class, or rename one"
			d.Related = relatedAt(first, "the first is here")
		}
		seen[src.Name.V] = src.Name
		c := &Class{
			Spec:       src,
			Name:       src.Name,
			Outcome:    src.Outcome.Or("transient"),
			RetryAfter: src.RetryAfter.Or("ignore") == "honor",
			Budget:     src.Budget.Or("failures"),
			Ladder:     b.ladder(src.Ladder),
		}
		for _, w := range src.When {
			c.When = append(c.When, b.condition(c, w))
		}
		b.plan.Classes = append(b.plan.Classes, c)
	}
}

func (b *builder) condition(c *Class, w spec.Condition) *Condition {
	out := &Condition{Pos: w.Pos, SQLState: w.SQLState, Message: w.Message}
	for _, s := range w.HTTP {
		if status, ok := statusOf(s); ok {
			out.HTTP = append(out.HTTP, status)
		}
	}
	switch {
	case w.Is.Set():
		out.Is = b.sentinel(c, w.Is)
	case w.As.Set():
		out.As = b.goRef(w.As, true)
	case w.Payload.Set():
		out.Event = Event(w.Payload.V)
	case w.Timeout.V:
		out.Event = Timeout
	case w.Crash.V:
		out.Event = Crash
	case w.Panic.V:
		out.Event = Panic
	}
	return out
}

// statusOf reads 404 or 5xx.
func statusOf(s spec.Name) (Status, bool) {
	digits, family := strings.CutSuffix(s.V, "xx")
	code, err := strconv.Atoi(digits)
	return Status{Code: code, Family: family, Pos: s.Pos, Width: s.Width}, err == nil
}

// sentinel is the error value that an is condition names. One without a package is declared by the emitted
// package, once, however many classes name it.
func (b *builder) sentinel(c *Class, at spec.Name) *GoRef {
	ref := b.goRef(at, false)
	if ref == nil || ref.Path != "" {
		return ref
	}
	if !isExported(ref.Name) || !strings.HasPrefix(ref.Name, "Err") || ref.Name == "Err" || ref.Pointer {
		d := errorAt(b, "RC221", at, "%q is not the name of an error value", at.V)
		d.Hint = "one declared here begins with Err: ErrSourceDeleted; one of a package has its import path: io.ErrUnexpectedEOF"
		return nil
	}
	for _, s := range b.plan.Sentinels {
		if s.GoName == ref.Name {
			return ref
		}
	}
	b.plan.Sentinels = append(b.plan.Sentinels, &Sentinel{GoName: ref.Name, Class: c, Pos: at.Pos})
	b.plan.Names.fixed(ref.Name, "the error "+ref.Name, at)
	return ref
}
