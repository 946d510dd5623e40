package generator_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/retryc/retryc/generator"
	"github.com/retryc/retryc/spec/diag"
)

const valid = `version: 1
generate: {package: jobs, go: internal/jobs}
ladders:
  standard: {rungs: [30s, 2m], jitter: 25%}
default_ladder: standard
queues:
  welcome-email:
    payload: {customer_id: string}
    idempotency_key: [customer_id]
    timeout: 30s
ledger: {dialect: sqlite}
`

func specAt(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "retry.yaml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func names(t *testing.T, path string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestGenerateThenCheckIsClean(t *testing.T) {
	path := specAt(t, valid)
	r, err := generator.Generate(path, generator.Options{})
	if err != nil || r.Diagnostics.HasErrors() || !r.Drift() || r.Blocked {
		t.Fatalf("%+v, %v", r, err)
	}
	for _, f := range r.Files {
		if f.State != generator.Missing || f.Action != generator.Write || f.Lines == 0 || f.Bytes == 0 {
			t.Errorf("%s: %s, %s, %d lines, %d bytes", f.Path, f.State, f.Action, f.Lines, f.Bytes)
		}
	}
	for _, again := range []func() (*generator.Result, error){
		func() (*generator.Result, error) { return generator.Check(path) },
		func() (*generator.Result, error) { return generator.Generate(path, generator.Options{}) },
	} {
		r, err := again()
		if err != nil || r.Drift() {
			t.Errorf("after a run: %+v, %v", r, err)
		}
	}
}

func TestDryRunAndCheckWriteNothing(t *testing.T) {
	path := specAt(t, valid)
	dry, err := generator.Generate(path, generator.Options{DryRun: true})
	if err != nil || !dry.Drift() {
		t.Fatal(dry, err)
	}
	if r, err := generator.Check(path); err != nil || len(r.Files) != len(dry.Files) {
		t.Error(r, err)
	}
	if got := names(t, path); !slices.Equal(got, []string{"retry.yaml"}) {
		t.Error("wrote", got)
	}
}

// One run shows what every stage finds, in the order of the file, and writes nothing.
func TestFindingsOfAllStagesComeTogether(t *testing.T) {
	text := strings.Replace(valid, "timeout: 30s", "timeout: 30", 1)                        // refused by spec
	text = strings.Replace(text, "default_ladder: standard", "default_ladder: standart", 1) // by plan
	text = strings.Replace(text, "rungs: [30s, 2m]", "rungs: [30s, 9h]", 1)                 // by lint
	path := specAt(t, text)
	r, err := generator.Generate(path, generator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var lines []int
	for _, d := range r.Diagnostics {
		if d.Severity == diag.Error {
			lines = append(lines, d.Pos.Line)
		}
	}
	if !slices.Equal(lines, []int{4, 5, 10}) {
		t.Errorf("errors on the lines %v: %+v", lines, r.Diagnostics)
	}
	if got := names(t, path); len(r.Files) > 0 || !slices.Equal(got, []string{"retry.yaml"}) {
		t.Error("wrote", got)
	}
}

// What cannot be read as YAML says only that, not what the stages make of a document without anything in it.
func TestTextThatIsNoYAMLIsOneFinding(t *testing.T) {
	for name, text := range map[string]string{"broken": "version: [1\n", "empty": "", "a list": "- 1\n"} {
		t.Run(name, func(t *testing.T) {
			r, err := generator.Check(specAt(t, text))
			if err != nil || len(r.Diagnostics) != 1 {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
}

func TestSpecThatCannotBeReadIsAnError(t *testing.T) {
	if r, err := generator.Check(filepath.Join(t.TempDir(), "gone.yaml")); err == nil {
		t.Error(r)
	}
}

func TestDiffIsOfTextsThatBothExist(t *testing.T) {
	path := specAt(t, valid)
	r, err := generator.Generate(path, generator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(filepath.Dir(path), filepath.FromSlash(r.Files[2].Path))
	if err := os.WriteFile(name, []byte("mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(filepath.Dir(path), filepath.FromSlash(r.Files[3].Path))); err != nil {
		t.Fatal(err)
	}
	r, err = generator.Check(path)
	if err != nil || !r.Blocked {
		t.Fatal(r, err)
	}
	if d := r.Files[2].Diff(); !strings.Contains(d, "\n-mine\n+") {
		t.Errorf("the diff of an edited file is %q", d)
	}
	if d := r.Files[0].Diff() + r.Files[3].Diff(); d != "" {
		t.Errorf("the diff of one that is the same and one that is missing is %q", d)
	}
}
