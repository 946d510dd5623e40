package spec

import (
	"regexp"
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
	ignoring = regexp.MustCompile(`(?i)(?:^|[ \t\n])(#[ \t]*(retryc[ \t]*[:_-][ \t]*ignore))(?:[^A-Za-z0-9]|$)`)
	comments = regexp.MustCompile(`^[ \t]*(#|$)`)
)

// ignores finds the comments. The text may as well stand in a value, which is none.
func (p *parser) ignores(src []byte, root *yaml.Node) (found []Ignore) {
	if !strings.Contains(strings.ToLower(string(src)), "ignore") {
		return nil
	}
	quoted := anyScalar(root, ignoring.MatchString)
	for i, line := range p.lines {
		for _, m := range ignoring.FindAllStringSubmatchIndex(line, -1) {
			if at := m[2]; !quoted || p.isComment(root, i, at) {
				found = append(found, p.ignore(i, line[:at], line[at:m[3]], line[m[4]:m[5]], line[m[3]:]))
				break
			}
		}
	}
	return found
}

// ignore reads the comment that line i ends with: its beginning, its key word, and what it says.
func (p *parser) ignore(i int, before, lead, word, rest string) Ignore {
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
	for j := i + 1; ; j++ {
		if j >= len(p.lines) {
			ig.Line = 0
			return ig
		}
		if !comments.MatchString(p.lines[j]) {
			ig.Line = j + 1
			return ig
		}
	}
}

// isComment reports whether what stands at a byte of a line is a comment: without it, the file says the same.
func (p *parser) isComment(root *yaml.Node, line, at int) bool {
	cut := append([]string{}, p.lines...)
	cut[line] = cut[line][:at]
	doc, err := decode(yaml.NewDecoder(strings.NewReader(strings.Join(cut, "\n"))))
	return err == nil && sameScalars(root, doc.Content[0])
}

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

func sameScalars(a, b *yaml.Node) bool {
	if a.Kind != b.Kind || a.Value != b.Value || len(a.Content) != len(b.Content) {
		return false
	}
	for i := range a.Content {
		if !sameScalars(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}
