package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/retryc/retryc/generator"
)

const (
	chartColumns = 72
	chartRows    = 8
	chartTick    = 12 // columns between two times
)

// blocks are the eighths of a cell, from below.
var blocks = []rune(" ▁▂▃▄▅▆▇█")

// attemptsChart draws the busiest second of each column: first attempts shaded, retries full above them.
func (p *printer) attemptsChart(s *generator.Simulation) {
	step, columns := s.Columns(s.Shown(), chartColumns)
	top := generator.NiceTop(highest(columns, s.Normal()))
	p.printf("attempts in a second, the busiest of each %s: ░ first attempts, █ retries\n\n", generator.Duration(step))
	for row := chartRows; row > 0; row-- {
		label := ""
		if row == chartRows || row == chartRows/2 {
			label = generator.Grouped(top * row / chartRows)
		}
		line := make([]rune, len(columns))
		for i, c := range columns {
			line[i] = cell(c.Busiest.First, c.Busiest.First+c.Busiest.Retries, row, top)
		}
		p.printf("%10s ┤%s\n", label, strings.TrimRight(string(line), " "))
	}
	axis, times := "", ""
	for i := range columns {
		mark := "─"
		if columns[i].At < s.Outage {
			mark = "━"
		}
		if i%chartTick == 0 {
			mark = "┷"
			if columns[i].At >= s.Outage {
				mark = "┴"
			}
			times += fmt.Sprintf("%-*s", chartTick, generator.Duration(columns[i].At))
		}
		axis += mark
	}
	p.printf("%10s └%s\n", "0", axis)
	p.printf("%10s  %s\n", "outage ━", strings.TrimRight(times, " "))
}

func highest(columns []generator.Column, least int) int {
	for _, c := range columns {
		least = max(least, c.Busiest.First+c.Busiest.Retries)
	}
	return least
}

// cell is what is seen of a bar in a row of the chart, from 1.
func cell(first, all, row, top int) rune {
	eighths := func(n int) int { return min(8, max(0, (n*chartRows*8+top/2)/top-8*(row-1))) }
	switch e := eighths(all); {
	case e < 8:
		if e > 0 && eighths(first) >= e {
			return '░'
		}
		return blocks[e]
	case eighths(first) >= 4:
		return '░'
	}
	return '█'
}

// about is a length of time as a person would say it, rounded to what matters.
func about(d time.Duration) string {
	switch {
	case d >= time.Hour:
		d = d.Round(time.Minute)
	case d >= 10*time.Second:
		d = d.Round(time.Second)
	}
	if d == 0 {
		return "0s"
	}
	return generator.Duration(d)
}

// timelineWide is the columns of a timeline.
const timelineWide = 48

// timeline draws a row an attempt: between the earliest and the latest moment at which it can begin, and at the usual one.
func (p *printer) timeline(e *generator.Explanation) {
	t := e.Timeline()
	scale := t.Scale()
	at := func(d time.Duration) int { return min(timelineWide-1, int(scale.At(d)*timelineWide)) }
	p.printf("%-12s%-*s  %-20s%s\n", "", timelineWide, "", "waits", "since the first began")
	for _, r := range t.Rows {
		line := []rune(strings.Repeat(" ", timelineWide))
		since := ""
		if !r.Gap {
			for i := at(r.Earliest); i <= at(r.Latest); i++ {
				line[i] = '░'
			}
			switch {
			case r.End:
				line[at(r.Usual)] = '✗'
			case r.Usual >= 0:
				line[at(r.Usual)] = '█'
			}
			since = spread(r.Earliest, r.Latest)
		}
		p.printf("%s\n", strings.TrimRight(fmt.Sprintf("%-12s%s  %-20s%s", r.Name, string(line), r.Note, since), " "))
	}
	axis := []rune(strings.Repeat(" ", timelineWide+12))
	for _, m := range scale.Marks(0.14) {
		copy(axis[at(m):], []rune(generator.Duration(m)))
	}
	p.printf("%-12s%s\n", "", strings.TrimRight(string(axis), " "))
}
