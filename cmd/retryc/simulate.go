package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/retryc/retryc/generator"
	"github.com/spf13/cobra"
)

// simulateFlags are the scenario as it was typed.
type simulateFlags struct {
	file     string
	format   string
	outage   generator.Outage
	scenario generator.Scenario
	failing  percent
	rate     rate
	failOver string
	svg      string
}

var simulateFormats = []string{"text", "json"}

func simulateCommand() *cobra.Command {
	f := simulateFlags{
		scenario: generator.Scenario{Outage: 10 * time.Minute, Rate: generator.Rate{Jobs: 100, Per: time.Second}, Failing: 1, Seed: 1},
	}
	c := &cobra.Command{
		Use:   "simulate [QUEUE]",
		Short: "Play an outage, and show the retries that it brings",
		Long: "simulate lets what the handlers of a queue call be away for a while, and decides about every attempt as the worker\n" +
			"does. It shows how many retries come in a second, when the queue is itself again, how many jobs die, and which rung\n" +
			"of the ladder brings back the most jobs at once. The same command always gives the same.\n\n" +
			"It exits with 1 if something exceeds the bounds of --fail-over.",
		Example: "  retryc simulate welcome-email --outage 30m --rate 200/s --capacity 500\n" +
			"  retryc simulate --outage 1h --fail-over dead=1%,recovery=5x,drain=2h",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("simulate takes one queue at a time, but there are %d: %s", len(args), strings.Join(args, ", "))
			}
			return nil
		},
		ValidArgsFunction: completeQueue(&f.file),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				f.outage.Queue = args[0]
			}
			return f.run(c)
		},
	}
	f.add(c)
	return c
}

func (f *simulateFlags) add(c *cobra.Command) {
	s, o := &f.scenario, &f.outage
	f.failing, f.rate = percent{&s.Failing}, rate{&s.Rate}
	c.Flags().Var(duration{&s.Outage}, "outage", "how long every attempt fails")
	c.Flags().Var(f.rate, "rate", "how many jobs arrive: 100/s, 90/m or 5000/h")
	c.Flags().Var(duration{&s.Every}, "every", "let them arrive in batches that far apart (default: one by one)")
	c.Flags().IntVar(&s.Capacity, "capacity", 0, "attempts that can succeed in a second; those above it fail (default: any number)")
	c.Flags().Var(f.failing, "failing", "the share of the attempts that fail during the outage")
	c.Flags().StringVar(&o.Class, "class", "", "the class of the errors of the outage (default: that of an HTTP 503)")
	c.Flags().StringVar(&o.Overload, "overload-class", "", "the class of the errors above the capacity (default: that of an HTTP 429)")
	c.Flags().Var(retryAfter{s}, "retry-after", "the wait that each such error asks for; end: until the outage is over")
	c.Flags().StringVar(&o.Tier, "tier", "", "the tier of the jobs' tenants")
	c.Flags().IntVar(&o.Workers, "workers", 0, "processes, each with the queue's concurrency (default: as many as are needed)")
	c.Flags().Var(duration{&s.Takes}, "takes", "how long a run of the handler takes")
	c.Flags().Var(duration{&s.FailsIn}, "fails-in", "how long a run takes that fails in the outage (default: --takes)")
	c.Flags().Uint64Var(&s.Seed, "seed", s.Seed, "of the jitter")
	c.Flags().StringVar(&f.failOver, "fail-over", "", "bounds, such as dead=1%,peak=5x,recovery=6x,drain=2h")
	c.Flags().StringVar(&f.svg, "svg", "", "a file for the picture")
	c.Flags().StringVar(&f.format, "format", "text", "how results are printed: text or json")
	c.Flags().StringVarP(&f.file, "file", "f", "", "the policy (default: the nearest retry.yaml, here or in a folder above)")
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(simulateFormats, cobra.ShellCompDirectiveNoFileComp))
	_ = c.MarkFlagFilename("file", "yaml", "yml")
	_ = c.MarkFlagFilename("svg", "svg")
}

// check also fills in what follows from other flags.
func (f *simulateFlags) check(c *cobra.Command) error {
	s := &f.scenario
	if !slices.Contains(simulateFormats, f.format) {
		return fmt.Errorf("there is no format %q: use one of %s", f.format, strings.Join(simulateFormats, ", "))
	}
	for _, n := range []struct {
		name  string
		given int
	}{{"capacity", s.Capacity}, {"workers", f.outage.Workers}} {
		if c.Flags().Changed(n.name) && (n.given < 1 || n.given > mostGiven) {
			return fmt.Errorf("--%s is %d: give a number from 1 to %d, or leave it out", n.name, n.given, mostGiven)
		}
	}
	if !c.Flags().Changed("fails-in") {
		s.FailsIn = s.Takes
	}
	if f.outage.Workers > 0 && s.Takes == 0 {
		return errors.New("--workers needs --takes: how long a run takes decides how many of them come in a second")
	}
	return nil
}

const mostGiven = 1_000_000

func (f *simulateFlags) run(c *cobra.Command) error {
	if err := f.check(c); err != nil {
		return err
	}
	bounds, err := generator.Bounds(f.failOver)
	if err != nil {
		return fmt.Errorf("--fail-over: %w", err)
	}
	path, err := findSpec(f.file)
	if err != nil {
		return err
	}
	s, result, err := generator.Simulate(path, f.outage, f.scenario)
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
		if err := os.WriteFile(f.svg, f.picture(s), 0o644); err != nil {
			return fmt.Errorf("cannot write the picture: %w", err)
		}
	}
	checked := checkBounds(bounds, s)
	if err := f.print(c.OutOrStdout(), path, s, checked); err != nil {
		return err
	}
	if slices.ContainsFunc(checked, func(b checkedBound) bool { return b.Over }) {
		return errFindings
	}
	return nil
}

func (f *simulateFlags) print(w io.Writer, path string, s *generator.Simulation, bounds []checkedBound) error {
	if f.format == "json" {
		return writeSimulationJSON(w, path, f, s, bounds)
	}
	p := &printer{w: w, spec: path}
	p.simulation(f, s, bounds)
	return p.err
}

// checkedBound is a bound of --fail-over and what came of it.
type checkedBound struct {
	Name  string `json:"name"`
	Limit string `json:"limit"`
	Value string `json:"value"`
	Over  bool   `json:"over"`
}

func checkBounds(bounds []generator.Bound, s *generator.Simulation) []checkedBound {
	checked := []checkedBound{}
	for _, b := range bounds {
		value, over := b.Exceeds(&s.Simulated)
		checked = append(checked, checkedBound{b.Name, b.Limit, value, over})
	}
	return checked
}

// completeQueue completes the one argument that is a queue.
func completeQueue(file *string) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		path, err := findSpec(*file)
		if err != nil || len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return generator.Queues(path), cobra.ShellCompDirectiveNoFileComp
	}
}
