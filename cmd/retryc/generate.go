package main

import (
	"fmt"
	"io"

	"github.com/retryc/retryc/generator"
	"github.com/spf13/cobra"
)

func generateCommand() *cobra.Command {
	var f flags
	var opts generator.Options
	c := &cobra.Command{
		Use:   "generate",
		Short: "Write the workers, their migrations and their tests",
		Long: "generate writes what retry.yaml asks for, beside it, and removes what it no longer asks for. It writes nothing at\n" +
			"all if the policy has an error, or if it would overwrite something that a person wrote or edited.",
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			path, err := findSpec(f.file)
			if err != nil {
				return err
			}
			result, err := generator.Generate(path, opts)
			if err != nil {
				return err
			}
			return printGenerated(c.OutOrStdout(), path, f, result, opts.DryRun)
		},
	}
	f.add(c)
	c.Flags().BoolVar(&opts.DryRun, "dry-run", false, "say what would be written, and write nothing")
	return c
}

// printGenerated also answers errFindings where nothing was written for what was found.
func printGenerated(w io.Writer, path string, f flags, r *generator.Result, dryRun bool) error {
	stopped := r.Diagnostics.HasErrors() || r.Blocked
	var err error
	switch f.format {
	case "json":
		err = writeJSON(w, path, r, !stopped, dryRun || r.Blocked)
	case "github":
		if err = writeDiagnostics(w, "github", path, r); err == nil {
			err = writeFileAnnotations(w, path, r, blocking(r.Files))
		}
	default:
		err = printGeneratedText(w, path, f.quiet, r, dryRun)
	}
	if err == nil && stopped {
		err = errFindings
	}
	return err
}

func printGeneratedText(w io.Writer, path string, quiet bool, r *generator.Result, dryRun bool) error {
	p := &printer{w: w, spec: path}
	if err := writeDiagnostics(w, "text", path, r); err != nil || r.Diagnostics.HasErrors() {
		return err
	}
	switch {
	case r.Blocked:
		p.states(blocking(r.Files))
		p.printf("nothing was generated\n")
	case quiet:
		p.notes(r)
	default:
		p.actions(r.Files)
		p.notes(r)
		if dryRun {
			p.printf("nothing was written: this is a dry run\n")
		} else {
			p.next(r)
		}
	}
	return p.err
}

// blocking are the files that a person must settle.
func blocking(files []generator.File) (out []generator.File) {
	for _, f := range files {
		if f.State.Blocks() {
			out = append(out, f)
		}
	}
	return out
}

// plural is "1 file" or "3 files".
func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
