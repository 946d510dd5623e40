package emit

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"
)

// expr is a Go expression as text.
func expr(text string) *jen.Statement { return jen.Id(text) }

// quoted is a Go expression for the text s.
func quoted(s string) string { return strconv.Quote(s) }

// raw is s as a raw string literal where Go has one for it: patterns and SQL read better without escapes.
func raw(s string) *jen.Statement { return expr(rawText(s)) }

func rawText(s string) string {
	if strings.ContainsAny(s, "`\r\uFEFF") || !strings.ContainsAny(s, "\\\n\"") || !printable(s) {
		return quoted(s)
	}
	return "`" + s + "`"
}

func printable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return r != '\n' && r != '\t' && !strconv.IsPrint(r) })
}

// duration writes d as a reader would: 2 * time.Minute.
func duration(d time.Duration) *jen.Statement {
	n, unit := inUnits(d)
	switch {
	case unit == "":
		return jen.Lit(int(n))
	case n == 1:
		return jen.Qual("time", unit)
	}
	return jen.Lit(int(n)).Op("*").Qual("time", unit)
}

// durationText is duration in s.
func durationText(s *goText, d time.Duration) string {
	n, unit := inUnits(d)
	switch {
	case unit == "":
		return strconv.FormatInt(n, 10)
	case n == 1:
		return s.qual("time", unit)
	}
	return strconv.FormatInt(n, 10) + " * " + s.qual("time", unit)
}

// inUnits is d as so many of the largest unit that it is a multiple of; no unit where there is none.
func inUnits(d time.Duration) (n int64, unit string) {
	for _, u := range units {
		if d >= u.length && d%u.length == 0 {
			return int64(d / u.length), u.name
		}
	}
	return int64(d), ""
}

var units = []struct {
	length time.Duration
	name   string
}{
	{time.Hour, "Hour"}, {time.Minute, "Minute"}, {time.Second, "Second"}, {time.Millisecond, "Millisecond"},
	{time.Microsecond, "Microsecond"},
}

// keyed is name: value.
func keyed(name string, value jen.Code) *jen.Statement { return jen.Id(name).Op(":").Add(value) }

// lines is {…} with each value on a line of its own.
func lines(values ...jen.Code) *jen.Statement {
	return jen.Custom(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, values...)
}

// wrapped is {…} with the values on one line, or a few on each line where they are many.
func wrapped(values []jen.Code, perLine int) *jen.Statement {
	if len(values) <= perLine {
		return jen.Values(values...)
	}
	broken := make([]jen.Code, len(values))
	for i, v := range values {
		if i%perLine == 0 {
			v = jen.Line().Add(v)
		}
		broken[i] = v
	}
	return jen.Custom(jen.Options{Open: "{", Close: ",\n}", Separator: ","}, broken...)
}

// width is how long the lines of comments are.
const width = 110

// comment is text as a comment, wrapped.
func comment(text string) *jen.Statement {
	s := jen.Empty()
	for i, line := range wrap(text, width-len("// ")) {
		if i > 0 {
			s.Line()
		}
		s.Comment(line)
	}
	return s
}

// wrap breaks text at spaces, so that no line is longer than limit where that can be. Names of the spec can hold any
// character, and a Go file cannot.
func wrap(text string, limit int) []string {
	text = strings.Map(func(r rune) rune {
		if strconv.IsPrint(r) || unicode.IsSpace(r) {
			return r
		}
		return utf8.RuneError
	}, text)
	var out []string
	var line strings.Builder
	length := 0 // of the line, in runes
	for word := range strings.FieldsSeq(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case length == 0:
		case length+1+n > limit:
			out = append(out, line.String())
			line.Reset()
			length = 0
		default:
			line.WriteByte(' ')
			length++
		}
		line.WriteString(word)
		length += n
	}
	return append(out, line.String())
}

// listed is words as a sentence has them: a, b and c.
func listed(words []string, conjunction string) string {
	n := len(words)
	if n < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:n-1], ", ") + " " + conjunction + " " + words[n-1]
}

// count is n of something: 1 crash, 2 crashes.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
