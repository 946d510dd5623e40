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
// line names a feature that the plan uses.
func runtime(p *plan.Plan) ([]File, error) {
	used := features(p)
	var files []File
	for _, src := range runtimeSources() {
		switch {
		case strings.HasPrefix(src.path, "worker/store_") && !slices.Contains(p.Ledger.Dialect.Store, src.path):
			continue
		case !strings.HasPrefix(src.path, "worker/") && !slices.Contains(p.Ledger.Dialect.Open, src.path):
			continue
		case len(src.when) > 0 && !slices.ContainsFunc(src.when, func(feature string) bool { return used[feature] }):
			continue
		}
		files = append(files, File{Path: path.Join(p.GoDir, generatedName(src.path)), Data: src.in(p.Package)})
	}
	return files, nil
}

// generatedName is worker_gen.go for worker.go, and worker_gen_test.go for worker_test.go.
func generatedName(file string) string {
	name := strings.TrimSuffix(path.Base(file), ".go")
	if base, test := strings.CutSuffix(name, "_test"); test {
		return base + "_gen_test.go"
	}
	return name + "_gen.go"
}

// source is a Go file of package templates, taken apart.
type source struct {
	path          string
	when          []string // features, any one of which needs the file; nil: it is always there
	before, after []byte   // the package's name
	syntax        *ast.File
}

// in is the file as one of the package pkg.
func (s source) in(pkg string) []byte {
	return slices.Concat([]byte("// "+header+"\n\n"), s.before, []byte(pkg), s.after)
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
	name := s.syntax.Name
	s.before, s.after = src[:fset.Position(name.Pos()).Offset], src[fset.Position(name.End()).Offset:]
	return s
}
