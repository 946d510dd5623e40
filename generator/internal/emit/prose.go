package emit

import "fmt"

// prose is the text of a doc comment, line by line, in the form that gofmt leaves alone.
type prose struct{ lines []string }

// The comment sign is written here, since jennifer would leave a space behind it on an empty line.
func (t *prose) line(s string) { t.lines = append(t.lines, "//"+s) }

func (t *prose) gap() {
	if len(t.lines) > 0 {
		t.line("")
	}
}

func (t *prose) heading(s string) {
	t.gap()
	t.line(" # " + s)
}

func (t *prose) paragraph(s string) {
	t.gap()
	for _, l := range wrap(s, width-len("// ")) {
		t.line(" " + l)
	}
}

func (t *prose) code(lines ...string) {
	t.gap()
	for _, l := range lines {
		t.line("\t" + l)
	}
}

func (t *prose) item(s string) { t.marked("  - ", s) }

func (t *prose) numbered(n int, s string) { t.marked(fmt.Sprintf("%3d. ", n), s) }

// marked writes an item of a list. gofmt wants an empty line around a list, and none within it.
func (t *prose) marked(mark, s string) {
	if !t.inList() {
		t.gap()
	}
	for i, l := range wrap(s, width-len("//")-len(mark)) {
		if i == 0 {
			t.line(" " + mark[1:] + l)
		} else {
			t.line("    " + l)
		}
	}
}

func (t *prose) inList() bool {
	if len(t.lines) == 0 {
		return false
	}
	last := t.lines[len(t.lines)-1]
	return len(last) > 4 && last[2:4] == "  " || len(last) > 5 && last[3] >= '0' && last[3] <= '9' && last[4] == '.'
}
