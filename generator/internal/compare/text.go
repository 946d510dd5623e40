package compare

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Text writes the report for a terminal.
func (r *Report) Text(w io.Writer) error {
	t := &textWriter{}
	if r.Same() {
		t.line("%s means the same as %s", r.Head, r.Base)
		return t.to(w)
	}
	t.line("%s, compared with %s", r.Head, r.Base)
	if len(r.Refused) > 0 {
		t.section("not let through")
		t.items(r.Refused)
	}
	if len(r.Errors) > 0 {
		t.section("errors")
		var rows [][]string
		for _, e := range r.Errors {
			rows = append(rows, []string{strings.Join(e.Errors, ", "), e.Before.text(), "→", e.After.text()})
		}
		t.table("  ", rows)
	}
	for _, q := range r.Queues {
		t.queue(q)
	}
	if len(r.Settings) > 0 {
		t.section("settings")
		t.table("  ", settingRows(r.Settings))
	}
	if len(r.Migrations) > 0 {
		t.section("migrations to come")
		t.items(r.Migrations)
	}
	if len(r.InFlight) > 0 {
		t.section("jobs in flight")
		t.items(r.InFlight)
	}
	return t.to(w)
}

func (x Taken) text() string { return x.Outcome + " (" + x.Class + ")" }

// title is what a section on queues is called.
func (q QueueChange) title() string {
	what := "queue"
	if len(q.Queues) > 1 {
		what = fmt.Sprintf("%d queues", len(q.Queues))
	}
	title := what + " " + listed(q.Queues, 8)
	switch q.Change {
	case Added:
		title += ", new"
	case Removed:
		title += ", gone"
	}
	return title
}

// figureRows are the cells of each figure. Rows of the ledger are as many as runs, as a rule.
func figureRows(figures []Figure) (rows [][]string) {
	for i, f := range figures {
		name, change := label(f.Name), ""
		if f.Change != nil && *f.Change != 0 { // else the most is as it was, and the usual is not
			change = signed(*f.Change)
		}
		if f.Name == "runs" && i+1 < len(figures) && figures[i+1].as(f) {
			name += ", ledger rows"
		}
		if f.Name == "ledger_rows" && i > 0 && f.as(figures[i-1]) {
			continue
		}
		rows = append(rows, []string{name, orNothing(f.Before), "→", orNothing(f.After), change})
	}
	return rows
}

func (f Figure) as(g Figure) bool { return f.Before == g.Before && f.After == g.After }

func settingRows(settings []Setting) (rows [][]string) {
	for _, s := range settings {
		rows = append(rows, []string{s.Path, orNothing(s.Before), "→", orNothing(s.After)})
	}
	return rows
}

// orNothing shows that there is no value.
func orNothing(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

type textWriter struct{ b strings.Builder }

func (t *textWriter) to(w io.Writer) error {
	_, err := io.WriteString(w, t.b.String())
	return err
}

func (t *textWriter) line(format string, args ...any) { fmt.Fprintf(&t.b, format+"\n", args...) }

func (t *textWriter) section(title string) { t.line("\n%s", title) }

func (t *textWriter) items(list []string) {
	for _, s := range list {
		t.line("  - %s", s)
	}
}

func (t *textWriter) queue(q QueueChange) {
	t.section(q.title())
	for _, r := range q.Jobs {
		for _, who := range r.words() {
			t.line("  %s", who)
		}
		t.table("    ", figureRows(r.Figures))
	}
	if len(q.Settings) > 0 {
		if len(q.Jobs) > 0 {
			t.line("  settings")
		}
		t.table(strings.Repeat(" ", 2+2*min(1, len(q.Jobs))), settingRows(q.Settings))
	}
}

// words are the jobs of a row, a line each.
func (r Row) words() (lines []string) {
	for _, j := range r.Of {
		who := "jobs at worst, with every counter used up"
		if len(j.Ends) > 0 {
			who = "jobs whose attempts end in " + strings.Join(j.Ends, ", ")
		}
		if len(j.Tiers) > 0 {
			who += "; " + j.tiers()
		}
		lines = append(lines, who)
	}
	return lines
}

// table writes rows with their columns under each other. A wide cell does not widen those of the others.
func (t *textWriter) table(indent string, rows [][]string) {
	const widest = 44
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			if n := utf8.RuneCountInString(cell); n <= widest {
				widths[i] = max(widths[i], n)
			}
		}
	}
	for _, row := range rows {
		line := indent
		for i, cell := range row {
			line += cell + strings.Repeat(" ", max(0, widths[i]-utf8.RuneCountInString(cell))+2)
		}
		t.line("%s", strings.TrimRight(line, " "))
	}
}
