package generator_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	root   = ".." // of the module, from this folder
	module = "github.com/retryc/retryc"
)

// arrows says what each package may import beside the standard library. A folder under a line has that line's
// arrows, unless it has a line of its own; tests may import what they like.
var arrows = map[string][]string{
	"spec/diag":                   nil,
	"schema":                      nil,
	"generator/internal/broker":   nil,
	"generator/internal/dialect":  nil,
	"generator/internal/migrate":  nil,
	"generator/internal/observer": nil,
	"generator/internal/output":   {"generator/internal/migrate"},
	"generator/internal/picture":  {"generator/internal/simulate"},
	"generator/internal/simulate": {"templates/worker"},
	"templates":                   nil,
	"templates/worker":            nil,

	"spec":                        {"spec/diag", "schema", "gopkg.in/yaml.v3", "github.com/santhosh-tekuri/jsonschema/v5"},
	"spec/spectest":               {"spec/diag"},
	"generator/internal/plan":     {"spec", "spec/diag", "generator/internal/broker", "generator/internal/dialect", "generator/internal/migrate", "generator/internal/observer", "templates/worker"},
	"generator/internal/lint":     {"generator/internal/plan", "spec", "spec/diag", "templates"},
	"generator/internal/outlook":  {"generator/internal/plan", "templates/worker"},
	"generator/internal/resolved": {"generator/internal/plan", "generator/internal/outlook", "templates/worker"},
	"generator/internal/compare":  {"generator/internal/plan", "generator/internal/resolved", "generator/internal/migrate", "generator/internal/output"},
	"generator/internal/emit":     {"spec", "generator/internal/plan", "generator/internal/migrate", "templates", "github.com/dave/jennifer/jen"},
	"generator": {
		"spec", "spec/diag", "generator/internal/plan", "generator/internal/lint", "generator/internal/emit", "generator/internal/output", "generator/internal/migrate",
		"generator/internal/dialect", "generator/internal/outlook", "generator/internal/resolved", "generator/internal/compare", "generator/internal/picture",
		"generator/internal/simulate", "templates/worker",
	},
	"cmd": {"generator", "schema", "spec", "spec/diag", "github.com/spf13/cobra"},
}

func TestImportsFollowTheArrows(t *testing.T) {
	importers := map[string][]string{} // of each package that is not of this module
	for _, file := range sources(t) {
		folder := path.Dir(file)
		line := lineOf(folder)
		if line == "" {
			t.Errorf("%s: no arrow says what %s may import: add a line to arrows", file, folder)
			continue
		}
		for _, imported := range imports(t, file) {
			own, ours := strings.CutPrefix(imported, module+"/")
			switch {
			case standard(imported):
				continue
			case ours:
				imported = own
			case !slices.Contains(importers[imported], line):
				importers[imported] = append(importers[imported], line)
			}
			if !slices.Contains(arrows[line], imported) {
				t.Errorf("%s imports %s, and there is no arrow from %s to it: it may import %s", file, imported, line, allowed(line))
			}
		}
	}
	for imported, by := range importers {
		if len(by) > 1 {
			t.Errorf("%s is imported by %s: one package of ours wraps each package of others", imported, strings.Join(by, " and "))
		}
	}
}

// sources are the module's Go files but for tests, without nested modules and folders that the go command ignores.
func sources(t *testing.T) []string {
	t.Helper()
	var files []string
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != ".":
			_, nested := os.Stat(filepath.Join(root, name, "go.mod"))
			if nested == nil || strings.HasPrefix(d.Name(), ".") || strings.HasPrefix(d.Name(), "_") || d.Name() == "testdata" {
				return fs.SkipDir
			}
		case strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go"):
			files = append(files, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func imports(t *testing.T, file string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, s := range parsed.Imports {
		paths = append(paths, strings.Trim(s.Path.Value, `"`))
	}
	return paths
}

// lineOf is the line of arrows that holds for folder.
func lineOf(folder string) string {
	for ; folder != "."; folder = path.Dir(folder) {
		if _, found := arrows[folder]; found {
			return folder
		}
	}
	return ""
}

func standard(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return !strings.Contains(first, ".")
}

func allowed(line string) string {
	if len(arrows[line]) == 0 {
		return "the standard library only"
	}
	return fmt.Sprintf("the standard library and %s", strings.Join(arrows[line], ", "))
}
