package generator_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/retryc/retryc/generator/internal/emit"
	"github.com/retryc/retryc/generator/internal/lint"
	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec"
)

// Whatever names a spec has: it is refused, or what comes out is a Go package in which each name stands for one thing.
func FuzzNamesGiveAPackageThatCompiles(f *testing.F) {
	for _, seed := range [][9]string{
		{"charge", "refund", "event_id", "width", "jpeg", "png", "standard", "gone", "free"},
		{"a-b", "a.b", "a_b", "c-d", "a b", "a_b", "a-b", "a_b", "a\"b"},
		{"doc", "doc-worker", "n", "doc", "A+", "A-", "doc", "doc", "doc"},
		{"p", "f", "facts", "b", "", " ", "policy", "err", "x"},
		{"queue", "job", "valid", "str", "`", "\\", "ladder", "policy", "名前"},
		{"string", "error", "len", "new", "type", "func", "func", "nil", "true"},
		{"a1", "a-1", "_", "__", "1", "01", "1", "a1", "1"},
		{"http", "json", "time", "errors", "time", "slices", "time", "context", "x"},
		{"ab", "cd", "p", "raw", "plain", "g", "ß", "matched", "\u2028\""},
		{"tests", "receipts", "err", "i", "*/", "//", "*/", "died", "*/ "},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3], seed[4], seed[5], seed[6], seed[7], seed[8])
	}
	c := newCompiler()
	f.Fuzz(func(t *testing.T, queue, other, field, second, value, next, ladder, class, tier string) {
		src := fmt.Sprintf(namesSpec, name(queue, false), name(other, false), name(field, true), name(second, true),
			quoted(value), quoted(next), quoted(ladder), strings.NewReplacer("-", "_", ".", "_").Replace(name(class, false)), quoted(tier), quoted(regexp.QuoteMeta(value)+"x"))
		doc, findings := spec.Parse("retry.yaml", []byte(src))
		p, more := plan.New(doc)
		findings = append(findings, more...)
		p, more = lint.Check(p)
		if append(findings, more...).HasErrors() {
			t.Skip("refused")
		}
		files, err := emit.Files(p)
		if err != nil {
			t.Fatalf("%v\n%s", err, src)
		}
		if problem := c.check(files); problem != nil {
			t.Errorf("%v\n%s", problem, src)
		}
	})
}

// namesSpec has names everywhere, each in more than one part.
const namesSpec = `version: 1
generate: {package: jobs, go: jobs}
error_classes: [{name: %[8]s, outcome: transient, when: [{is: ErrGone}, {is: io.EOF}], ladder: %[7]s}]
ladders: {%[7]s: {rungs: [1s]}, own: {rungs: [1s]}}
default_ladder: own
tenants: {id: %[3]s, tier: level, ladders: {%[9]s: %[7]s}}
queues:
  %[1]s:
    payload:
      %[3]s: string
      %[4]s: {type: string, enum: [%[5]s, %[6]s]}
      level: {type: string, optional: true}
    idempotency_key: [%[3]s, %[4]s]
  %[2]s:
    payload:
      %[4]s: {type: list, items: {type: object, fields: {%[3]s: {type: map, values: {type: string, enum: [%[6]s]}}, %[4]s: time}}}
      %[3]s: {type: string, default: %[6]s}
webhooks:
  %[2]s: {enqueue: %[1]s, signature: {github: {secret_env: A}}, payload: {%[3]s: id, %[4]s: %[4]s}}
ledger: {dialect: sqlite, columns: [{name: copied, type: text, from: %[3]s}], error_detail: {redact: [{name: %[8]s, pattern: %[10]s}]}}
`

// name makes the name of a queue or of a field of a text, as a rule one of its form.
func name(s string, field bool) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_', r == '-', field && r >= 'A' && r <= 'Z', !field && r == '.':
			return r
		}
		return -1
	}, s)
	if s == "" || s[0] < 'A' {
		s = "a" + s
	}
	return quoted(s)
}

// quoted is s for YAML.
func quoted(s string) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\u00e9")
	}
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // a text always has JSON
	}
	return strings.ReplaceAll(string(text), "\x7f", `\x7f`)
}

// compiler checks packages as the Go compiler does, but for the functions of the runtime: these are the same for every
// spec, and only what they declare counts.
type compiler struct {
	imports types.Importer
	fset    *token.FileSet
	runtime map[string]*ast.File // by their text
}

func newCompiler() *compiler {
	fset := token.NewFileSet()
	return &compiler{drivers{importer.ForCompiler(fset, "source", nil)}, fset, map[string]*ast.File{}}
}

func (c *compiler) check(files []emit.File) error {
	var parsed []*ast.File
	for _, f := range files {
		if !strings.HasSuffix(f.Path, ".go") {
			continue
		}
		file, err := c.parse(f)
		if err != nil {
			return err
		}
		parsed = append(parsed, file)
	}
	var problems []error
	report := func(err error) {
		if e := err.(types.Error); !e.Soft || !c.isRuntime(e.Pos) { // it uses its imports in functions
			problems = append(problems, err)
		}
	}
	config := types.Config{Importer: c.imports, Error: report}
	_, _ = config.Check("jobs", c.fset, parsed, nil) // which has told report
	return errors.Join(problems...)
}

func (c *compiler) parse(f emit.File) (*ast.File, error) {
	if file := c.runtime[string(f.Data)]; file != nil {
		return file, nil
	}
	file, err := parser.ParseFile(c.fset, f.Path, f.Data, parser.SkipObjectResolution)
	if err != nil || !c.isRuntime(file.Pos()) {
		return file, err
	}
	for _, decl := range file.Decls {
		if fn, is := decl.(*ast.FuncDecl); is && fn.Type.TypeParams == nil {
			fn.Body = nil
		}
	}
	c.runtime[string(f.Data)] = file
	return file, nil
}

// isRuntime reports whether a file is one that is copied.
func (c *compiler) isRuntime(pos token.Pos) bool {
	switch path.Base(c.fset.Position(pos).Filename) {
	case "payloads_gen.go", "queues_gen.go", "policy_gen.go", "policy_gen_test.go", "statements_gen.go":
		return false
	}
	return true
}

// drivers stands in for the drivers of databases, which are imported for what they register.
type drivers struct{ standard types.Importer }

func (d drivers) Import(path string) (*types.Package, error) {
	if first, _, _ := strings.Cut(path, "/"); !strings.Contains(first, ".") {
		return d.standard.Import(path)
	}
	p := types.NewPackage(path, path[strings.LastIndexByte(path, '/')+1:])
	p.MarkComplete()
	return p, nil
}
