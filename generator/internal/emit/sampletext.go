package emit

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// textFor is a text that a regular expression matches. It is not found where the expression asks for what a short text
// does not show, such as a word boundary within a word.
func textFor(pattern string) (text string, found bool) {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "", false
	}
	var b strings.Builder
	writeText(&b, tree)
	re, err := regexp.Compile(pattern)
	return b.String(), err == nil && b.Len() > 0 && re.MatchString(b.String())
}

func writeText(b *strings.Builder, re *syntax.Regexp) {
	const most = 20 // repeats
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			if re.Flags&syntax.FoldCase != 0 {
				r = []rune(strings.ToLower(string(r)))[0]
			}
			b.WriteRune(r)
		}
	case syntax.OpCharClass:
		b.WriteRune(runeOf(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('x')
	case syntax.OpCapture, syntax.OpPlus, syntax.OpAlternate:
		writeText(b, re.Sub[0])
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			writeText(b, sub)
		}
	case syntax.OpRepeat:
		for range min(re.Min, most) {
			writeText(b, re.Sub[0])
		}
	}
}

// runeOf picks a rune of a class, a readable one where the class has it.
func runeOf(ranges []rune) rune {
	for _, wanted := range "a0A -_" {
		for i := 0; i < len(ranges); i += 2 {
			if ranges[i] <= wanted && wanted <= ranges[i+1] {
				return wanted
			}
		}
	}
	return ranges[0]
}
