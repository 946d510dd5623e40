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
	if lacking := p.lacking(r.Drivers); len(lacking) > 0 && slices.ContainsFunc(r.Files, func(f generator.File) bool { return f.Action == generator.Write }) {
		p.printf("next: go get %s && go mod tidy\n", strings.Join(lacking, " "))
	}
}

// lacking are the drivers whose modules the go.mod above the spec does not name. Where there is no go.mod that can be read,
// it is not for us to say.
func (p *printer) lacking(drivers []string) (lacking []string) {
	dir, err := filepath.Abs(filepath.Dir(p.spec))
	if err != nil {
		return nil
	}
	m, err := findModule(dir)
	if err != nil {
		return nil
	}
	for _, driver := range drivers {
		if path, _, _ := strings.Cut(driver, "@"); !m.names(path) {
			lacking = append(lacking, driver)
		}
	}
	return lacking
}
