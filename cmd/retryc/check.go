package main

import (
	"io"

	"github.com/retryc/retryc/generator"
	"github.com/spf13/cobra"
)

func checkCommand() *cobra.Command {
	var f flags
	var verbose, strict bool
	c := &cobra.Command{
		Use:   "check",
		Short: "Say whether the policy is valid and what was generated from it is up to date",
		Long: "check reads retry.yaml as generate does and compares what it asks for with what is on disk, migrations\n" +
			"included. It writes nothing. It exits with 1 if the policy has an error or a file is not as generate would leave it, and\n" +
			"with --strict also if the policy has a warning. What lint says of the policy is part of it.",
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			path, err := findSpec(f.file)
			if err != nil {
				return err
			}
			result, err := generator.Check(path)
			if err != nil {
				return err
			}
			return printChecked(c.OutOrStdout(), path, f, verbose, strict, result)
		},
	}
	f.add(c)
	addStrict(c, &strict)
	c.Flags().BoolVarP(&verbose, "verbose", "v", false, "show every difference in full")
	return c
}

func printChecked(w io.Writer, path string, f flags, verbose, strict bool, r *generator.Result) error {
	found := fails(r.Diagnostics, strict) || r.Drift()
	var err error
	switch f.format {
	case "json":
		err = writeJSON(w, path, r, !found, true)
	case "github":
		if err = writeDiagnostics(w, "github", path, r); err == nil {
			err = writeFileAnnotations(w, path, r, drifted(r.Files, false))
		}
	default:
		err = printCheckedText(w, path, f.quiet, verbose, r)
	}
	if err == nil && found {
		err = errFindings
	}
	return err
}

func printCheckedText(w io.Writer, path string, quiet, verbose bool, r *generator.Result) error {
	if err := writeDiagnostics(w, "text", path, r); err != nil || r.Diagnostics.HasErrors() {
		return err
	}
	p := &printer{w: w, spec: path}
	files := drifted(r.Files, verbose)
	if len(files) == 0 {
		if !quiet {
			p.printf("%s up to date\n", plural(len(r.Files), "file"))
		}
		return p.err
	}
	p.states(files)
	if !quiet {
		p.diffs(files, verbose)
	}
	p.notes(r)
	first := ""
	if r.Blocked {
		first = "settle what is said above, then "
	}
	p.printf("%s not as %s asks: %srun retryc generate\n", areOf(len(drifted(r.Files, false)), "file"), path, first)
	return p.err
}

func areOf(n int, one string) string {
	if n == 1 {
		return "1 " + one + " is"
	}
	return plural(n, one) + " are"
}
