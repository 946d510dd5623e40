package main

import (
	"fmt"
	"slices"
	"strings"
)

// sample is one measurement.
type sample struct {
	broker, mode, side string
	jobs               int
	perSec             float64
	messages           float64 // the share of attempts that a message began, rather than a look at the table
}

// table is Markdown, with the median of the rounds.
func table(brokers, modes []string, all []sample) string {
	var b strings.Builder
	b.WriteString("| broker | mode | side | jobs | jobs/s (min–max) | to bare | begun by a message |\n| --- | --- | --- | --- | --- | --- | --- |\n")
	for _, broker := range brokers {
		for _, mode := range modes {
			var base float64
			for _, side := range sides {
				var rates, shares []float64
				jobs := 0
				for _, s := range all {
					if s.broker == broker && s.mode == mode && s.side == side {
						rates, shares, jobs = append(rates, s.perSec), append(shares, s.messages), s.jobs
					}
				}
				if side == sides[0] {
					base = median(rates)
				}
				fmt.Fprintf(&b, "| %s | %s | %s | %d | %.0f (%.0f–%.0f) | %.2f | %.0f%% |\n", broker, mode, side, jobs,
					median(rates), slices.Min(rates), slices.Max(rates), median(rates)/base, 100*median(shares))
			}
		}
	}
	return b.String()
}

// median is the middle value, or the mean of the two in the middle.
func median(values []float64) float64 {
	v := slices.Sorted(slices.Values(values))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}
