package main

import (
	"github.com/retryc/retryc/generator"
	"github.com/spf13/cobra"
)

func printCommand() *cobra.Command {
	var file string
	c := &cobra.Command{
		Use:   "print",
		Short: "Print the policy as JSON, with all that it leaves to defaults and what it means for jobs",
		Long: "print gives out the policy as other programs can use it: every name looked up, every default filled in, and for each\n" +
			"queue, tier and error class the ladder, the attempts, the waits, what ends the job and what it takes until then.\n" +
			"Durations are in milliseconds and as retry.yaml writes them. The member \"retryc\" is the number of the form: within\n" +
			"one, members are added, and none is taken away or changes its meaning.",
		Example: "  retryc print | jq '.queues[] | {name, runs: .tiers[0].worst.takes.runs}'",
		Args:    noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			path, err := findSpec(file)
			if err != nil {
				return err
			}
			text, result, err := generator.Print(path)
			if err != nil {
				return err
			}
			if result.Diagnostics.HasErrors() { // stdout is for the policy
				if err := writeDiagnostics(c.ErrOrStderr(), "text", path, result); err != nil {
					return err
				}
				return errFindings
			}
			_, err = c.OutOrStdout().Write(text)
			return err
		},
	}
	c.Flags().StringVarP(&file, "file", "f", "", "the policy (default: the nearest retry.yaml, here or in a folder above)")
	_ = c.MarkFlagFilename("file", "yaml", "yml")
	return c
}
