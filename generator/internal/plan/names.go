package plan

import (
	"fmt"
	"path"
	"strings"
	"unicode"

	"github.com/retryc/retryc/spec"
	"github.com/retryc/retryc/spec/diag"
)

// Scope is a set of names in which each stands once.
type Scope string

// Package holds the identifiers of the emitted package, Imports the names of the packages that it imports, Tables
// the tables and indexes of the database, Functions its functions. Each struct is a scope of its own.
const (
	Package   Scope = "package"
	Imports   Scope = "imports"
	Tables    Scope = "tables"
	Functions Scope = "functions"
)

// Named is one name that the spec gives rise to.
type Named struct {
	Scope Scope
	Name  string
	What  string // what it comes from: the queue "a"; not what it is in Go
	Path  string // of an import
	Fixed bool   // no go_name can change it
	At    spec.Name
}

// Names is every name that the spec gives rise to, in the order in which it was given.
type Names struct {
	All     []Named
	Refused map[diag.Pos]bool // where names stand that are to be changed anyway
}

func (n *Names) add(scope Scope, name, what string, at spec.Name) {
	n.All = append(n.All, Named{Scope: scope, Name: name, What: what, At: at})
}

// fixed adds an identifier of the package that no go_name can change.
func (n *Names) fixed(name, what string, at spec.Name) {
	n.All = append(n.All, Named{Scope: Package, Name: name, What: what, Fixed: true, At: at})
}

// importName is the name to import path under. One of the standard library keeps its own; any other is called by
// its last two parts, so that a product's package storage does not meet a name of the worker's.
func (n *Names) importName(importPath string, at spec.Name) string {
	name := localName(importPath)
	taken := false
	for _, e := range n.All {
		if e.Scope != Imports {
			continue
		}
		if e.Path == importPath {
			return e.Name
		}
		taken = taken || e.Name == name
	}
	for i := 2; taken; i++ {
		name, taken = fmt.Sprintf("%s%d", localName(importPath), i), false
		for _, e := range n.All {
			taken = taken || e.Scope == Imports && e.Name == name
		}
	}
	n.All = append(n.All, Named{Scope: Imports, Name: name, What: "the package " + importPath, Path: importPath, At: at})
	return name
}

func localName(importPath string) string {
	first, _, _ := strings.Cut(importPath, "/")
	if !strings.Contains(first, ".") {
		return path.Base(importPath)
	}
	dir, base := path.Split(importPath)
	if isMajor(base) {
		dir, base = path.Split(path.Clean(dir))
	}
	base, _, _ = strings.Cut(base, ".v")
	name := letters(path.Base(dir)) + letters(base)
	if name == "" || unicode.IsDigit(rune(name[0])) {
		name = "x" + name
	}
	return name
}

func isMajor(elem string) bool {
	rest, found := strings.CutPrefix(elem, "v")
	return found && rest != "" && strings.Trim(rest, "0123456789") == ""
}

// letters drops what no package name holds.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// check reports every name that stands twice in its scope, once for each two places.
func (n *Names) check(list *diag.List) {
	type key struct {
		scope Scope
		name  string
	}
	first := map[key]Named{}
	told := map[[2]diag.Pos]bool{}
	for _, e := range n.All {
		if e.Scope == Imports || n.Refused[e.At.Pos] {
			continue
		}
		k := key{e.Scope, e.Name}
		before, twice := first[k]
		if !twice {
			first[k] = e
			continue
		}
		pair := [2]diag.Pos{before.At.Pos, e.At.Pos}
		if told[pair] {
			continue
		}
		told[pair] = true
		d := list.Errorf(e.code(), e.At.Pos, e.At.Width, "%s and %s both become %s", before.What, e.What, e.Name)
		d.Hint = e.hint()
		if before.At.Set() { // not a name of ours, such as that of an index
			d.Related = relatedAt(before.At, before.What+" is here")
		}
	}
}

func (e Named) code() string {
	switch e.Scope {
	case Package:
		return "RC230"
	case Tables:
		return "RC240"
	case Functions:
		return "RC246"
	}
	return "RC231"
}

func (e Named) hint() string {
	if e.Scope == Tables || e.Scope == Functions || e.Fixed {
		return "rename one of them"
	}
	return "set go_name on one of them, or rename it"
}
