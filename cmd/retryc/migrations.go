package main

import (
	"fmt"

	"github.com/retryc/retryc/generator"
	"github.com/spf13/cobra"
)

func migrationsCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "migrations",
		Short: "Settle migrations that two branches have added",
		Args:  noArgs,
	}
	c.AddCommand(renumberCommand())
	return c
}

func renumberCommand() *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use:   "renumber FILE",
		Short: "Write a migration of a merged branch anew, after all others",
		Long: "renumber is for a folder in which two branches have each added a migration. It removes FILE, and what else its\n" +
			"branch added, and writes what they did as the last migration, on top of those of the other branch. Where only the\n" +
			"number of FILE is another migration's too, FILE gets a new one, with those after it. FILE is the migration that no\n" +
			"database has run yet; one that has run it goes down from it first.",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("%s takes one argument, the migration to write anew; retryc check names those that it can be", c.CommandPath())
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			path, err := findSpec(f.file)
			if err != nil {
				return err
			}
			result, err := generator.Renumber(path, args[0])
			if err != nil {
				return err
			}
			return printGenerated(c.OutOrStdout(), path, f, result, false)
		},
	}
	f.add(c)
	return c
}
