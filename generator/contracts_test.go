package generator_test

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/retryc/retryc/generator"
	"github.com/retryc/retryc/generator/internal/compare"
	"github.com/retryc/retryc/generator/internal/resolved"
)

// TestTheSchemasOfWhatIsPrintedAreThoseOfTheTypes wants schema/policy.v1.schema.json and schema/diff.v1.schema.json to say what
// the Go types say, their comments included.
func TestTheSchemasOfWhatIsPrintedAreThoseOfTheTypes(t *testing.T) {
	for _, c := range []struct {
		file, title, dir string
		form             any
	}{
		{"policy.v1.schema.json", "What retryc print gives out", "internal/resolved", resolved.Policy{}},
		{"diff.v1.schema.json", "What retryc diff --format json gives out", "internal/compare", compare.Report{}},
	} {
		d := describer{docs: docsOf(t, c.dir), defs: map[string]any{}}
		top := d.object(reflect.TypeOf(c.form))
		top["$schema"], top["title"], top["$defs"] = "https://json-schema.org/draft/2020-12/schema", c.title, d.defs
		var got bytes.Buffer
		enc := json.NewEncoder(&got)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := enc.Encode(top); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(root, "schema", c.file)
		if *update {
			if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got.String()); diff != "" {
			t.Errorf("%s is not what the types say (-want +got); run with -update after a look:\n%s", c.file, diff)
		}
	}
}

func TestWhatIsPrintedKeepsToItsSchema(t *testing.T) {
	valid := func(file string, text []byte) {
		t.Helper()
		schema, err := os.ReadFile(filepath.Join(root, "schema", file))
		if err != nil {
			t.Fatal(err)
		}
		c := jsonschema.NewCompiler()
		c.Draft = jsonschema.Draft2020
		if err := c.AddResource(file, bytes.NewReader(schema)); err != nil {
			t.Fatal(err)
		}
		var value any
		if err := json.Unmarshal(text, &value); err != nil {
			t.Fatal(err)
		}
		if err := c.MustCompile(file).Validate(value); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	for _, name := range []string{"minimal", "flagship", "classes", "payloads", "brokers"} {
		text, _, err := generator.Print(filepath.Join(golden, name, "retry.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		valid("policy.v1.schema.json", text)
		var report bytes.Buffer
		if err := diffOf(t, goldenSpec(t, "flagship"), goldenSpec(t, name)).Report.JSON(&report); err != nil {
			t.Fatal(err)
		}
		valid("diff.v1.schema.json", report.Bytes())
	}
}

// describer makes a JSON Schema of Go types.
type describer struct {
	docs map[string]string // by type and by type.field
	defs map[string]any
}

// docsOf are the comments of the structs of a package and of their fields.
func docsOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	docs := map[string]string{}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			gen, is := decl.(*ast.GenDecl)
			if !is || gen.Tok != token.TYPE {
				continue
			}
			for _, spec := range gen.Specs {
				s := spec.(*ast.TypeSpec)
				docs[s.Name.Name] = strings.TrimSpace(gen.Doc.Text())
				if st, is := s.Type.(*ast.StructType); is {
					for _, f := range st.Fields.List {
						for _, n := range f.Names {
							docs[s.Name.Name+"."+n.Name] = strings.TrimSpace(f.Comment.Text())
						}
					}
				}
			}
		}
	}
	return docs
}

func (d describer) object(t reflect.Type) map[string]any {
	props, required := map[string]any{}, []string{}
	d.members(t, props, &required)
	return map[string]any{"type": "object", "description": strings.ReplaceAll(d.docs[t.Name()], "\n", " "), "properties": props, "required": required}
}

func (d describer) members(t reflect.Type, props map[string]any, required *[]string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous:
			d.members(f.Type, props, required)
			continue
		case !f.IsExported():
			continue
		}
		if rest != "omitempty" {
			*required = append(*required, name)
		}
		value := d.value(f.Type)
		if doc := d.docs[t.Name()+"."+f.Name]; doc != "" {
			value["description"] = doc
		}
		props[name] = value
	}
}

func (d describer) value(t reflect.Type) map[string]any {
	if t == reflect.TypeFor[resolved.Duration]() {
		d.defs["Duration"] = map[string]any{
			"type": "object", "description": "A length of time, in whole milliseconds and as retry.yaml writes it.", "required": []string{"ms", "text"},
			"properties": map[string]any{"ms": map[string]any{"type": "integer"}, "text": map[string]any{"type": "string"}},
		}
		return map[string]any{"$ref": "#/$defs/Duration"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return map[string]any{"anyOf": []any{map[string]any{"type": "null"}, d.value(t.Elem())}}
	case reflect.Slice:
		return map[string]any{"type": "array", "items": d.value(t.Elem())}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": d.value(t.Elem())}
	case reflect.Struct:
		if _, known := d.defs[t.Name()]; !known {
			d.defs[t.Name()] = nil // it may hold itself
			d.defs[t.Name()] = d.object(t)
		}
		return map[string]any{"$ref": "#/$defs/" + t.Name()}
	case reflect.Interface:
		return map[string]any{"type": []string{"null", "string", "number", "boolean"}}
	}
	return map[string]any{"type": map[reflect.Kind]string{
		reflect.String: "string", reflect.Bool: "boolean", reflect.Int: "integer", reflect.Float64: "number",
	}[t.Kind()]}
}
