package spec

// unopened looks on the line for a bracket that closes nothing.
func (p *parser) unopened(line int) bool {
	col, bracket, ok := strayBracket(p.runes[line-1])
	if ok {
		p.error("RC001", p.at(line, col), 1, "take it out, or open it in front", "not YAML: a %c closes nothing", bracket)
	}
	return ok
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

// placed is a bracket and its column.
type placed struct {
	col     int
	bracket rune
}

// openBracket is the first bracket of a line that the line does not close, outside of quotes and comments.
func openBracket(rs []rune) (col int, bracket rune, ok bool) {
	if open, _ := brackets(rs); len(open) > 0 {
		return open[0].col, open[0].bracket, true
	}
	return 0, 0, false
}

// strayBracket is the first bracket of a line that closes nothing on it.
func strayBracket(rs []rune) (col int, bracket rune, ok bool) {
	if _, stray := brackets(rs); len(stray) > 0 {
		return stray[0].col, stray[0].bracket, true
	}
	return 0, 0, false
}

// brackets are those of a line that open and do not close, and those that close what was not open.
func brackets(rs []rune) (stack, stray []placed) {
	for i := 0; i < len(rs); i++ {
		switch r := rs[i]; {
		case r == '"':
			i += quoted(rs[i:], '"', '\\') - 1
		case r == '\'':
			i += quoted(rs[i:], '\'', '\'') - 1
		case r == '#' && i > 0 && rs[i-1] == ' ':
			i = len(rs)
		case r == '{', r == '[':
			stack = append(stack, placed{i + 1, r})
		case (r == '}' || r == ']') && len(stack) > 0:
			stack = stack[:len(stack)-1]
		case r == '}' || r == ']':
			stray = append(stray, placed{i + 1, r})
		}
	}
	return stack, stray
}
