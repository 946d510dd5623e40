package generator_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/retryc/retryc/generator"
)

// Fields are known by their paths, and one with a default is not required.
func TestNotesNameFieldsByTheirPath(t *testing.T) {
	path := specAt(t, strings.Replace(valid, "{customer_id: string}",
		"{customer_id: string, lines: {type: list, items: {type: object, fields: {amount: int}}}}", 1))
	if r, err := generator.Generate(path, generator.Options{}); err != nil || r.Diagnostics.HasErrors() || len(r.Notes) > 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), "amount: int",
		"amount: int, tax: int, currency: {type: string, default: EUR}, note: {type: string, optional: true}", 1)
	if err := os.WriteFile(path, []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
	want := []string{"the field lines[].tax of welcome-email is new and required: jobs enqueued before lack it, " +
		"and are put back and then dead; make it optional or give it a default"}
	check, err := generator.Check(path)
	if err != nil || !check.Drift() {
		t.Fatalf("%+v, %v", check, err)
	}
	made, err := generator.Generate(path, generator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]string{want, want}, [][]string{check.Notes, made.Notes}); diff != "" {
		t.Error(diff)
	}
}
