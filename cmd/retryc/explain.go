package main

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/retryc/retryc/generator"
	"github.com/retryc/retryc/spec/diag"
	"github.com/spf13/cobra"
)

func explainCommand() *cobra.Command {
	var f queueFlags
	c := &cobra.Command{
		Use:   "explain [CODE | QUEUE]",
		Short: "Say more about a finding, or what the policy means for a queue",
		Long: "explain prints what a code such as RC104 means, with an example that is wrong and one that is right. Without a code\n" +
			"it lists them all.\n\n" +
			"With the name of a queue it tells the life of a job that never succeeds: when it is attempted, how long it waits, what\n" +
			"ends it, and what it takes.",
		Example: "  retryc explain RC104\n  retryc explain welcome-email --svg welcome-email.svg",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("explain takes one code or queue at a time, but there are %d: %s", len(args), strings.Join(args, ", "))
			}
			return nil
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			words := diag.Codes()
			if path, err := findSpec(f.file); err == nil {
				words = append(generator.Queues(path), words...)
			}
			return words, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 && !codeForm.MatchString(args[0]) {
				return f.explainQueue(c, args[0])
			}
			if given := f.given(c); given != "" {
				return fmt.Errorf("--%s is for a queue: name one", given)
			}
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
	f.add(c)
	return c
}

// codeForm is what is meant as a code, also where there is none. The name of a queue begins with a small letter.
var codeForm = regexp.MustCompile(`^(rc[0-9]+|[^a-z].*)$`)

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
