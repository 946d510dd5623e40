package spec

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/retryc/retryc/spec/diag"
)

// Ignore is one comment that takes a finding out:
//
//	# retryc:ignore RC306 the provider asks for exact times
//
// Behind a value it is for that line, and alone on a line for the next one that is more than a comment.
type Ignore struct {
	Pos    diag.Pos // of the #
	Width  int
	Form   bool // it is written retryc:ignore, and not nearly so
	Code   Name
	Reason string
	Line   int // that it is for; 0 where none follows
}

var (
	// ignoring is what is meant as such a comment.
	ignoring = regexp.MustCompile(`(?:^|[ \t\n])(#[ \t]*(retryc[ \t]*[:_-][ \t]*ignore))(?:[^A-Za-z0-9]|$)`)
	comments = regexp.MustCompile(`^[ \t]*(#|$)`)
)

// ignores finds the comments. The text may as well stand in a value, which is none.
func (p *parser) ignores(src []byte, root *yaml.Node) (found []Ignore) {
	if !bytes.Contains(src, []byte("ignore")) {
		return nil
	}
	type place struct{ line, at, end, word int }
	var places []place
	for i, line := range p.lines {
		if !strings.Contains(line, "ignore") { // most of them, and the expression is slower
			continue
		}
		for _, m := range ignoring.FindAllStringSubmatchIndex(line, -1) {
			places = append(places, place{i, m[2], m[3], m[4]})
		}
	}
	inValue := make([]bool, len(places))
	if anyScalar(root, func(s string) bool { return strings.Contains(s, "ignore") && ignoring.MatchString(s) }) {
		marked := slices.Clone(p.lines)
		for k, m := range places {
			line := marked[m.line]
			marked[m.line] = line[:m.word] + mark(k) + line[m.word+len(mark(k)):]
		}
		inValue = marksIn(strings.Join(marked, "\n"), len(places))
	}
	last, below := -1, 0 // a comment goes on to the end of its line
	for k, m := range places {
		if inValue[k] || m.line == last {
			continue
		}
		last, below = m.line, p.below(m.line, below)
		line := p.lines[m.line]
		next := below
		if below > len(p.lines) {
			next = 0
		}
		found = append(found, ignore(m.line, next, line[:m.at], line[m.at:m.end], line[m.word:m.end], line[m.end:]))
	}
	return found
}

// below is the number of the next line after i that is more than a comment, or one behind the last line. Known is that of a line
// above, which can be the same.
func (p *parser) below(i, known int) int {
	if known > i+1 {
		return known
	}
	for j := i + 1; j < len(p.lines); j++ {
		if !comments.MatchString(p.lines[j]) {
			return j + 1
		}
	}
	return len(p.lines) + 1
}

// A mark is two characters that nobody writes. In bytes it is as long as retryc.
const (
	firstMark = 0xe000
	marks     = 0x1900
)

func mark(k int) string { return string([]rune{rune(firstMark + k/marks), rune(firstMark + k%marks)}) }

// marksIn reports which of n marks are in the values of the file: the others are in comments.
func marksIn(src string, n int) []bool {
	in := make([]bool, n)
	doc, err := decode(yaml.NewDecoder(strings.NewReader(src)))
	if err != nil {
		return in
	}
	anyScalar(doc, func(s string) bool {
		before := -1
		for _, r := range s {
			at := int(r) - firstMark
			if at < 0 || at >= marks {
				at = -1
			} else if before >= 0 && before*marks+at < n {
				in[before*marks+at] = true
				at = -1
			}
			before = at
		}
		return false
	})
	return in
}

// ignore reads the comment that line i ends with: its beginning, its key word, and what it says. Alone on its line, it is for the line
// below.
func ignore(i, below int, before, lead, word, rest string) Ignore {
	ig := Ignore{Pos: diag.Pos{Line: i + 1, Col: runes(before) + 1}, Form: word == "retryc:ignore", Line: i + 1}
	rest = strings.TrimRight(rest, " \t")
	ig.Width = runes(lead + rest)
	text := strings.TrimLeft(rest, " \t")
	end := strings.IndexAny(text+" ", " \t")
	if end > 0 {
		ig.Code = NameAt(text[:end], diag.Pos{Line: i + 1, Col: ig.Pos.Col + ig.Width - runes(text)})
	}
	ig.Reason = strings.TrimSpace(text[end:])
	if strings.TrimSpace(before) != "" {
		return ig
	}
	ig.Line = below
	return ig
}

// anyScalar reports whether a key or a value is as asked.
func anyScalar(n *yaml.Node, is func(string) bool) bool {
	if is(n.Value) {
		return true
	}
	for _, c := range n.Content {
		if anyScalar(c, is) {
			return true
		}
	}
	return false
}
