package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/retryc/retryc/spec/diag"
	"github.com/spf13/cobra"
)

// flags are those that generate, check and lint share.
type flags struct {
	file    string
	format  string
	formats []string // diag.Formats where a command sets none
	quiet   bool
}

func (f *flags) add(c *cobra.Command) {
	if f.formats == nil {
		f.formats = diag.Formats
	}
	c.Flags().StringVarP(&f.file, "file", "f", "", "the policy (default: the nearest retry.yaml, here or in a folder above)")
	c.Flags().StringVar(&f.format, "format", "text", "how results are printed: "+strings.Join(f.formats[:len(f.formats)-1], ", ")+" or "+f.formats[len(f.formats)-1])
	c.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "print only what is wrong")
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(f.formats, cobra.ShellCompDirectiveNoFileComp))
	_ = c.MarkFlagFilename("file", "yaml", "yml")
}

func (f *flags) check() error {
	if slices.Contains(f.formats, f.format) {
		return nil
	}
	return fmt.Errorf("there is no format %q: use one of %s", f.format, strings.Join(f.formats, ", "))
}

// noArgs refuses words that are no flags; a file name is the likely one.
func noArgs(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if c.Flags().Lookup("file") != nil {
		return fmt.Errorf("%s takes no arguments, but there is %q: a policy is named with --file", c.CommandPath(), args[0])
	}
	return fmt.Errorf("%s takes no arguments, but there is %q", c.CommandPath(), args[0])
}
