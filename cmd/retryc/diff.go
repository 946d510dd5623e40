package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/retryc/retryc/generator"
	"github.com/spf13/cobra"
)

var diffFormats = []string{"text", "markdown", "json"}

func diffCommand() *cobra.Command {
	var file, base, format string
	c := &cobra.Command{
		Use:   "diff --base REV|FILE",
		Short: "Say what a change of the policy means for jobs",
		Long: "diff compares the policy with another one by what they mean, not by how they are written: for each queue, tier and\n" +
			"error class the ladder, the attempts, the waits and what ends a job; what one that never succeeds takes; which errors\n" +
			"are taken for something else; keys and payloads; the migrations to come, and what becomes of jobs in flight.\n\n" +
			"The other one is a file, or the same file in a revision of git, which is asked on this machine alone. It exits with 1 if a\n" +
			"change passes what the policy's section review allows; bounds that the base has are those that count.",
		Example: "  retryc diff --base main\n  retryc diff --base HEAD~3:old/retry.yaml --format markdown",
		Args:    noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			switch {
			case !slices.Contains(diffFormats, format):
				return fmt.Errorf("there is no format %q: use one of %s", format, strings.Join(diffFormats, ", "))
			case base == "":
				return errors.New("diff needs something to compare with: name a revision or a file with --base, such as --base main")
			}
			path, err := findSpec(file)
			if err != nil {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return fmt.Errorf("cannot read the spec: %w", err)
			}
			before, err := baseSource(path, base)
			if err != nil {
				return err
			}
			return printDifference(c, format, generator.Diff(before, generator.Source{Name: path, Text: text}))
		},
	}
	c.Flags().StringVarP(&file, "file", "f", "", "the policy (default: the nearest retry.yaml, here or in a folder above)")
	c.Flags().StringVar(&base, "base", "", "what to compare with: a file, a revision of git, or REVISION:PATH")
	c.Flags().StringVar(&format, "format", "text", "how the difference is printed: text, markdown or json")
	_ = c.MarkFlagFilename("file", "yaml", "yml")
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(diffFormats, cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("base", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return revisions(), cobra.ShellCompDirectiveDefault // and files
	})
	return c
}

// printDifference leaves stdout to the report: where a policy has an error, that is told on stderr.
func printDifference(c *cobra.Command, format string, d *generator.Difference) error {
	if d.Report == nil {
		for _, r := range []*generator.Result{d.Base, d.Head} {
			if err := writeDiagnostics(c.ErrOrStderr(), "text", r.Document.Path, r); err != nil {
				return err
			}
		}
		return errFindings
	}
	write := map[string]func(io.Writer) error{"text": d.Report.Text, "markdown": d.Report.Markdown, "json": d.Report.JSON}[format]
	if err := write(c.OutOrStdout()); err != nil {
		return err
	}
	if len(d.Report.Refused) > 0 {
		return errFindings
	}
	return nil
}

// baseSource is what base names: a file, or the policy at path in a revision.
func baseSource(path, base string) (generator.Source, error) {
	info, err := os.Stat(base)
	if err == nil && !info.IsDir() {
		text, err := os.ReadFile(base)
		if err != nil {
			return generator.Source{}, fmt.Errorf("cannot read the base: %w", err)
		}
		return generator.Source{Name: base, Text: text}, nil
	}
	return inRevision(path, base)
}
