package templates

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Identifiers are the names that the copied files take in the emitted package. There is no list to keep: they are
// read from the files themselves, tests included.
type Identifiers struct {
	Declared map[string]string // package-level name → path of the file in FS
	Imported map[string]string // name of an imported package → its import path
}

// IdentifiersOf are the names of the runtime and of the adapters in _backends/<dialect>, in _brokers and in _observers. The maps are shared: do
// not change them.
func IdentifiersOf(dialect string) Identifiers {
	return identifiers()[dialect]
}

// identifiers reads every set once a process.
var identifiers = sync.OnceValue(func() map[string]Identifiers {
	sets := map[string]Identifiers{}
	for _, dialect := range dialects() {
		ids := Identifiers{Declared: map[string]string{}, Imported: map[string]string{}}
		for _, file := range append(glob("worker/*.go"), glob("_backends/"+dialect+"/*.go")...) {
			if !Local(file) && Of(file, dialect) {
				ids.read(file)
			}
		}
		for _, file := range append(glob("_brokers/*/*.go"), glob("_observers/*/*.go")...) {
			ids.read(file)
		}
		sets[dialect] = ids
	}
	return sets
})

// Local reports whether a file of FS stays here: x_local.go and x_local_test.go stand in for emitted code, or let
// the generator reach the runtime, and are never copied.
func Local(file string) bool {
	name := strings.TrimSuffix(strings.TrimSuffix(file, ".go"), "_test")
	return strings.HasSuffix(name, "_local")
}

// groups are words in the names of files that several dialects share: those on database/sql, and those with a server.
var groups = map[string][]string{"sql": {"mysql", "sqlite"}, "server": {"mysql", "postgres"}}

// Of reports whether a file of FS is copied for the dialect: the adapters in _backends/<dialect>, and the files of the
// runtime but for those whose name has another dialect in it, such as store_sqlite.go, or a group that the dialect is not
// in, such as store_sql.go.
func Of(file, dialect string) bool {
	folder, name := path.Split(file)
	if folder != "worker/" {
		return folder == "_backends/"+dialect+"/"
	}
	return !slices.ContainsFunc(strings.Split(strings.TrimSuffix(name, ".go"), "_"), func(word string) bool {
		_, isDialect := slices.BinarySearch(dialects(), word)
		return isDialect && word != dialect || groups[word] != nil && !slices.Contains(groups[word], dialect)
	})
}

// dialects are the names of the folders in _backends, sorted.
var dialects = sync.OnceValue(func() []string {
	var names []string
	for _, folder := range glob("_backends/*") {
		names = append(names, path.Base(folder))
	}
	return names
})

func glob(pattern string) []string {
	found, err := fs.Glob(FS, pattern)
	if err != nil {
		panic(err) // the patterns are constants
	}
	return found
}

func (ids Identifiers) read(file string) {
	src, err := FS.ReadFile(file)
	if err != nil {
		panic(err) // the name comes from FS itself
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, src, parser.SkipObjectResolution)
	if err != nil {
		panic(err) // the file is compiled by this module's tests
	}
	for _, decl := range parsed.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				ids.declare(d.Name, file)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				ids.spec(s, file)
			}
		}
	}
}

func (ids Identifiers) spec(spec ast.Spec, file string) {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		ids.declare(s.Name, file)
	case *ast.ValueSpec:
		for _, n := range s.Names {
			ids.declare(n, file)
		}
	case *ast.ImportSpec:
		importPath := strings.Trim(s.Path.Value, `"`)
		name := path.Base(importPath)
		if majorVersion.MatchString(name) {
			name = path.Base(path.Dir(importPath))
		}
		if s.Name != nil {
			name = s.Name.Name
		}
		if name != "_" {
			ids.Imported[name] = importPath
		}
	}
}

// majorVersion ends the path of a module that is called by what stands before it.
var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

func (ids Identifiers) declare(name *ast.Ident, file string) {
	if name.Name != "_" {
		ids.Declared[name.Name] = file
	}
}
