package picture

import (
	"strings"
	"time"
)

// Timeline is a picture of a job's life: when each of its attempts can begin.
type Timeline struct {
	Title   string
	Premise []string
	Rows    []Row
	Outcome []string
	Time    func(time.Duration) string
}

// Row is an attempt, or the end.
type Row struct {
	Name             string
	Earliest, Latest time.Duration // since the first attempt began
	Usual            time.Duration // Never: it is not usual
	Note             string
	End              bool // of the job
	Gap              bool // no attempt, but those that are left out here
}

// Never is no time.
const Never time.Duration = -1

const (
	rowHigh  = 26
	rowsLeft = 120 // what is left of it is for names
	noteWide = 190 // what is right of the rows is for notes
)

// Scale is that of all rows.
func (t *Timeline) Scale() Scale {
	s := Scale{}
	for _, r := range t.Rows {
		if r.Earliest > 0 && (s.Base == 0 || r.Earliest < s.Base) {
			s.Base = r.Earliest
		}
		s.End = max(s.End, r.Latest)
	}
	s.Base = max(s.Base/2, s.End/10_000) // full jitter begins at nothing
	return s
}

// SVG draws a row for each attempt: when it begins at the earliest and at the latest, and without jitter.
func (t *Timeline) SVG() []byte {
	s := &svg{}
	s.text(margin, 34, "title", "start", t.Title)
	y := s.paragraph(58, "soft", t.Premise...) + 26
	scale := t.Scale()
	right := float64(right - noteWide)
	x := func(d time.Duration) float64 { return rowsLeft + (right-rowsLeft)*scale.At(d) }
	s.text(rowsLeft, y-8, "soft", "start", "since the first began: earliest, usual and latest")
	s.text(right+14, y-8, "soft", "start", "waits")
	bottom := y + rowHigh*float64(len(t.Rows))
	for _, m := range scale.Marks(0.11) {
		s.rule(x(m), y, x(m), bottom+5, "grid")
		s.text(x(m), bottom+19, "soft", "middle", t.Time(m))
	}
	s.rule(rowsLeft, bottom, right, bottom, "axis")
	for _, r := range t.Rows {
		band, point := "thin", "two"
		if r.End {
			band, point = "away", "end"
		}
		middle := y + rowHigh/2
		s.text(rowsLeft-12, middle+4, "text", "end", r.Name)
		if r.Latest > r.Earliest {
			s.rect(x(r.Earliest), middle-7, max(2, x(r.Latest)-x(r.Earliest)), 14, band)
		}
		if !r.Gap && r.Usual != Never {
			s.rect(x(r.Usual)-2, middle-8, 4, 16, point)
		}
		s.text(right+14, middle+4, "soft", "start", r.Note)
		y += rowHigh
	}
	y = s.paragraph(bottom+48, "text", t.Outcome...)
	return s.document(y+4, t.Title, strings.Join(append(append([]string{}, t.Premise...), t.Outcome...), ". "))
}
