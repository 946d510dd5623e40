package emit

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/templates"
)

// runtime copies the files of package templates that the plan needs: those without a //retryc:when line, and those whose
// line names a feature that the plan uses. The parts of one file, such as when.go and when_http.go, come out as one, so
// that another policy changes what is in a file and hardly ever which files there are.
func runtime(p *plan.Plan) ([]File, error) {
	used := features(p)
	parts := map[string][]source{}
	var names []string
	for _, src := range runtimeSources() {
		switch {
		case strings.HasPrefix(src.path, "worker/store_") && !slices.Contains(p.Ledger.Dialect.Store, src.path):
			continue
		case !strings.HasPrefix(src.path, "worker/") && !slices.Contains(p.Ledger.Dialect.Open, src.path):
			continue
		case len(src.when) > 0 && !slices.ContainsFunc(src.when, func(feature string) bool { return used[feature] }):
			continue
		}
		name := src.generatedName()
		if parts[name] == nil {
			names = append(names, name)
		}
		parts[name] = append(parts[name], src)
	}
	var files []File
	for _, name := range names {
		files = append(files, File{Path: path.Join(p.GoDir, name), Data: joined(p.Package, parts[name])})
	}
	return files, nil
}

// joined is one file of the package pkg, made of parts.
func joined(pkg string, parts []source) []byte {
	var b bytes.Buffer
	b.WriteString("// " + header + "\n\npackage " + pkg + "\n")
	imports := importsOf(parts)
	switch len(imports) {
	case 0:
	case 1:
		b.WriteString("\nimport " + imports[0] + "\n")
	default:
		b.WriteString("\nimport (\n")
		for i, line := range imports {
			if i > 0 && !standardImport(line) && standardImport(imports[i-1]) {
				b.WriteString("\n")
			}
			b.WriteString("\t" + line + "\n")
		}
		b.WriteString(")\n")
	}
	for _, src := range parts {
		b.WriteString("\n")
		b.Write(src.body)
	}
	return b.Bytes()
}

// importsOf are the import lines of all parts, those of the standard library first.
func importsOf(parts []source) []string {
	var all []string
	for _, src := range parts {
		all = append(all, src.imports...)
	}
	slices.SortFunc(all, func(a, b string) int {
		if standardImport(a) != standardImport(b) {
			return map[bool]int{true: -1, false: 1}[standardImport(a)]
		}
		return strings.Compare(a, b)
	})
	return slices.Compact(all)
}

func standardImport(line string) bool { return standard(strings.Trim(line, `_ "`)) }

// generatedName is worker_gen.go for worker.go, and worker_gen_test.go for worker_test.go. A file with a condition is a
// part of the one that its name begins with.
func (s source) generatedName() string {
	name, isTest := strings.CutSuffix(strings.TrimSuffix(path.Base(s.path), ".go"), "_test")
	if len(s.when) > 0 {
		name, _, _ = strings.Cut(name, "_")
	}
	if isTest {
		return name + "_gen_test.go"
	}
	return name + "_gen.go"
}

// source is a Go file of package templates, taken apart.
type source struct {
	path    string
	when    []string // features, any one of which needs the file; nil: it is always there
	imports []string // as they are written
	body    []byte   // behind the imports
	syntax  *ast.File
}

// runtimeSources reads and parses the files once a process.
var runtimeSources = sync.OnceValue(func() []source {
	var all []source
	for _, pattern := range []string{"worker/*.go", "_backends/*/*.go"} {
		found, err := fs.Glob(templates.FS, pattern)
		if err != nil {
			panic(err) // the pattern is a constant
		}
		for _, file := range found {
			if !templates.Local(file) {
				all = append(all, sourceOf(file))
			}
		}
	}
	return all
})

// whenMark begins the first line of a file that only some plans need.
const whenMark = "//retryc:when "

func sourceOf(file string) source {
	src, err := templates.FS.ReadFile(file)
	if err != nil {
		panic(err) // the name comes from FS itself
	}
	s := source{path: file}
	if bytes.HasPrefix(src, []byte(whenMark)) {
		line, rest, _ := bytes.Cut(src, []byte("\n"))
		s.when = strings.Fields(strings.TrimPrefix(string(line), whenMark))
		src = bytes.TrimLeft(rest, "\n")
	}
	fset := token.NewFileSet()
	s.syntax, err = parser.ParseFile(fset, file, src, parser.SkipObjectResolution)
	if err != nil {
		panic(err) // the file is compiled by this module's tests
	}
	end := s.syntax.Name.End()
	for _, decl := range s.syntax.Decls {
		if d, is := decl.(*ast.GenDecl); is && d.Tok == token.IMPORT {
			end = d.End()
		}
	}
	for _, spec := range s.syntax.Imports {
		line := string(src[fset.Position(spec.Pos()).Offset:fset.Position(spec.End()).Offset])
		if spec.Comment != nil {
			line += " // " + strings.TrimSpace(spec.Comment.Text())
		}
		s.imports = append(s.imports, line)
	}
	s.body = bytes.TrimLeft(src[fset.Position(end).Offset:], "\n")
	return s
}
