package main

import (
	"fmt"
	"strings"

	"github.com/retryc/retryc/generator"
)

// simulation is what a person reads of an outage.
func (p *printer) simulation(f *simulateFlags, s *generator.Simulation, bounds []checkedBound) {
	p.printf("%s\n\n", strings.Join(premise(f, s), "\n"))
	p.attemptsChart(s)
	p.printf("\n")
	rows, wide := outcomes(s), 0
	for _, row := range rows {
		wide = max(wide, len(row[1]))
	}
	for _, row := range rows {
		p.printf("%s\n", strings.TrimRight(fmt.Sprintf("%-8s  %-*s  %s", row[0], wide, row[1], row[2]), " "))
	}
	if rows := rungRows(s); len(rows) > 1 {
		p.printf("\n")
		p.table(rows)
	}
	p.printf("\n%s\n", herdText(s))
	if len(bounds) > 0 {
		p.printf("\n")
	}
	for _, b := range bounds {
		verdict := "holds"
		if b.Over {
			verdict = "is exceeded"
		}
		p.printf("%s=%s %s: %s\n", b.Name, b.Limit, verdict, b.Value)
	}
}

// premise says what is played.
func premise(f *simulateFlags, s *generator.Simulation) []string {
	load := rateText(s.Rate) + " jobs"
	if s.Every > 0 {
		load += ", in batches every " + generator.Duration(s.Every)
	}
	tier := ""
	if f.outage.Tier != "" {
		tier = " of the tier " + f.outage.Tier
	}
	attempts := "every attempt fails"
	if s.Failing < 1 {
		attempts = f.failing.String() + " of the attempts fail"
	}
	lines := []string{
		fmt.Sprintf("%s%s: %s", s.Queue, tier, load),
		fmt.Sprintf("outage: %s, in which %s as %s", generator.Duration(s.Outage), attempts, climbText(s.Down)),
	}
	asks := "each of those asks for "
	if !s.Scenario.Down.Honors {
		asks = "each attempt above the capacity asks for "
	}
	switch {
	case s.AskedEnd:
		lines = append(lines, "retry after: "+asks+"the end of the outage")
	case s.Asked > 0:
		lines = append(lines, "retry after: "+asks+generator.Duration(s.Asked)+", and its job waits no less")
	}
	if s.Capacity > 0 {
		lines = append(lines, fmt.Sprintf("capacity: %s attempts succeed in a second; those above fail as %s", generator.Grouped(s.Capacity), climbText(s.Overload)))
	}
	if s.Takes > 0 || s.FailsIn > 0 {
		runs := fmt.Sprintf("a run takes %s", about(s.Takes))
		if s.FailsIn != s.Takes {
			runs += fmt.Sprintf(", or %s where it fails in the outage", about(s.FailsIn))
		}
		if s.Slots > 0 {
			runs = fmt.Sprintf("%s, %s at once; %s", processes(f.outage.Workers), generator.Grouped(s.Slots), runs)
		}
		lines = append(lines, "workers: "+runs)
	}
	return lines
}

func climbText(c generator.Climb) string {
	if c.Ladder == "" {
		return c.Class + ", which is permanent"
	}
	return fmt.Sprintf("%s (ladder %s: %s)", c.Class, c.Ladder, c.Waits)
}

// outcomes are the figures: what, how many, and in which light.
func outcomes(s *generator.Simulation) [][]string {
	rows := [][]string{{"failed", jobs(s.Hit), fmt.Sprintf("of %s that came", generator.Grouped(int(s.Jobs)))}}
	if len(s.Dead) == 0 {
		rows = append(rows, []string{"died", "none", ""})
	}
	for _, d := range s.Dead {
		rows = append(rows, []string{"died", jobs(d.Jobs), fmt.Sprintf("%.3g%% of those that failed; reason %s", 100*float64(d.Jobs)/float64(max(1, s.Hit)), d.Reason)})
	}
	if s.Peak.Count > 0 {
		rows = append(rows, []string{"retries", generator.Grouped(s.Peak.Count) + "/s", fmt.Sprintf("at most, at %s: %s normal %s/s", about(s.Peak.At), times(s.Times(s.Peak))+" the", generator.Grouped(s.Normal()))})
	}
	if s.Busiest.Count > s.Normal() {
		rows = append(rows, []string{"recovery", generator.Grouped(s.Busiest.Count) + "/s", fmt.Sprintf("attempts at most after the outage, at %s: %s normal", about(s.Busiest.At), times(s.Times(s.Busiest))+" the")})
	}
	rows = append(rows, []string{"waiting", jobs(int64(s.Waiting.Count)), fmt.Sprintf("at most, at %s", about(s.Waiting.At))})
	switch {
	case !s.Complete:
		rows = append(rows, []string{"drained", "never", fmt.Sprintf("jobs still waited when the simulation was given up, after %s", about(s.Length()))})
	case s.Drain == 0:
		rows = append(rows, []string{"drained", "at once", "when the outage was over"})
	default:
		rows = append(rows, []string{"drained", about(s.Drain), fmt.Sprintf("after the outage; half by %s, 99%% by %s", about(s.Half), about(s.Most))})
	}
	return rows
}

// picture is the simulation as SVG.
func (f *simulateFlags) picture(s *generator.Simulation) []byte {
	lines := premise(f, s)
	var outcome []string
	for _, row := range outcomes(s) {
		outcome = append(outcome, strings.TrimRight(fmt.Sprintf("%s: %s %s", row[0], row[1], row[2]), " "))
	}
	return s.SVG(lines[0]+", and an outage of "+generator.Duration(s.Outage), lines[1:], append(outcome, strings.ReplaceAll(herdText(s), "\n", " ")))
}

// rungRows is the table of the rungs.
func rungRows(s *generator.Simulation) [][]string {
	rows := [][]string{{"after", "waits", "retries", "at most", "at the peak"}}
	for _, r := range s.Rungs {
		wait := generator.Duration(r.Least)
		if r.Longest != r.Least {
			wait += "–" + generator.Duration(r.Longest)
		}
		rows = append(rows, []string{
			fmt.Sprintf("%s %d", s.ClassOf(r), r.Number), wait, generator.Grouped(int(r.Attempts)),
			generator.Grouped(r.Peak.Count) + "/s", generator.Grouped(r.InPeak) + "/s",
		})
	}
	return rows
}

// herdText names the rung that brings back the most at once.
func herdText(s *generator.Simulation) string {
	herd := s.Herd()
	if herd == nil {
		return "No rung gathers jobs: none brings back many more in a second than arrive in one."
	}
	text := fmt.Sprintf("Rung %d of %s gathers jobs: %s of its %s retries come in the second at %s, %s what arrives.",
		herd.Number, s.ClassOf(*herd), generator.Grouped(herd.Peak.Count), generator.Grouped(int(herd.Attempts)), about(herd.Peak.At), times(float64(herd.Peak.Count)/s.Rate.PerSecond()))
	if herd.Least == herd.Longest {
		text += "\nIt has no jitter: jobs that fail together come back together."
	}
	return text
}

func times(ratio float64) string {
	if ratio >= 100 {
		return generator.Grouped(int(ratio)) + " times"
	}
	return fmt.Sprintf("%.2g times", ratio)
}

func jobs(n int64) string {
	if n == 1 {
		return "1 job"
	}
	return generator.Grouped(int(n)) + " jobs"
}

func processes(n int) string {
	if n == 1 {
		return "1 process"
	}
	return generator.Grouped(n) + " processes"
}
