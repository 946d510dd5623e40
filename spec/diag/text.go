package diag

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// Text renders the findings for people, each with the line that it is about:
//
//	retry.yaml:12:14: error RC104: duration without a unit: 30
//	   12 |     timeout: 30
//	      |              ^^
//	   = write 30s, 30m or 30h
//
// Of very many it shows the first, and how many there are besides.
func (l List) Text(w io.Writer, file string, src []byte) error {
	src = bytes.TrimPrefix(src, []byte("\xef\xbb\xbf")) // editors do not count it as a column
	page := page{lines: strings.Split(string(src), "\n"), runes: map[int][]rune{}}
	var b strings.Builder
	shown, hidden := l.shown()
	for i, d := range shown {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s: %s %s: %s\n", place(file, d.Pos), d.Severity, d.Code, visible(d.Message))
		page.frame(&b, d.Pos, d.Width)
		if d.Hint != "" {
			fmt.Fprintf(&b, "   = %s\n", visible(d.Hint))
		}
		if r := d.Related; r != nil {
			fmt.Fprintf(&b, "%s: note: %s\n", place(file, r.Pos), visible(r.Message))
			page.frame(&b, r.Pos, r.Width)
		}
	}
	if hidden > 0 {
		fmt.Fprintf(&b, "\n… and %d more\n", hidden)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func place(file string, pos Pos) string {
	if !pos.Valid() {
		return visible(file)
	}
	return fmt.Sprintf("%s:%d:%d", visible(file), pos.Line, pos.Col)
}

// The part of a long line that is shown: about a terminal's width, with some of what stands before the caret.
const (
	frameWidth  = 100
	frameBefore = 40
)

// page is a file whose lines are quoted. A line that is quoted often is decoded once: a file may be one long line.
type page struct {
	lines []string
	runes map[int][]rune
}

func (p page) line(number int) []rune {
	line, ok := p.runes[number]
	if !ok {
		line = []rune(visible(strings.TrimSuffix(p.lines[number-1], "\r")))
		p.runes[number] = line
	}
	return line
}

// frame quotes the line of pos and underlines width runes of it.
func (p page) frame(b *strings.Builder, pos Pos, width int) {
	if !pos.Valid() || pos.Line > len(p.lines) {
		return
	}
	line := p.line(pos.Line)
	at := min(max(pos.Col-1, 0), len(line))
	width = max(min(width, len(line)-at), 1)

	from, to := 0, len(line)
	if len(line) > frameWidth {
		from = max(0, min(at-frameBefore, len(line)-frameWidth))
		to = from + frameWidth
	}
	width = max(min(width, to-at), 1)
	shown, lead := string(line[from:to]), line[from:at]
	open := ""
	if from > 0 {
		open = "…"
	}
	if to < len(line) {
		shown += "…"
	}
	// The caret's line repeats the tabs of the line above, so that both are shifted alike.
	pad := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, open+string(lead))
	gutter := fmt.Sprintf("%5d", pos.Line)
	fmt.Fprintf(b, "%s | %s\n", gutter, strings.TrimRight(open+shown, " \t"))
	fmt.Fprintf(b, "%s | %s%s\n", strings.Repeat(" ", len(gutter)), pad, strings.Repeat("^", width))
}
