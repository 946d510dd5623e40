package main

import (
	"fmt"
	"slices"
	"strings"
)

// column is one figure of the table.
type column struct {
	title  string
	format string
	value  func(sample) float64
}

var columns = []column{
	{"jobs/s", "%.0f", func(s sample) float64 { return s.perSec }},
	{"CPU s/10k", "%.3f", func(s sample) float64 { return s.used.cpu }},
	{"server CPU s/10k", "%.3f", func(s sample) float64 { return s.used.server }},
	{"written B/job", "%.0f", func(s sample) float64 { return s.used.written }},
	{"WAL B/job", "%.0f", func(s sample) float64 { return s.used.wal }},
	{"p50 ms", "%.2f", func(s sample) float64 { return s.p50 }},
	{"p99 ms", "%.2f", func(s sample) float64 { return s.p99 }},
	{"single enqueues/s", "%.0f", func(s sample) float64 { return s.single }},
	{"batch enqueues/s", "%.0f", func(s sample) float64 { return s.batch }},
}

// table is Markdown: the median of each figure over the rounds, its least and greatest value, and the ratio of its
// median to that of base, and to that of the same side in the state empty, in the same mode with as many workers.
func table(all []sample, base string) string {
	var rows []sample // the first of each row
	states := false
	for _, s := range all {
		states = states || s.state != all[0].state
		if !slices.ContainsFunc(rows, s.sameRow) {
			rows = append(rows, s)
		}
	}
	var b strings.Builder
	line := func(cells ...string) {
		if !states {
			cells = slices.Delete(cells, 2, 3)
			cells = cells[:len(cells)-1]
		}
		b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	line("mode", "workers", "state", "side", "jobs", "figure", "median (min–max)", "to "+base, "to empty")
	line(slices.Repeat([]string{"---"}, 9)...)
	for _, row := range rows {
		other, empty := row, row
		other.side, empty.state = base, "empty"
		of, against, before := values(all, row), values(all, other), values(all, empty)
		for i, c := range columns {
			if median(of[i]) == 0 {
				continue
			}
			figures := fmt.Sprintf(c.format+" ("+c.format+"–"+c.format+")", median(of[i]), slices.Min(of[i]), slices.Max(of[i]))
			line(row.mode, fmt.Sprint(row.workers), row.state, row.side, fmt.Sprint(row.jobs), c.title, figures, ratio(of[i], against[i]), ratio(of[i], before[i]))
		}
	}
	return b.String()
}

func ratio(of, to []float64) string {
	if m := median(to); m > 0 {
		return fmt.Sprintf("%.2f", median(of)/m)
	}
	return "–"
}

func (s sample) sameRow(other sample) bool {
	return s.mode == other.mode && s.side == other.side && s.state == other.state && s.workers == other.workers
}

// values are the figures of a row, by column and round; a single zero where there are none.
func values(all []sample, row sample) [][]float64 {
	v := make([][]float64, len(columns))
	for _, s := range all {
		if s.sameRow(row) {
			for i, c := range columns {
				v[i] = append(v[i], c.value(s))
			}
		}
	}
	return v
}

// median is the middle value, or the mean of the two in the middle; 0 of none.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	v := slices.Sorted(slices.Values(values))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}
