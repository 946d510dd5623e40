package main

import (
	"errors"

	"github.com/retryc/retryc/generator"
	"github.com/retryc/retryc/schema"
	"github.com/spf13/cobra"
)

func schemaCommand() *cobra.Command {
	var file, queue string
	c := &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of retry.yaml, or of a queue's payload",
		Long: "schema prints the JSON Schema of retry.yaml, for an editor that should know it without the network. With --payload it\n" +
			"prints that of a queue's payload, for a producer in another language: what it accepts, a worker takes.",
		Example: "  retryc schema > retry.schema.json\n  retryc schema --payload welcome-email",
		Args:    noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			switch {
			case c.Flags().Changed("payload"):
				return printPayloadSchema(c, file, queue)
			case file != "":
				return errors.New("the schema of retry.yaml is the same for every policy: leave --file out, or name a queue with --payload")
			}
			_, err := c.OutOrStdout().Write(schema.V1)
			return err
		},
	}
	c.Flags().StringVar(&queue, "payload", "", "the queue whose payload it is")
	c.Flags().StringVarP(&file, "file", "f", "", "the policy (default: the nearest retry.yaml, here or in a folder above)")
	_ = c.MarkFlagFilename("file", "yaml", "yml")
	_ = c.RegisterFlagCompletionFunc("payload", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		path, err := findSpec(file)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return generator.Queues(path), cobra.ShellCompDirectiveNoFileComp
	})
	return c
}

// printPayloadSchema leaves stdout to the schema: where the policy has an error, that is told on stderr.
func printPayloadSchema(c *cobra.Command, file, queue string) error {
	path, err := findSpec(file)
	if err != nil {
		return err
	}
	text, result, err := generator.PayloadSchema(path, queue)
	if err != nil {
		return err
	}
	if result.Diagnostics.HasErrors() {
		if err := writeDiagnostics(c.ErrOrStderr(), "text", path, result); err != nil {
			return err
		}
		return errFindings
	}
	_, err = c.OutOrStdout().Write(text)
	return err
}
