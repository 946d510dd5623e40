package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/retryc/retryc/generator"
)

// diffLines is how many lines of a file's difference check shows unless asked for all.
const diffLines = 40

// printer writes text for a person. It keeps the first error.
type printer struct {
	w    io.Writer
	spec string
	err  error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

// path is a file's path as a person in the working folder would type it.
func (p *printer) path(f generator.File) string {
	name := filepath.Join(filepath.Dir(p.spec), filepath.FromSlash(f.Path))
	if filepath.IsAbs(name) {
		return name
	}
	if abs, err := filepath.Abs(name); err == nil {
		return short(abs) // ../internal/x is x for one who stands in internal
	}
	return name
}

// actions is the table of what was written and removed, and how much stayed.
func (p *printer) actions(files []generator.File) {
	var rows [][]string
	kept := 0
	for _, f := range files {
		switch f.Action {
		case generator.Write:
			rows = append(rows, []string{"write", p.path(f), plural(f.Lines, "line"), plural(f.Bytes, "byte")})
		case generator.Remove:
			rows = append(rows, []string{"remove", p.path(f)})
		case generator.Keep, generator.Record:
			if f.Path != generator.ManifestName {
				kept++
			}
		}
	}
	p.table(rows)
	if kept > 0 {
		p.printf("%s up to date\n", plural(kept, "file"))
	}
}

// unrecorded is the state of the record where it does not say what is on disk. It stands for all those files.
const unrecorded generator.State = "unrecorded files"

// labels say what each state means, the most pressing first.
var labels = []struct {
	state generator.State
	label string
	means string
}{
	{generator.Damaged, "damaged", "a record of retryc that cannot be used"},
	{generator.Shared, "shared", "the record of another policy, in the same folder"},
	{generator.Forked, "forked", "two branches have each added a migration"},
	{generator.Lost, "lost", "a migration that was written before is not there"},
	{generator.Foreign, "foreign", "not written by retryc, but in its way"},
	{generator.Edited, "edited", "edited by hand"},
	{generator.Frozen, "frozen", "a migration that was generated before"},
	{generator.Taken, "taken", "the number of this migration is not free"},
	{generator.Missing, "missing", "not there"},
	{generator.Changed, "changed", "older than the policy, or than this retryc"},
	{generator.Orphaned, "orphaned", "no longer generated"},
	{unrecorded, "incomplete", "the record of generated files is missing, or lacks something"},
	{generator.Unrecorded, "incomplete", "not recorded as it is on disk"},
	{generator.Leftover, "incomplete", "left by a run that was cut off"},
}

// states lists files by state, with the advice below all those that it holds for.
func (p *printer) states(files []generator.File) {
	for _, l := range labels {
		group := slices.Collect(func(yield func(generator.File) bool) {
			for _, f := range files {
				if f.State == l.state && !yield(f) {
					return
				}
			}
		})
		slices.SortStableFunc(group, func(a, b generator.File) int { return strings.Compare(a.Advice, b.Advice) })
		for i, f := range group {
			code := ""
			if f.Code != "" {
				code = " (" + f.Code + ")"
			}
			p.printf("%-10s  %s: %s%s\n", l.label, p.path(f), l.means, code)
			if f.Advice != "" && (i == len(group)-1 || group[i+1].Advice != f.Advice) {
				p.printf("            %s\n", f.Advice)
			}
		}
	}
}

// drifted are the files that are not as generate would leave them. Those that only lack their place in the record
// are many and need the same, so that they come as one, before each of them if all is asked for.
func drifted(files []generator.File, all bool) (out []generator.File) {
	record := generator.File{Path: generator.ManifestName, State: unrecorded, Advice: "run retryc generate: it completes the record"}
	incomplete, n := false, 0
	for _, f := range files {
		switch {
		case f.State == generator.Unchanged:
		case f.State == generator.Unrecorded:
			incomplete = true
			if f.Path == generator.ManifestName {
				continue
			}
			n++
			if all {
				out = append(out, f)
			}
		default:
			out = append(out, f)
		}
	}
	if n > 0 {
		record.Advice += " by " + plural(n, "file")
		if !all {
			record.Advice += ", which --verbose lists"
		}
	}
	if incomplete {
		out = append(out, record)
	}
	return out
}

// notes say what the change means for jobs that are enqueued already.
func (p *printer) notes(r *generator.Result) {
	for _, note := range r.Notes {
		p.printf("note: %s\n", note)
	}
}

// diffs shows how the files on disk differ from the generated ones.
func (p *printer) diffs(files []generator.File, all bool) {
	for _, f := range files {
		lines := strings.SplitAfter(f.Diff(), "\n")
		if n := len(lines) - 1; !all && n > diffLines {
			p.printf("\n%s… %s more, shown with --verbose\n", strings.Join(lines[:diffLines], ""), plural(n-diffLines, "line"))
		} else if n > 0 {
			p.printf("\n%s", strings.Join(lines, ""))
		}
	}
	p.printf("\n")
}

// table prints rows with their columns under each other.
func (p *printer) table(rows [][]string) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			if i < 2 {
				line += fmt.Sprintf("%-*s  ", widths[i], cell)
			} else {
				line += fmt.Sprintf("%*s  ", widths[i], cell) // amounts stand to the right
			}
		}
		p.printf("%s\n", strings.TrimRight(line, " "))
	}
}
