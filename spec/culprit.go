package spec

import (
	"bytes"
	"regexp"
	"sort"
	"strings"

	"gopkg.in/yaml.v3"
)

// culprit is a likely cause of what the reader of YAML complains about. It is in what the pattern's group matches.
type culprit struct {
	when    *regexp.Regexp // what the reader's message has in it
	cause   *regexp.Regexp
	code    string
	message string
	hint    string // %s is what the group matches
}

var (
	always   = regexp.MustCompile(``)
	aboutKey = regexp.MustCompile(`expected key|expected ':'|mapping values|',' or '[\]}]'`)

	// culprits are the causes, what looks like one the surest first.
	culprits = []culprit{
		{always, regexp.MustCompile(`^ *(\t)`), "RC002", "a tab in the indentation, where YAML allows only spaces", "indent with spaces"},
		{always, regexp.MustCompile(`^(<{7}|={7}$|>{7})`), "RC001", "not YAML: a merge conflict that nobody has settled", "keep one side, and take the lines with <<<, === and >>> out"},
		{
			regexp.MustCompile(`anchor|alphabetic or numeric|alias`), regexp.MustCompile(`(?:^\s*|[:\[,{-]\s+|[\[{,])(\*[^\s,\]}#]*)`),
			"RC009", "a bare * begins a YAML alias, and a spec has none", `put it in quotes: "%s"`,
		},
		{
			regexp.MustCompile(`cannot start any token`), regexp.MustCompile("(?:[:\\[,{-]\\s+|[\\[{,])([@`%>|](?:[^,\\]}#]*[^\\s,\\]}#])?)"),
			"RC001", "text that begins with this character must stand in quotes", `put it in quotes: "%s"`,
		},
		{
			aboutKey, regexp.MustCompile(`^[^"'#]*?([\x{a0}\x{2000}-\x{200a}\x{202f}\x{3000}\x{ff1a}])`),
			"RC017", "a character that looks like a space or a colon, and is none", "type it anew",
		},
		{
			aboutKey, regexp.MustCompile(`^\s*(?:- )*([A-Za-z0-9_-]+:)[^\s:/]`),
			"RC001", "not YAML: a colon needs a space behind it", "write %s and a space",
		},
		{
			aboutKey, regexp.MustCompile(`^ *(-)[A-Za-z"']`),
			"RC001", "not YAML: a dash needs a space behind it", "write - and a space",
		},
		{
			aboutKey, regexp.MustCompile(`^\s*(//)`),
			"RC001", "not YAML: a comment begins with #", "write # in place of //",
		},
		{
			aboutKey, regexp.MustCompile(`^\s*(?:- )*[A-Za-z0-9_-]+: +[^\s"'{\[#][^"'{\[#]*(:)\s*$`),
			"RC001", "not YAML: a second colon at the end of the line", "take it out, or put the text in quotes",
		},
		{
			aboutKey, regexp.MustCompile(`[:\[{,] +(?:"[^"]*"|'[^']*') +([^\s#,}\]:][^,}\]]*)`),
			"RC001", "not YAML: text stands behind a closing quote", "put all of it in quotes, or a comma in front of what follows",
		},
		{
			aboutKey, regexp.MustCompile(`(?:^|[-{,]) *[A-Za-z0-9_]+: +([^\s"'{\[#&*!|>][^"'{}\[\],#]*?: [^"'{}\[\],#]*[^"'{}\[\],#\s])`),
			"RC001", "not YAML: a second colon and space, outside of quotes and braces", `put text in quotes: "%s", and a mapping in braces: {%s}`,
		},
		{
			aboutKey, regexp.MustCompile(`[:,\[] *([A-Za-z0-9_]+\?) *[,}\]]`),
			"RC001", "not YAML: between braces, text with a ? must stand in quotes", `put it in quotes: "%s"`,
		},
		{
			regexp.MustCompile(`expected node content`), regexp.MustCompile(`[\[{,]\s*(,)`),
			"RC001", "not YAML: a value is missing in front of the comma", "take the extra comma out",
		},
		{
			regexp.MustCompile(`unknown escape|hexdecimal`), regexp.MustCompile(`"(?:[^"\\]|\\[0abtnvfre "/\\N_LP])*(\\[^0abtnvfre "/\\N_LP]?)`),
			"RC001", "not YAML: an unknown escape in double quotes", "double the backslash, or use single quotes, in which it means itself",
		},
	}
)

// blame looks for a cause on the named line and its neighbours, the named one first.
func (p *parser) blame(c culprit, line int) bool {
	for _, l := range []int{line, line + 1, line - 1} {
		if l < 1 || l > len(p.lines) {
			continue
		}
		text := p.lines[l-1]
		m := c.cause.FindStringSubmatchIndex(text)
		if m == nil {
			continue
		}
		found := text[m[2]:m[3]]
		p.error(c.code, p.at(l, runes(text[:m[2]])+1), runes(found), strings.ReplaceAll(c.hint, "%s", found), "%s", c.message)
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
