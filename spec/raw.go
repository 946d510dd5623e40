package spec

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/retryc/retryc/spec/diag"
)

const utf8BOM = "\xef\xbb\xbf"

func runes(s string) int { return utf8.RuneCountInString(s) }

// raw finds what is wrong with the bytes before anyone reads them as YAML, and reports whether it is worth reading on.
// What it refuses are bytes on whose meaning YAML readers and editors differ, so that line numbers would be wrong.
// src has no byte order mark any more.
func (p *parser) raw(src []byte) bool {
	p.lines = strings.Split(string(src), "\n")
	p.runes = make([][]rune, len(p.lines))
	for i, line := range p.lines {
		p.lines[i] = strings.TrimSuffix(line, "\r")
		p.runes[i] = []rune(p.lines[i])
	}
	start := diag.Pos{Line: 1, Col: 1}
	if len(src) < len(p.doc.Source) {
		p.error("RC003", start, 1, "save the file as UTF-8 without a byte order mark (BOM)",
			"the file begins with an invisible byte order mark")
	}
	switch {
	case len(src) > maxBytes:
		p.error("RC015", start, 1, "split the queues over several files, each with its own package",
			"the file is larger than 1 MiB")
		return false
	case bytes.HasPrefix(src, []byte("\xff\xfe")), bytes.HasPrefix(src, []byte("\xfe\xff")):
		p.error("RC005", start, 1, "save the file as UTF-8", "the file is UTF-16, not UTF-8")
		return false
	case len(bytes.TrimSpace(src)) == 0:
		p.empty()
		return false
	}
	before := len(p.findings)
	p.lineEnds(src)
	for i, line := range p.lines {
		p.characters(i+1, line)
	}
	return !p.findings[before:].HasErrors()
}

func (p *parser) empty() {
	p.error("RC006", diag.Pos{Line: 1, Col: 1}, 1, "start with: version: 1", "the file is empty")
}

// lineEnds warns of Windows line ends, which are harmless, and refuses a lone carriage return, which YAML takes for a
// line end and most editors do not.
func (p *parser) lineEnds(src []byte) {
	warned := false
	for i, line := range bytes.Split(src, []byte("\n")) {
		body, crlf := bytes.CutSuffix(line, []byte("\r"))
		last := len(line) == 0 || i == len(p.lines)-1
		if crlf && !last && !warned {
			warned = true
			d := p.error("RC004", p.at(i+1, runes(string(body))+1), 1, "save the file with LF line ends",
				"the lines end in CRLF, as on Windows")
			d.Severity = diag.Warning
		}
		if crlf && last {
			body = line // a carriage return at the end of the file, with no line feed behind it
		}
		if at := bytes.IndexByte(body, '\r'); at >= 0 {
			p.error("RC004", p.at(i+1, runes(string(body[:at]))+1), 1, "save the file with LF line ends",
				"a carriage return stands alone, where YAML sees a new line and most editors do not")
			return
		}
	}
}

// characters refuses what is not text, and what looks like something else than it is.
func (p *parser) characters(number int, line string) {
	indent := true
	col := 0
	for i, r := range line {
		col++
		indent = indent && (r == ' ' || r == '\t' || r == '\u00a0')
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(line[i:], "\ufffd"):
			p.error("RC005", diag.Pos{Line: number, Col: col}, 1, "save the file as UTF-8",
				"byte 0x%02X is not UTF-8", line[i])
			return
		case indent && r == '\u00a0':
			p.error("RC017", diag.Pos{Line: number, Col: col}, 1, "indent with plain spaces",
				"the indentation has a no-break space, which YAML does not take for a space")
			return
		case unseen(r):
			p.error("RC017", diag.Pos{Line: number, Col: col}, 1, "remove it, or write it as "+escaped(r)+" in double quotes",
				"an invisible character, U+%04X", r)
			return
		}
	}
}

func escaped(r rune) string {
	if r > 0xffff {
		return fmt.Sprintf(`\U%08X`, r)
	}
	return fmt.Sprintf(`\u%04X`, r)
}

// unseen reports whether r is a character that does not show: a control character, a line break that only some readers
// know, a mark that turns the direction of writing, or no character at all.
func unseen(r rune) bool {
	switch {
	case r == '\t', r == '\r': // a lone carriage return has its own finding
		return false
	case r < 0x20, r >= 0x7f && r < 0xa0:
		return true
	case r == '\u200b', r == '\u2028', r == '\u2029', r == '\ufeff':
		return true
	case r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069':
		return true
	}
	return r == '\ufffe' || r == '\uffff'
}
