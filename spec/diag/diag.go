// Package diag is the one diagnostic of the tool: where, which code, what is wrong, what to do next.
package diag

import (
	"cmp"
	"fmt"
	"slices"
)

// Pos is a place in a spec file. Line and Col count from 1, Col in runes. The zero Pos is no place.
type Pos struct{ Line, Col int }

// Valid reports whether p is a place.
func (p Pos) Valid() bool { return p.Line > 0 }

// Severity says whether a finding stops generation.
type Severity int

// The severities. With an Error the file contradicts itself, says what has no effect, or makes output that is wrong: it stops
// generation, makes the command exit with 1, and cannot be ignored. A Warning is a judgement on a policy that is sound: a
// comment with a reason takes it out.
const (
	Error Severity = iota
	Warning
)

func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// Diagnostic is one finding.
type Diagnostic struct {
	Pos      Pos
	Width    int    // runes under the caret, from Pos; below 1 counts as 1
	Code     string // RCnnn; Explain prints its long text
	Severity Severity
	Message  string   // what is wrong, one line
	Hint     string   // what to do next, one line; may be empty
	Related  *Related // the other place of a conflict; nil where there is none
	Ignored  string   // the reason for which a comment in the file takes it out; empty: none does
}

// Related is the second place of a conflict.
type Related struct {
	Pos     Pos
	Width   int
	Message string
}

// List collects findings. A stage appends and never stops at the first.
type List []Diagnostic

// Errorf appends an error at pos; width is how many runes the caret underlines. The answer lets the caller add a
// hint or the other place of a conflict, and is valid until the next append.
func (l *List) Errorf(code string, pos Pos, width int, format string, args ...any) *Diagnostic {
	*l = append(*l, Diagnostic{Pos: pos, Width: width, Code: code, Message: fmt.Sprintf(format, args...)})
	return &(*l)[len(*l)-1]
}

// Warnf appends a warning, as Errorf does an error.
func (l *List) Warnf(code string, pos Pos, width int, format string, args ...any) *Diagnostic {
	d := l.Errorf(code, pos, width, format, args...)
	d.Severity = Warning
	return d
}

// HasErrors reports whether a finding stops generation.
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(d Diagnostic) bool { return d.Severity == Error })
}

// Sort orders by place, then code, then text, and drops findings that say the same thing twice.
func (l *List) Sort() {
	slices.SortStableFunc(*l, func(a, b Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col),
			cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message))
	})
	*l = slices.CompactFunc(*l, func(a, b Diagnostic) bool {
		return a.Pos == b.Pos && a.Code == b.Code && a.Message == b.Message
	})
}
