package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"
	"slices"

	"github.com/retryc/retryc/generator"
	"github.com/retryc/retryc/spec/diag"
	"github.com/spf13/cobra"
)

// lintFormats are those of every command, and the one that code scanning services read.
var lintFormats = append(slices.Clone(diag.Formats), "sarif")

func lintCommand() *cobra.Command {
	f := flags{formats: lintFormats}
	var strict bool
	c := &cobra.Command{
		Use:   "lint",
		Short: "Say what is wrong with the policy, and what is doubtful",
		Long: "lint reads retry.yaml as check does, and leaves the files that are generated alone. An error makes it exit with 1, and a\n" +
			"warning does not, unless --strict is given.\n\n" +
			"A comment takes a warning out of the line at whose end it stands, or of the one below it. It gives a reason:\n\n" +
			"  # retryc:ignore RC305 the last rung is for throttled jobs\n\n" +
			"retryc explain lists the findings, and tells more of each.",
		Example: "  retryc lint --strict\n  retryc lint --format sarif > retryc.sarif",
		Args:    noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			path, err := findSpec(f.file)
			if err != nil {
				return err
			}
			result, err := generator.Lint(path)
			if err != nil {
				return err
			}
			return printLinted(c.OutOrStdout(), path, f, strict, result)
		},
	}
	f.add(c)
	addStrict(c, &strict)
	return c
}

func addStrict(c *cobra.Command, strict *bool) {
	c.Flags().BoolVar(strict, "strict", false, "exit with 1 for a warning as well")
}

// fails reports whether findings make a command exit with 1.
func fails(l diag.List, strict bool) bool { return l.HasErrors() || strict && len(l) > 0 }

func printLinted(w io.Writer, path string, f flags, strict bool, r *generator.Result) error {
	failed := fails(r.Diagnostics, strict)
	var err error
	switch f.format {
	case "json":
		err = writeLintJSON(w, path, r, !failed)
	case "sarif":
		info, _ := debug.ReadBuildInfo()
		all := slices.Concat(r.Diagnostics, r.Ignored)
		all.Sort()
		err = all.SARIF(w, path, moduleVersion(info))
	default:
		if err = writeDiagnostics(w, f.format, path, r); err == nil && f.format == "text" && len(r.Diagnostics) == 0 && !f.quiet {
			_, err = fmt.Fprintf(w, "no findings%s\n", ignoring(len(r.Ignored)))
		}
	}
	if err == nil && failed {
		err = errFindings
	}
	return err
}

func ignoring(n int) string {
	if n == 0 {
		return ""
	}
	return ", and " + plural(n, "warning") + " ignored"
}

// jsonLint is the JSON form of lint. Its keys are a contract: none is ever renamed or left out.
type jsonLint struct {
	Spec        string          `json:"spec"`
	OK          bool            `json:"ok"` // the exit code is 0
	Diagnostics json.RawMessage `json:"diagnostics"`
	Ignored     json.RawMessage `json:"ignored"` // what comments take out, each with its reason
}

func writeLintJSON(w io.Writer, path string, r *generator.Result, ok bool) error {
	var found, ignored bytes.Buffer
	if err := r.Diagnostics.JSON(&found, path); err != nil {
		return err
	}
	if err := r.Ignored.JSON(&ignored, path); err != nil {
		return err
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(jsonLint{path, ok, found.Bytes(), ignored.Bytes()})
}
