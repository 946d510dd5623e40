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
	parts := map[string][]part{}
	var names []string
	for _, src := range runtimeSources() {
		switch {
		case !templates.Of(src.path, p.Ledger.Dialect.Name) && !used[src.adapterOf()]:
			continue
		case len(src.when) > 0 && !slices.ContainsFunc(src.when, func(feature string) bool { return used[feature] }):
			continue
		}
		name := src.generatedName()
		if parts[name] == nil {
			names = append(names, name)
		}
		parts[name] = append(parts[name], part{src.imports, chosen(src.body, used)})
	}
	var files []File
	for _, name := range names {
		pkg := p.Package
		if folder := path.Dir(name); folder != "." { // a package beside the emitted one
			pkg = folder
		}
		files = append(files, File{Path: path.Join(p.GoDir, name), Data: joined(pkg, parts[name])})
	}
	return files, nil
}

// adapterOf is the feature that needs an adapter: broker_<name> of one in _brokers/<name>, observed_<name> of one in
// _observers/<name>.
func (s source) adapterOf() string {
	folder, rest, _ := strings.Cut(s.path, "/")
	name, _, _ := strings.Cut(rest, "/")
	switch folder {
	case "_brokers":
		return "broker_" + name
	case "_observers":
		return "observed_" + name
	}
	return ""
}

// chosen leaves out the lines between //retryc:if and //retryc:end whose feature the plan does not use, with the empty line
// before them.
func chosen(body []byte, used map[string]bool) []byte {
	if !bytes.Contains(body, []byte(ifMark)) {
		return body
	}
	var out []byte
	keep := true
	for line := range bytes.Lines(body) {
		mark := strings.TrimSpace(string(line))
		switch feature, begins := strings.CutPrefix(mark, ifMark); {
		case begins:
			if keep = used[feature]; !keep && bytes.HasSuffix(out, []byte("\n\n")) {
				out = out[:len(out)-1]
			}
		case mark == endMark:
			keep = true
		case mark == "" && bytes.HasSuffix(out, []byte("\n\n")): // there is one before the mark already
		case keep:
			out = append(out, line...)
		}
	}
	return out
}

// generatedName is worker_gen.go for worker.go, and worker_gen_test.go for worker_test.go. A file with a condition is a
// part of the one that its name begins with.
func (s source) generatedName() string {
	name, isTest := strings.CutSuffix(strings.TrimSuffix(path.Base(s.path), ".go"), "_test")
	if len(s.when) > 0 {
		name, _, _ = strings.Cut(name, "_")
	}
	if folder := path.Dir(s.path); strings.HasPrefix(folder, "_brokers/") && strings.Count(folder, "/") > 1 {
		name = path.Join(path.Base(folder), name)
	}
	if isTest {
		return name + "_gen_test.go"
	}
	return name + "_gen.go"
}

// source is a Go file of package templates, taken apart.
type source struct {
	part
	path   string
	when   []string // features, any one of which needs the file; nil: it is always there
	syntax *ast.File
}

// runtimeSources reads and parses the files once a process.
var runtimeSources = sync.OnceValue(func() []source {
	var all []source
	for _, pattern := range []string{"worker/*.go", "_backends/*/*.go", "_brokers/*/*.go", "_brokers/*/*/*.go", "_observers/*/*.go"} {
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

// What stands between the two is for plans that use a feature.
const (
	ifMark  = "//retryc:if "
	endMark = "//retryc:end"
)

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
