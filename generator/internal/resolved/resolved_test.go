package resolved_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/generator/internal/resolved"
	"github.com/retryc/retryc/spec"
)

var update = flag.Bool("update", false, "rewrite the expected policies in testdata")

// Between them the cases have every member of the form. Whoever changes one of the expected texts in another way than by
// adding to it breaks programs of others, and raises Form.
func TestPoliciesOfTheGoldenCases(t *testing.T) {
	for _, name := range []string{"classes", "payloads", "brokers", "webhooks"} {
		t.Run(name, func(t *testing.T) {
			src, err := os.ReadFile(filepath.Join("../../../golden", name, "retry.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			if name == "brokers" {
				src = append(src, "prices: {currency: EUR, publish: 0.00002, request: 0.0000004, handler_second: 0.00001667, ledger_row: 0.0000002}\n"+
					"review: {max_increase: {runs: 50%, cost: 20%}, max_decrease: {window: 10%}, forbid: [key_changed]}\n"...)
			}
			doc, refused := spec.Parse("retry.yaml", src)
			p, list := plan.New(doc)
			if append(refused, list...).HasErrors() {
				t.Fatal(refused, list)
			}
			got := string(resolved.Of(p).Encode())
			if !json.Valid([]byte(got)) {
				t.Error("it is no JSON")
			}
			file := filepath.Join("testdata", name+".json")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Split(strings.ReplaceAll(string(want), "\r\n", "\n"), "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("the policy differs from %s (-want +got); run with -update after a look:\n%s", file, diff)
			}
		})
	}
}
