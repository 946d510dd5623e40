package main

import (
	"github.com/retryc/retryc/schema"
	"github.com/spf13/cobra"
)

func schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of retry.yaml",
		Long:  "schema prints the JSON Schema of retry.yaml, for an editor that should know it without the network.",
		Args:  noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := c.OutOrStdout().Write(schema.V1)
			return err
		},
	}
}
