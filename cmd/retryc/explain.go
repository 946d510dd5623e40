package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/retryc/retryc/spec/diag"
	"github.com/spf13/cobra"
)

func explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "explain [CODE]",
		Short:   "Say more about a finding, by its code",
		Long:    "explain prints what a code such as RC104 means, with an example that is wrong and one that is right. Without a code\nit lists them all.",
		Example: "  retryc explain RC104",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("explain takes one code at a time, but there are %d: %s", len(args), strings.Join(args, ", "))
			}
			return nil
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return diag.Codes(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listCodes(c.OutOrStdout())
			}
			text, ok := diag.Explain(args[0])
			if !ok {
				return unknownCode(args[0])
			}
			_, err := io.WriteString(c.OutOrStdout(), text)
			return err
		},
	}
}

func listCodes(w io.Writer) error {
	p := &printer{w: w}
	for _, code := range diag.Codes() {
		p.printf("%s  %s\n", code, diag.Title(code))
	}
	return p.err
}

// unknownCode takes a bare number for a code that was meant.
func unknownCode(word string) error {
	guess := diag.Nearest(word, diag.Codes())
	if full := "RC" + strings.TrimLeft(strings.ToUpper(word), "RC"); slices.Contains(diag.Codes(), full) {
		guess = full
	}
	if guess != "" {
		return fmt.Errorf("there is no code %s: did you mean %s? retryc explain lists them all", word, guess)
	}
	return fmt.Errorf("there is no code %s: retryc explain lists them all", word)
}
