package main

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/retryc/retryc/generator"
)

// next says what is left for a person to do, where something is.
func (p *printer) next(r *generator.Result) {
	isNew := func(f generator.File) bool {
		return f.Once && f.Action == generator.Write && path.Base(path.Dir(f.Path)) != "down" && !strings.HasSuffix(f.Path, ".down.sql")
	}
	files := slices.DeleteFunc(slices.Clone(r.Files), func(f generator.File) bool { return !isNew(f) })
	for i, f := range files {
		switch {
		case r.DropsLast && i == len(files)-1:
			p.printf("note: %s is new: apply it once no program runs that was built before\n", p.path(f))
		case r.Tables && r.OpenMakesTables:
			p.printf("note: %s is new: apply it to each database that has the tables; Open makes them only where there are none\n", p.path(f))
		case r.OpenMakesTables:
			p.printf("note: %s is new: Open applies it, and a program that uses New applies it first\n", p.path(f))
		default:
			p.printf("note: %s is new: apply it before the program runs\n", p.path(f))
		}
	}
	if p.lacksDriver(r.Driver) && slices.ContainsFunc(r.Files, func(f generator.File) bool { return f.Action == generator.Write }) {
		p.printf("next: go get %s && go mod tidy\n", r.Driver)
	}
}

// lacksDriver reports whether the go.mod above the spec is without the driver's module. Where there is no go.mod that
// can be read, it is not for us to say.
func (p *printer) lacksDriver(driver string) bool {
	path, _, _ := strings.Cut(driver, "@")
	dir, err := filepath.Abs(filepath.Dir(p.spec))
	if err != nil {
		return false
	}
	m, err := findModule(dir)
	return err == nil && path != "" && !m.names(path)
}
