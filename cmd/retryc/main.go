// Command retryc turns a retry policy into typed Go workers, their migrations and their tests.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// The exit codes.
const (
	exitOK       = 0
	exitFindings = 1 // the spec has an error, or a warning where those count, or what is on disk is not what it asks for
	exitTrouble  = 2 // wrong usage, or a file that cannot be read or written
)

// errFindings ends a command with exitFindings. What was found has been printed.
var errFindings = errors.New("something was found")

func main() {
	debug.SetGCPercent(200) // a run is short: half of its time went into collecting what the end of it frees anyway
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is the whole command. Results go to stdout; stderr is for what kept it from having one.
func run(args []string, stdout, stderr io.Writer) int {
	root := &cobra.Command{
		Use:   "retryc",
		Short: "Turn a retry policy into typed Go workers",
		Long: "retryc reads a retry policy from retry.yaml, checks it, and writes typed Go workers, their SQL migrations and\n" +
			"their tests.\n\nIt exits with 0 if all is well, 1 if it found something, and 2 if it could not do its work.",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return fmt.Errorf("%w (see %s --help)", err, c.CommandPath())
	})
	root.AddCommand(initCommand(), generateCommand(), checkCommand(), lintCommand(), costCommand(), diffCommand(), migrationsCommand(), explainCommand(), simulateCommand(), printCommand(), schemaCommand(), versionCommand())
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	switch err := root.Execute(); {
	case err == nil:
		return exitOK
	case errors.Is(err, errFindings):
		return exitFindings
	default:
		fmt.Fprintln(stderr, "retryc:", strings.TrimSpace(err.Error()))
		return exitTrouble
	}
}
