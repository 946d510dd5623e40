package spec

import (
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/retryc/retryc/spec/diag"
)

// The readers below give the zero At for a value that is missing, or that was refused. They are the last to look at
// a value, and so they also judge what a JSON schema cannot say: sums of durations, and regular expressions.

func (v *value) is(k kind) bool { return v != nil && !v.bad && !v.trapped && v.kind == k }

func at[T any](v *value, content T) At[T] { return At[T]{V: content, Pos: v.pos, Width: v.width} }

func (v *value) name() Name {
	if !v.is(text) {
		return Name{}
	}
	return at(v, v.text)
}

func (v *value) whole() At[int] {
	if !v.is(number) {
		return At[int]{}
	}
	i, ok := v.integer()
	if !ok {
		return At[int]{}
	}
	return at(v, i)
}

func (v *value) decimal() At[float64] {
	if !v.is(number) {
		return At[float64]{}
	}
	f, err := strconv.ParseFloat(v.text, 64)
	if err != nil {
		return At[float64]{}
	}
	return at(v, f)
}

func (v *value) truth() At[bool] {
	if !v.is(boolean) {
		return At[bool]{}
	}
	return at(v, v.text == "true")
}

// any is the value of a default, in the types that At[any] of Field.Default names.
func (v *value) any() At[any] {
	switch {
	case v.is(text):
		return at[any](v, v.text)
	case v.is(boolean):
		return at[any](v, v.text == "true")
	case v.is(number):
		return at[any](v, json.Number(v.text))
	}
	return At[any]{}
}

// listed are the entries of a list that were not refused.
func (v *value) listed() []*value {
	if v == nil || v.kind != list || v.trapped {
		return nil
	}
	return v.entries
}

// one is the entries of a list, or v itself where it is not a list.
func (v *value) one() []*value {
	if v == nil || v.kind == list {
		return v.listed()
	}
	return []*value{v}
}

func (v *value) names() []Name {
	var out []Name
	for _, e := range v.listed() {
		if n := e.name(); n.Set() {
			out = append(out, n)
		}
	}
	return out
}

// each are the members of a mapping.
func (v *value) each() []member {
	if v == nil || v.kind != mapping || v.trapped {
		return nil
	}
	return v.members
}

// place is where a section stands: its key, or the value itself where it has none.
func (v *value) place() diag.Pos {
	if v == nil {
		return diag.Pos{}
	}
	if v.key.Set() && !v.entry {
		return v.key.Pos
	}
	return v.pos
}

// keys is the place of a mapping in which names can be looked up, or none.
func (v *value) keys() diag.Pos {
	if !v.is(mapping) {
		return diag.Pos{}
	}
	return v.place()
}

func (p *parser) duration(v *value) At[time.Duration] {
	if !v.is(text) {
		return At[time.Duration]{}
	}
	d, ok := duration(v.text)
	if !ok {
		p.error("RC105", v.pos, v.width, "write a duration below 106751d, which is about 290 years", "a duration that is too long to count: %s", v.quotedText())
		return At[time.Duration]{}
	}
	if d <= 0 { // not judged by the schema: under a key that it does not know
		return At[time.Duration]{}
	}
	return at(v, d)
}

func (p *parser) size(v *value) At[int] {
	if !v.is(text) {
		return At[int]{}
	}
	n, ok := size(v.text)
	if !ok {
		p.error("RC110", v.pos, v.width, "write at most 1MB", "a size that is too large: %s", v.quotedText())
		return At[int]{}
	}
	return at(v, n)
}

func (p *parser) regexp(v *value) Name {
	n := v.name()
	if !n.Set() {
		return n
	}
	_, err := regexp.Compile(n.V)
	if err == nil {
		return n
	}
	hint := `put a backslash in front of what is meant as it stands, in single quotes: '\( \* \?'`
	message := strings.TrimPrefix(err.Error(), "error parsing regexp: ")
	if strings.Contains(message, "invalid or unsupported Perl syntax") || strings.Contains(message, `invalid escape sequence: `+"`\\1`") {
		hint = "RE2 has no look-around and no backreferences; write the pattern without them"
	}
	if strings.Contains(message, "repeat count") {
		hint = "RE2 repeats at most 1000 times"
	}
	p.error("RC113", n.Pos, n.Width, hint, "not a regular expression: %s", message)
	return Name{}
}

func (p *parser) jitter(v *value) Jitter {
	if v == nil || v.bad || v.trapped {
		return Jitter{}
	}
	j := Jitter{Pos: v.pos, Width: v.width}
	switch {
	case v.kind == mapping:
		low, high := v.get("min").decimal(), v.get("max").decimal()
		if !low.Set() || !high.Set() {
			return Jitter{}
		}
		if low.V > high.V {
			p.error("RC109", low.Pos, low.Width, "swap the two", "min is above max").Related =
				&diag.Related{Pos: high.Pos, Width: high.Width, Message: "max stands here"}
			return Jitter{}
		}
		j.Min, j.Max = low.V, high.V
	case v.text == "full":
		j.Max = 1
	case v.text == "none":
		j.Min, j.Max = 1, 1
	default:
		percent, err := strconv.ParseFloat(strings.TrimSuffix(v.text, "%"), 64)
		if err != nil || math.IsNaN(percent) {
			return Jitter{}
		}
		j.Min, j.Max = (100-percent)/100, (100+percent)/100
	}
	return j
}
