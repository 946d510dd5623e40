package plan

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/retryc/retryc/spec"
)

// enumValues gives every value of an enum a constant. Values are what stands in messages, so nobody can rename one for
// the sake of a Go name: two that would become one are spelled out.
func (b *builder) enumValues(goName, what string, values []spec.Name) []EnumValue {
	bearers, seen := map[string]int{}, map[string]spec.Name{}
	var kept []spec.Name
	for _, v := range values {
		if first, twice := seen[v.V]; twice {
			d := errorAt(b, "RC215", v, "the enum has the value %q twice", v.V)
			d.Hint, d.Related = "leave one of them out", relatedAt(first, "the first is here")
			continue
		}
		seen[v.V] = v
		bearers[suffix(v.V)]++
		kept = append(kept, v)
	}
	var out []EnumValue
	for _, v := range kept {
		word := suffix(v.V)
		if bearers[word] > 1 {
			word = spelled(v.V)
		}
		value := EnumValue{Value: v, GoName: goName + word}
		out = append(out, value)
		b.plan.Names.fixed(value.GoName, fmt.Sprintf("the value %q of %s", v.V, what), v)
	}
	return out
}

// suffix is a word behind a Go name: unlike exported it may begin with a digit. A value without letters and digits is
// spelled out.
func suffix(value string) string {
	if s := joined(Words(value)); s != "" {
		return s
	}
	return spelled(value)
}

// spelled is a value letter by letter, and any other character by its number: A+ is AU002B.
func spelled(value string) string {
	if value == "" {
		return "Empty"
	}
	var b strings.Builder
	for _, r := range value {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "U%04X", r)
		}
	}
	return b.String()
}
