package spec

import (
	"bytes"
	"regexp"
	"sort"
	"strings"

	"gopkg.in/yaml.v3"
)

// culprit looks for a likely cause on the named line and its neighbours, the named one first.
func (p *parser) culprit(line int, cause *regexp.Regexp, code, message string) bool {
	for _, l := range []int{line, line + 1, line - 1} {
		if l < 1 || l > len(p.lines) {
			continue
		}
		text := p.lines[l-1]
		m := cause.FindStringSubmatchIndex(text)
		if m == nil {
			continue
		}
		from, to, hint := m[1]-1, m[1], "indent with spaces"
		if len(m) > 2 {
			from, to = m[2], m[3]
			hint = `put it in quotes: "` + text[from:to] + `"`
		}
		p.error(code, p.at(l, runes(text[:from])+1), runes(text[from:to]), hint, "%s", message)
		return true
	}
	return false
}

// firstBroken is the line at which the reader first sees what is wrong with the nesting of blocks. It names the line at
// which the block began instead, so the file is read again up to here and there.
func firstBroken(src []byte, message string, lines int) int {
	ends := make([]int, 0, lines)
	for i, c := range src {
		if c == '\n' {
			ends = append(ends, i+1)
		}
	}
	ends = append(ends, len(src))
	return 1 + sort.Search(len(ends)-1, func(i int) bool {
		dec := yaml.NewDecoder(bytes.NewReader(src[:ends[i]]))
		for {
			if _, err := decode(dec); err != nil {
				return strings.HasSuffix(err.Error(), message)
			}
		}
	})
}

// unclosed looks from the named line on for the bracket that a flow collection lacks. The reader names the line where
// the outermost block began, which may be far above.
func (p *parser) unclosed(line int) bool {
	for l := line; l <= len(p.lines) && l < line+50; l++ {
		col, bracket, ok := openBracket(p.runes[l-1])
		if !ok {
			continue
		}
		closing := map[rune]string{'{': "}", '[': "]"}[bracket]
		p.error("RC001", p.at(l, col), 1, "close it with "+closing+", and part its entries with commas", "not YAML: a %c is not closed, or an entry in it is broken", bracket)
		return true
	}
	return false
}

// openBracket is the first bracket of a line that the line does not close, outside of quotes and comments.
func openBracket(rs []rune) (col int, bracket rune, ok bool) {
	type open struct {
		col     int
		bracket rune
	}
	var stack []open
	for i := 0; i < len(rs); i++ {
		switch r := rs[i]; {
		case r == '"':
			i += quoted(rs[i:], '"', '\\') - 1
		case r == '\'':
			i += quoted(rs[i:], '\'', '\'') - 1
		case r == '#' && i > 0 && rs[i-1] == ' ':
			i = len(rs)
		case r == '{', r == '[':
			stack = append(stack, open{i + 1, r})
		case (r == '}' || r == ']') && len(stack) > 0:
			stack = stack[:len(stack)-1]
		}
	}
	if len(stack) == 0 {
		return 0, 0, false
	}
	return stack[0].col, stack[0].bracket, true
}
