package emit

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec"
)

// planOf is the plan of a spec that is right.
func planOf(t testing.TB, yaml string) *plan.Plan {
	t.Helper()
	file := filepath.Join(t.TempDir(), "retry.yaml")
	if err := os.WriteFile(file, []byte(yaml), 0o666); err != nil {
		t.Fatal(err)
	}
	doc, findings, err := spec.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	p, more := plan.New(doc)
	for _, d := range append(findings, more...) {
		t.Fatal(d)
	}
	return p
}

// everyPlan is of a spec that has every key and every kind of field.
func everyPlan(t testing.TB) *plan.Plan {
	t.Helper()
	yaml, err := os.ReadFile("testdata/every.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return planOf(t, string(yaml))
}

// minimal is a small spec with a part of the team's own.
func minimal(part string) string {
	return `version: 1
generate: {package: jobs, go: jobs}
ladders: {a: {rungs: [1s], jitter: none}}
default_ladder: a
ledger: {dialect: sqlite}
` + part
}

// emitted is the text of one file of the plan.
func emitted(t testing.TB, p *plan.Plan, path string) string {
	t.Helper()
	files, err := Files(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.Path == path {
			return string(f.Data)
		}
	}
	t.Fatalf("there is no file %s", path)
	return ""
}

// squeezed is text with every white space as one blank, so that a test need not care for layout.
func squeezed(text string) string { return strings.Join(strings.Fields(text), " ") }

func wantIn(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(squeezed(text), squeezed(part)) {
			t.Errorf("no %s in\n%s", part, text)
		}
	}
}

func TestSamePlanGivesTheSameBytes(t *testing.T) {
	p := everyPlan(t)
	first, err := Files(p)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		again, err := Files(p)
		if err != nil {
			t.Fatal(err)
		}
		for i := range first {
			if first[i].Path != again[i].Path || !bytes.Equal(first[i].Data, again[i].Data) {
				t.Fatalf("%s differs from run to run", first[i].Path)
			}
		}
	}
}

func TestEmittedGoIsFormattedMarkedAndDocumented(t *testing.T) {
	files, err := Files(everyPlan(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Path, ".go") {
			continue
		}
		if !bytes.HasPrefix(f.Data, []byte("// "+header+"\n\n")) {
			t.Errorf("%s: the first line does not say that it is generated", f.Path)
		}
		formatted, err := format.Source(f.Data)
		if err != nil || !bytes.Equal(formatted, f.Data) {
			t.Errorf("%s is not as gofmt has it (%v)", f.Path, err)
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), f.Path, f.Data, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if parsed.Name.Name != "work" {
			t.Errorf("%s is of the package %s", f.Path, parsed.Name.Name)
		}
		if !strings.HasSuffix(f.Path, "_test.go") {
			for _, name := range undocumented(parsed) {
				t.Errorf("%s: %s has no doc comment", f.Path, name)
			}
		}
	}
}

// undocumented is the exported names of a file that have no doc comment of their own or of their block.
func undocumented(file *ast.File) (names []string) {
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && d.Doc == nil && exportedReceiver(d) {
				names = append(names, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if t, is := s.(*ast.TypeSpec); is && t.Name.IsExported() && d.Doc == nil && t.Doc == nil {
					names = append(names, t.Name.Name)
				}
				if v, is := s.(*ast.ValueSpec); is && v.Names[0].IsExported() && d.Doc == nil && v.Doc == nil {
					names = append(names, v.Names[0].Name)
				}
			}
		}
	}
	return names
}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	t := d.Recv.List[0].Type
	if star, is := t.(*ast.StarExpr); is {
		t = star.X
	}
	name, is := t.(*ast.Ident)
	return is && name.IsExported()
}

func TestNamesOfAnyCharactersGiveGo(t *testing.T) {
	p := planOf(t, `version: 1
generate: {package: jobs, go: jobs}
error_classes: [{name: a, outcome: transient, when: [{message: "\0\uFEFF*/ `+"`"+`"}]}]
ladders: {"\0\uFEFF\n# */": {rungs: [1s]}, "- 1. b": {rungs: [1s]}}
default_ladder: "\0\uFEFF\n# */"
tenants: {id: id, tier: tier, ladders: {"\0\"\uFEFF\n": "- 1. b"}}
queues: {q: {payload: {id: string, tier: {type: string, default: "\0\uFEFF\n"}, kind: {type: string, enum: ["\0\n\uFEFF", "%d `+"`"+`"]}}, idempotency_key: [kind]}}
ledger: {dialect: sqlite, error_detail: {redact: [{name: a, pattern: "\uFEFF\n"}]}}
`)
	gofmted(t, p)
}

func TestTwoArtefactsForOnePathAreAnError(t *testing.T) {
	all := All
	defer func() { All = all }()
	twice := func(p *plan.Plan) ([]File, error) { return []File{{Path: p.GoDir + "/a.go"}}, nil }
	All = []Artefact{twice, twice}
	if _, err := Files(everyPlan(t)); err == nil || err.Error() != "two files would be written to work/a.go" {
		t.Errorf("error %v", err)
	}
}
