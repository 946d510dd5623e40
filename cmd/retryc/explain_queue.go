package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/retryc/retryc/generator"
	"github.com/spf13/cobra"
)

// queueFlags say which life of a queue's job is told.
type queueFlags struct {
	file, tier, class, svg string
}

func (f *queueFlags) add(c *cobra.Command) {
	c.Flags().StringVarP(&f.file, "file", "f", "", "of a queue: the policy (default: the nearest retry.yaml, here or in a folder above)")
	c.Flags().StringVar(&f.class, "class", "", "of a queue: the class of the errors (default: that of an HTTP 503)")
	c.Flags().StringVar(&f.tier, "tier", "", "of a queue: the tier of the job's tenant")
	c.Flags().StringVar(&f.svg, "svg", "", "of a queue: a file for the picture")
	_ = c.MarkFlagFilename("file", "yaml", "yml")
	_ = c.MarkFlagFilename("svg", "svg")
}

// given is the first of these flags that was given.
func (f *queueFlags) given(c *cobra.Command) string {
	for _, name := range []string{"file", "class", "tier", "svg"} {
		if c.Flags().Changed(name) {
			return name
		}
	}
	return ""
}

// explainQueue tells what the policy means for the jobs of a queue.
func (f *queueFlags) explainQueue(c *cobra.Command, queue string) error {
	path, err := findSpec(f.file)
	if err != nil {
		return fmt.Errorf("%s is no code, and for a queue there has to be a policy: %w", queue, err)
	}
	e, result, err := generator.Explain(path, queue, f.tier, f.class)
	if err != nil {
		return err
	}
	if result.Diagnostics.HasErrors() {
		if err := writeDiagnostics(c.ErrOrStderr(), "text", path, result); err != nil {
			return err
		}
		return errFindings
	}
	if f.svg != "" {
		t := e.Timeline()
		premise := lifePremise(e)
		t.Title, t.Premise, t.Outcome = premise[0], premise[1:], append(lifeOutcome(e), brokerText(e)...)
		if err := os.WriteFile(f.svg, t.SVG(), 0o644); err != nil {
			return fmt.Errorf("cannot write the picture: %w", err)
		}
	}
	return printLife(c.OutOrStdout(), path, e)
}

func printLife(w io.Writer, path string, e *generator.Explanation) error {
	p := &printer{w: w, spec: path}
	p.printf("%s\n\n", strings.Join(lifePremise(e), "\n"))
	p.timeline(e)
	p.printf("\n%s\n", strings.Join(lifeOutcome(e), "\n"))
	p.printf("\nIn which way its attempts end decides how it goes:\n\n")
	p.table(endRows(e))
	p.printf("\n%s\n", worstText(e))
	if lines := brokerText(e); len(lines) > 0 {
		p.printf("\n%s\n", strings.Join(lines, "\n"))
	}
	return p.err
}

// lifePremise says whose life it is.
func lifePremise(e *generator.Explanation) []string {
	c := e.Course
	tier := ""
	if c.Tier != "" {
		tier = " of the tier " + c.Tier
	}
	how := "transient: it runs again at once, or when its handler asks for it"
	switch {
	case c.End.Permanent:
		how = "permanent: no attempt follows"
	case c.Ladder != nil:
		how = fmt.Sprintf("transient, on the ladder %s (%s): %s", c.Ladder.Name.V, chosenText(c), c.Ladder.Text())
	}
	return []string{
		fmt.Sprintf("%s: a job%s whose attempts all end as %s", c.Queue.Name.V, tier, c.End.Name),
		c.End.Name + " is " + how,
		fmt.Sprintf("a run takes at most %s, %s at once in one process", generator.Duration(c.Queue.Timeout.V), plural(c.Queue.Concurrency, "job")),
	}
}

// chosenText says why it is this ladder.
func chosenText(c generator.Course) string {
	if c.Chosen == "default" {
		return "the default"
	}
	return "of the " + c.Chosen
}

// lifeOutcome says how it ends.
func lifeOutcome(e *generator.Explanation) []string {
	c := e.Course
	attempts := plural(c.Latest.Attempts, "attempt")
	if c.Soonest.Attempts != c.Latest.Attempts {
		attempts = fmt.Sprintf("%d to %s", c.Latest.Attempts, plural(c.Soonest.Attempts, "attempt"))
	}
	if c.End.Permanent {
		return []string{fmt.Sprintf("It is dead after its first attempt (%s), and waits for a person.", c.Soonest.Reason)}
	}
	lines := []string{fmt.Sprintf("It is dead after %s, of %s, %s after the first began: from the shortest waits and runs of no time to the longest and runs of %s.",
		attempts, e.Reasons(), spread(e.DeadAfter()), generator.Duration(c.Queue.Timeout.V))}
	if c.Soonest.Attempts > c.Typical.Attempts {
		lines = append(lines, "An attempt with a question mark is made only where waits are short.")
	}
	if c.Ladder != nil && len(c.Steps) > 0 {
		lines = append(lines, fmt.Sprintf("No wait is longer than %s, and no attempt begins more than %s after the first.", about(c.LongestWait), generator.Duration(e.Window)))
	}
	if c.End.Crash {
		lines = append(lines, fmt.Sprintf("A crash is noticed once the lease is over, %s after it was last renewed; that time comes on top of each wait. In company, three times as many crashes are allowed.", generator.Duration(c.Queue.Lease.V)))
	}
	if c.Asked > 0 {
		lines = append(lines, fmt.Sprintf("A server can ask for a longer wait each time, of up to %s; it is never undercut.", generator.Duration(c.Asked)))
	}
	return lines
}

// endRows is the table of all ways in which attempts end.
func endRows(e *generator.Explanation) [][]string {
	rows := [][]string{{"class", "dead of", "ladder", "attempts", "longest wait", "usually after"}}
	for _, c := range e.Others {
		name := c.End.Name
		if c.End.Crash && name != "crashed" {
			name += " (crash)"
		}
		attempts := fmt.Sprint(c.Latest.Attempts)
		if c.Soonest.Attempts != c.Latest.Attempts {
			attempts += fmt.Sprintf("–%d", c.Soonest.Attempts)
		}
		ladder, longest, after := "–", "–", "–"
		switch {
		case c.End.Permanent:
			after = "at once"
		case c.Ladder != nil:
			ladder, longest, after = c.Ladder.Name.V, about(c.LongestWait), about(c.Typical.Elapsed)
		}
		rows = append(rows, []string{name, c.Typical.Reason, ladder, attempts, longest, after})
	}
	return rows
}

// worstText says what a job can take that uses everything up.
func worstText(e *generator.Explanation) string {
	w := e.Worst
	var parts []string
	for counter, n := range w.Counts {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s of %s", generator.Grouped(n), strings.ReplaceAll(generator.CounterName(counter), "_", " ")))
		}
	}
	text := fmt.Sprintf("A job that uses up every counter runs %s times (%s, and the last), for up to %s of a handler's time, and leaves as many rows in the ledger.",
		generator.Grouped(w.Runs), strings.Join(parts, ", "), about(w.HandlerFor))
	if w.Window {
		text += " Its window ends it before."
	}
	return text
}

// spread is two lengths of time and what is between them.
func spread(least, longest time.Duration) string {
	least, longest = min(least, longest), max(least, longest)
	if about(least) == about(longest) {
		return about(least)
	}
	return about(least) + " to " + about(longest)
}
