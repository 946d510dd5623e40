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
	{"CPU s/10k", "%.2f", func(s sample) float64 { return s.cpu }},
	{"written B/job", "%.0f", func(s sample) float64 { return s.written }},
	{"p50 ms", "%.2f", func(s sample) float64 { return s.p50 }},
	{"p99 ms", "%.2f", func(s sample) float64 { return s.p99 }},
	{"single enqueues/s", "%.0f", func(s sample) float64 { return s.single }},
	{"batch enqueues/s", "%.0f", func(s sample) float64 { return s.batch }},
}

// table is Markdown: the median of each figure over the rounds, its least and greatest value, and the ratio of its
// median to that of base in the same mode with as many workers.
func table(all []sample, base string) string {
	var rows []sample // the first of each row
	for _, s := range all {
		if !slices.ContainsFunc(rows, s.sameRow) {
			rows = append(rows, s)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "| mode | workers | side | jobs | figure | median (min–max) | to %s |\n|---|---|---|---|---|---|---|\n", base)
	for _, row := range rows {
		of := values(all, row)
		reference := row
		reference.side = base
		against := values(all, reference)
		for i, c := range columns {
			if median(of[i]) == 0 {
				continue
			}
			ratio := "–"
			if m := median(against[i]); m > 0 {
				ratio = fmt.Sprintf("%.2f", median(of[i])/m)
			}
			fmt.Fprintf(&b, "| %s | %d | %s | %d | %s | "+c.format+" ("+c.format+"–"+c.format+") | %s |\n",
				row.mode, row.workers, row.side, row.jobs, c.title, median(of[i]), slices.Min(of[i]), slices.Max(of[i]), ratio)
		}
	}
	return b.String()
}

func (s sample) sameRow(other sample) bool {
	return s.mode == other.mode && s.side == other.side && s.workers == other.workers
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
