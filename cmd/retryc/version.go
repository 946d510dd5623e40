package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

const modulePath = "github.com/retryc/retryc"

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			info, _ := debug.ReadBuildInfo()
			_, err := fmt.Fprintf(c.OutOrStdout(), "retryc %s (%s)\n", moduleVersion(info), runtime.Version())
			return err
		},
	}
}

// moduleVersion is our module's version in a build of ours, or in one where we are a tool of another module.
func moduleVersion(info *debug.BuildInfo) string {
	const unknown = "(devel)"
	if info == nil {
		return unknown
	}
	for _, m := range append([]*debug.Module{&info.Main}, info.Deps...) {
		if m.Path == modulePath && m.Version != "" && m.Replace == nil {
			return m.Version
		}
	}
	return unknown
}
