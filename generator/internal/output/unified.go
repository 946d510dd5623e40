package output

import (
	"fmt"
	"strings"
)

// contextLines is how many unchanged lines stand around a change.
const contextLines = 3

// Unified is the unified diff that turns the text a into b, empty if they are the same. Line ends CR LF count as LF.
func Unified(nameA, nameB string, a, b []byte) string {
	x, y := splitLines(plainLineEnds(a)), splitLines(plainLineEnds(b))
	var out strings.Builder
	for _, h := range hunks(matchLines(x, y), len(x), len(y)) {
		if out.Len() == 0 {
			fmt.Fprintf(&out, "--- %s\n+++ %s\n", nameA, nameB)
		}
		h.write(&out, x, y)
	}
	return out.String()
}

// run is a stretch of lines that are the same in both texts.
type run struct{ a, b, n int }

// hunk is a part of the diff: the lines a0 … a1 of the one text become b0 … b1 of the other. Its runs are the lines
// in it that stay.
type hunk struct {
	a0, a1, b0, b1 int
	runs           []run
}

// hunks groups what lies between the runs, and the context around it.
func hunks(runs []run, lenA, lenB int) []hunk {
	var out []hunk
	var h *hunk
	runs = append(runs, run{lenA, lenB, 0}) // so that the end of the texts is looked at too
	a, b := 0, 0                            // where the last run ended
	var last run
	for i, r := range runs {
		if r.a > a || r.b > b { // a change lies before this run
			if h == nil {
				before := min(last.n, contextLines)
				out = append(out, hunk{a0: a - before, b0: b - before})
				h = &out[len(out)-1]
				h.runs = append(h.runs, run{a - before, b - before, before})
			}
		}
		a, b, last = r.a+r.n, r.b+r.n, r
		if h == nil {
			continue
		}
		more := i+1 < len(runs) && (runs[i+1].a > a || runs[i+1].b > b)
		if more && r.n <= 2*contextLines {
			h.runs = append(h.runs, r)
			continue
		}
		after := min(r.n, contextLines)
		h.runs = append(h.runs, run{r.a, r.b, after})
		h.a1, h.b1, h = r.a+after, r.b+after, nil
	}
	return out
}

func (h hunk) write(out *strings.Builder, x, y []string) {
	fmt.Fprintf(out, "@@ -%s +%s @@\n", span(h.a0, h.a1), span(h.b0, h.b1))
	a, b := h.a0, h.b0
	for _, r := range append(h.runs, run{h.a1, h.b1, 0}) {
		for ; a < r.a; a++ {
			writeLine(out, '-', x[a])
		}
		for ; b < r.b; b++ {
			writeLine(out, '+', y[b])
		}
		for ; a < r.a+r.n; a, b = a+1, b+1 {
			writeLine(out, ' ', x[a])
		}
	}
}

// span is start and length as a hunk's head has them: from 1, the length left out if 1, and an empty span named by
// the line before it.
func span(from, to int) string {
	switch n := to - from; n {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return fmt.Sprint(from + 1)
	default:
		return fmt.Sprintf("%d,%d", from+1, n)
	}
}

func writeLine(out *strings.Builder, mark byte, line string) {
	out.WriteByte(mark)
	out.WriteString(line)
	if !strings.HasSuffix(line, "\n") {
		out.WriteString("\n\\ No newline at end of file\n")
	}
}

// splitLines keeps the line ends, so that a last line without one differs from one with it.
func splitLines(text []byte) []string {
	lines := strings.SplitAfter(string(text), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}
