package emit

import (
	"bytes"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/retryc/retryc/generator/internal/plan"
)

// goText is Go text as gofmt leaves it. What comes once for each queue is written so, and not built and formatted: at a
// thousand queues that would be nearly all of the time of a run.
type goText struct {
	bytes.Buffer
	imports map[string]bool // paths, all of the standard library
}

// file is a file of the package with nothing else in it.
func (s *goText) file(p *plan.Plan, name string) []File {
	return []File{{Path: path.Join(p.GoDir, name), Data: joined(p.Package, []part{s.part()})}}
}

func (s *goText) part() part {
	text := part{body: bytes.TrimPrefix(s.Bytes(), []byte("\n"))}
	for i := range s.imports {
		text.imports = append(text.imports, strconv.Quote(i))
	}
	return text
}

// qual is a name of a package of the standard library, which is imported for it.
func (s *goText) qual(path, name string) string {
	if s.imports == nil {
		s.imports = map[string]bool{}
	}
	s.imports[path] = true
	return path[strings.LastIndexByte(path, '/')+1:] + "." + name
}

// doc begins a declaration: an empty line, and text as its comment.
func (s *goText) doc(text string) {
	s.WriteByte('\n')
	for _, line := range wrap(text, width-len("// ")) {
		s.WriteString("// " + line + "\n")
	}
}

// lines writes each with a line end.
func (s *goText) lines(lines ...string) {
	for _, line := range lines {
		s.WriteString(line)
		s.WriteByte('\n')
	}
}

// block is lines between a head that ends with a brace, and the brace that closes it.
func block(head string, lines ...string) []string {
	out := []string{head}
	for _, line := range lines {
		out = append(out, "\t"+line)
	}
	return append(out, "}")
}

// aligned is one line for each row, its cells side by side. A cell is as wide as the widest in the rows around it that
// also have something to its right.
func aligned(rows [][]string) []string {
	out := make([]string, len(rows))
	for col := 0; ; col++ {
		more := false
		for from := 0; from < len(rows); {
			to, widest := from, 0
			for ; to < len(rows) && len(rows[to]) > col+1; to++ {
				widest = max(widest, utf8.RuneCountInString(rows[to][col]))
			}
			for i := from; i < to; i++ {
				more = true
				cell := rows[i][col]
				out[i] += cell + strings.Repeat(" ", widest-utf8.RuneCountInString(cell)+1)
			}
			from = max(to, from+1)
		}
		for i, row := range rows {
			if len(row) == col+1 {
				out[i] += row[col]
			}
		}
		if !more {
			return out
		}
	}
}
