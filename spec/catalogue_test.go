package spec_test

import (
	"strings"
	"testing"

	"github.com/retryc/retryc/spec"
	"github.com/retryc/retryc/spec/diag"
	"github.com/retryc/retryc/spec/spectest"
)

func TestBaseSpecHasNothingWrong(t *testing.T) {
	if _, findings := spec.Parse("retry.yaml", []byte(spectest.Base)); len(findings) > 0 {
		t.Fatalf("findings: %v", findings)
	}
}

// The codes of this package are RC0xx and RC1xx; the later stages run the examples of theirs.
func TestExamplesOfTheCatalogueGiveTheirCode(t *testing.T) {
	unshown := map[string]bool{"RC003": true, "RC004": true, "RC005": true, "RC015": true}
	for _, code := range diag.Codes() {
		if !strings.HasPrefix(code, "RC0") && !strings.HasPrefix(code, "RC1") {
			continue
		}
		t.Run(code, func(t *testing.T) {
			bad, good := diag.Examples(code)
			if unshown[code] {
				if bad.Text != "" {
					t.Error("the code has an example, so it is no longer one that cannot be shown")
				}
				return
			}
			if bad.Text == "" || good.Text == "" {
				t.Fatal("the text lacks a bad or a good example")
			}
			_, findings := spec.Parse("retry.yaml", spectest.Source(bad))
			if len(findings) == 0 {
				t.Error("the bad example has no finding")
			}
			for _, f := range findings {
				if f.Code != code {
					t.Errorf("the bad example also gives %s: %s", f.Code, f.Message)
				}
			}
			if _, findings := spec.Parse("retry.yaml", spectest.Source(good)); len(findings) > 0 {
				t.Errorf("the good example gives %v", findings)
			}
		})
	}
}
