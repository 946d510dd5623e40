package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/retryc/retryc/generator"
	"github.com/spf13/cobra"
)

func initCommand() *cobra.Command {
	var dir, dialect string
	c := &cobra.Command{
		Use:   "init",
		Short: "Start a policy and a program that works it",
		Long: "init writes a first retry.yaml and a program with a handler to fill in, and generates at once. It needs a Go module\n" +
			"and never overwrites anything. Where there is Go code already, the program goes to cmd/worker.",
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			to, err := filepath.Abs(dir)
			if err != nil {
				return fmt.Errorf("cannot tell the working folder: %w", err)
			}
			return initialise(&printer{w: c.OutOrStdout(), spec: short(filepath.Join(to, specName))}, to, dialect)
		},
	}
	c.Flags().StringVar(&dir, "dir", ".", "the folder to write to")
	_ = c.MarkFlagDirname("dir")
	c.Flags().StringVar(&dialect, "dialect", generator.Dialects()[0].Name, "the database of the jobs: "+dialectNames())
	return c
}

func initialise(p *printer, dir, dialect string) error {
	d, err := dialectNamed(dialect)
	if err != nil {
		return err
	}
	m, err := findModule(dir)
	if err != nil {
		return err
	}
	existing, err := generator.MigrationsIn(filepath.Join(dir, filepath.FromSlash(starterMigrations)))
	if err != nil {
		return fmt.Errorf("cannot look at the migrations in %s: %w", starterMigrations, err)
	}
	files, err := starterFor(dir, d, m, existing)
	if err != nil {
		return err
	}
	if err := refuseExisting(dir, files); err != nil {
		return err
	}
	if err := writeNew(dir, files); err != nil {
		return err
	}
	result, err := generator.Generate(p.spec, generator.Options{})
	if err != nil || result.Diagnostics.HasErrors() || result.Blocked {
		p.actions(written(files))
		if err != nil {
			return err
		}
		return printGenerated(p.w, p.spec, flags{}, result, false)
	}
	p.actions(append(written(files), result.Files...))
	if existing.Next > 1 {
		p.printf("note: %s has migrations already (%s), so the new one has the number %d\n", starterMigrations, existing.Format, existing.Next)
	}
	if d.Variable == "" && lacksIgnore(dir) {
		p.printf("note: add a line %s to .gitignore, or the database of the first run is committed\n", databasePattern)
	}
	p.printf("\nnext:\n")
	if !m.names(modulePath + "/cmd/retryc") {
		p.printf("  go get -tool %s/cmd/retryc\n", modulePath)
	}
	if lacking := p.lacking(result.Drivers); len(lacking) > 0 {
		p.printf("  go get %s\n", strings.Join(lacking, " "))
	}
	p.printf("  go mod tidy\n")
	run := "go run " + runTarget(p, files)
	if !d.MakesTables {
		p.printf("  apply %s to the database\n", starterMigrations)
	}
	if d.Variable != "" {
		run = d.Variable + "=… " + run
	}
	p.printf("  %s\n", run)
	return p.err
}

// written is what a list of actions says of the starter.
func written(files []starterFile) (out []generator.File) {
	for _, f := range files {
		out = append(out, generator.File{
			Path: f.path, Action: generator.Write, Lines: strings.Count(f.text, "\n"), Bytes: len(f.text),
		})
	}
	return out
}

// runTarget is the program's package as go run wants it.
func runTarget(p *printer, files []starterFile) string {
	folder := filepath.ToSlash(filepath.Dir(p.path(generator.File{Path: files[len(files)-1].path})))
	if folder == "." || filepath.IsAbs(folder) {
		return folder
	}
	return "./" + folder
}
