package lint_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retryc/retryc/generator/internal/lint"
	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec"
	"github.com/retryc/retryc/spec/diag"
	"github.com/retryc/retryc/spec/spectest"
)

var update = flag.Bool("update", false, "write testdata/<rule>/bad.out anew")

// Each rule has a spec with what it refuses, the findings as people see them, and a spec that comes close and is fine.
func TestRules(t *testing.T) {
	for _, r := range lint.All {
		t.Run(r.Name, func(t *testing.T) {
			bad, ok := read(t, r.Name, "bad.yaml"), read(t, r.Name, "ok.yaml")
			findings := check(bad)
			for _, f := range findings {
				if f.Code != r.Code {
					t.Errorf("bad.yaml also has %s: %s", f.Code, f.Message)
				}
			}
			var out bytes.Buffer
			if err := findings.Text(&out, "retry.yaml", bad); err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", r.Name, "bad.out")
			if *update {
				if err := os.WriteFile(golden, out.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(read(t, r.Name, "bad.out")), out.String()); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			for _, f := range check(ok) {
				t.Errorf("ok.yaml has %s at %v: %s", f.Code, f.Pos, f.Message)
			}
		})
	}
}

func TestEveryFolderOfTestdataIsOfARule(t *testing.T) {
	folders, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, r := range lint.All {
		names[r.Name] = true
	}
	for _, f := range folders {
		if !names[f.Name()] {
			t.Errorf("testdata/%s is of no rule", f.Name())
		}
	}
}

func read(t *testing.T, folder, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", folder, file))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Rules look at plans of specs that the stages before have refused.
func TestRulesTolerateHoles(t *testing.T) {
	lint.Check(must(plan.New(&spec.Document{})))
	for _, r := range lint.All {
		for _, file := range []string{"bad.yaml", "ok.yaml"} {
			lines := strings.SplitAfter(string(read(t, r.Name, file)), "\n")
			for i := range lines {
				check([]byte(strings.Join(lines[:i], "") + strings.Join(lines[i+1:], "")))
			}
		}
	}
}

// A misspelt reference is one mistake, not also a ladder that nothing uses or a rung that nobody reaches.
func TestAMisspeltLadderIsOneFinding(t *testing.T) {
	for _, snippet := range []string{
		"default_ladder: standrad\n",
		"queues: {a: {payload: {id: string}, ladder: genlte}}\nladders: {standard: {rungs: [1s]}, gentle: {rungs: [1m]}}\n",
		"error_classes: [{name: a, outcome: transient, when: [{http: 409}], ladder: genlte}]\nladders: {standard: {rungs: [1s]}, gentle: {rungs: [1m]}}\n",
	} {
		if findings := check(spectest.Overlay(snippet)); len(findings) != 1 || findings[0].Code != "RC201" {
			t.Errorf("%s: %v", snippet, findings)
		}
	}
}

func must(p *plan.Plan, _ diag.List) *plan.Plan { return p }
