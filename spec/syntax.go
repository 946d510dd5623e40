package spec

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// yaml reads src as one YAML document, or says why it is none.
func (p *parser) yaml(src []byte) *yaml.Node {
	dec := yaml.NewDecoder(bytes.NewReader(src))
	doc, err := decode(dec)
	switch {
	case errors.Is(err, io.EOF):
		p.empty()
		return nil
	case err != nil:
		p.syntax(src, err)
		return nil
	}
	next, err := decode(dec)
	switch {
	case errors.Is(err, io.EOF):
		return doc.Content[0]
	case err != nil:
		p.syntax(src, err)
		return nil
	}
	line := p.separator(next.Line)
	p.error("RC007", p.at(line, 1), runes(p.lines[line-1]), "keep one document; a second policy goes in a file of its own",
		"a second document begins here")
	return doc.Content[0]
}

// separator is the line of the --- that opens the document which begins at line.
func (p *parser) separator(line int) int {
	line = min(max(line, 1), len(p.lines))
	for l := line; l > 0; l-- {
		if strings.HasPrefix(p.lines[l-1], "---") {
			return l
		}
	}
	return line
}

// decode reads one document. The YAML reader gives up on some malformed input with a panic; for the writer of the file
// that is one more syntax error.
func decode(dec *yaml.Decoder) (doc *yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("yaml: %v", r)
		}
	}()
	doc = new(yaml.Node)
	if err := dec.Decode(doc); err != nil {
		return nil, err
	}
	if len(doc.Content) != 1 {
		return nil, io.EOF
	}
	return doc, nil
}

var (
	yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)
	// About these the reader names the line at which the block began.
	blockNesting = regexp.MustCompile(`expected key|expected '-' indicator|expected node content`)
	// The reader's message about an alias, which has no line.
	unknownAnchor = regexp.MustCompile(`^unknown anchor '([^']*)'`)
	plainWords    = []struct{ theirs, ours, hint string }{
		{"mapping values are not allowed", "a colon stands where no key can be", "check the indentation; put text that has a colon and a space in quotes"},
		{"could not find expected ':'", "a key has no colon behind it", "write key: value; check the indentation and the quotes above"},
		{"did not find expected key", "the indentation does not fit the lines above", "line the keys of a mapping up; check for an unclosed quote or bracket above"},
		{"did not find expected '-' indicator", "an entry of a list does not line up with the others", "put every - of a list in the same column"},
		{"did not find expected ',' or '}'", "an entry between { and } is broken", "part entries with commas, and put text that has brackets, colons or a ? in quotes"},
		{"did not find expected ',' or ']'", "an entry between [ and ] is broken", "part entries with commas, and put text that has brackets, colons or a ? in quotes"},
		{"did not find expected node content", "a value is missing between brackets or commas", "take the extra comma or bracket out"},
		{"found unexpected end of stream", "a quote is not closed", "close it with the same kind of quote"},
		{"found unexpected document indicator", "a quote or a bracket is not closed", "close it before the document ends"},
		{"found unknown escape character", "an unknown escape in double quotes", "double the backslash, or use single quotes, in which it means itself"},
		{"did not find expected hexdecimal number", "an escape in double quotes lacks its hexadecimal digits", "double the backslash, or use single quotes, in which it means itself"},
		{"found incompatible YAML document", "a line with %YAML, which a spec does not have", "take the line out"},
		{"expected <document start>", "more text stands behind the end of the document", "take out a line of three dots above, or a bracket too many"},
		{"block sequence entries are not allowed", "a list begins where none can be", "put the list on the next line, or write it as [a, b]"},
		{"exceeded max depth", "the file is nested too deeply to be read", "a spec needs fewer than 32 levels"},
		{"found character that cannot start any token", "a character that cannot begin a value", "put the text in quotes"},
		{"did not find expected comment or line break", "text stands behind | or >", "put the text on the next line, indented"},
	}
)

// syntax says in our words why the file is no YAML. The reader names at most a line, sometimes the one before or after.
func (p *parser) syntax(src []byte, err error) {
	message := err.Error()
	line := 1
	if m := yamlLine.FindStringSubmatch(message); m != nil {
		line, _ = strconv.Atoi(m[1])
		line = min(max(line, 1), len(p.lines))
		message = message[len(m[0]):]
	}
	if m := unknownAnchor.FindStringSubmatch(message); m != nil { // the reader does not say where
		if i := slices.IndexFunc(p.lines, regexp.MustCompile(`\*`+regexp.QuoteMeta(m[1])+`\b`).MatchString); i >= 0 {
			line = i + 1
		}
	}
	if blockNesting.MatchString(message) {
		line = firstBroken(src, message, len(p.lines))
	}
	if slices.ContainsFunc(culprits, func(c culprit) bool { return c.when.MatchString(message) && p.blame(c, line) }) {
		return
	}
	if strings.Contains(message, "',' or '") {
		if p.unclosed(line) {
			return
		}
		line = min(line+1, len(p.lines)) // here the reader counts from zero
	}
	if strings.Contains(message, "expected key") && p.unopened(line) {
		return
	}
	hint := "check the indentation, the quotes and the brackets around this line"
	for _, w := range plainWords {
		if strings.Contains(message, w.theirs) {
			message, hint = w.ours, w.hint
			break
		}
	}
	text := p.lines[line-1]
	body := strings.TrimLeft(text, " ")
	p.error("RC001", p.at(line, len(text)-len(body)+1), runes(strings.TrimRight(body, " \t")), hint, "not YAML: %s", message)
}
