package lint_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/retryc/retryc/generator/internal/lint"
	"github.com/retryc/retryc/generator/internal/migrate"
	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec"
	"github.com/retryc/retryc/spec/diag"
	"github.com/retryc/retryc/spec/spectest"
)

// check runs all stages that find something.
func check(src []byte) diag.List { return checkAfter(migrate.Folder{}, src) }

// checkAfter does so where there are migrations already.
func checkAfter(folder migrate.Folder, src []byte) diag.List {
	doc, findings := spec.Parse("retry.yaml", src)
	p, more := plan.Next(doc, folder)
	findings = append(findings, more...)
	_, more = lint.Check(p)
	kept, _ := lint.Ignore(p, append(findings, more...))
	return kept
}

func TestExamplesOfTheCatalogueGiveTheirCode(t *testing.T) {
	for _, code := range diag.Codes() {
		if code < "RC2" || code >= "RC41" { // those of spec, and those of files
			continue
		}
		t.Run(code, func(t *testing.T) {
			bad, good := diag.Examples(code)
			if bad.Text == "" || good.Text == "" {
				t.Fatal("the text lacks a bad or a good example")
			}
			var folder migrate.Folder
			if before := diag.Before(code); before.Text != "" {
				folder = migrated(t, spectest.Source(before))
			}
			findings := checkAfter(folder, spectest.Source(bad))
			if len(findings) == 0 {
				t.Error("the bad example has no finding")
			}
			for _, f := range findings {
				if f.Code != code {
					t.Errorf("the bad example also gives %s: %s", f.Code, f.Message)
				}
				if !f.Pos.Valid() {
					t.Errorf("a finding has no place: %s", f.Message)
				}
				if f.Hint == "" {
					t.Errorf("a finding does not say what to do: %s", f.Message)
				}
			}
			for _, f := range checkAfter(folder, spectest.Source(good)) {
				t.Errorf("the good example gives %s at %v: %s", f.Code, f.Pos, f.Message)
			}
		})
	}
}

// What is a warning, and so can be ignored, says so at the end of its text.
func TestTextsSayWhatIsAWarning(t *testing.T) {
	for _, code := range diag.Codes() {
		bad, _ := diag.Examples(code)
		if code < "RC3" || code >= "RC4" {
			continue
		}
		warned := false
		for _, f := range check(spectest.Source(bad)) {
			warned = warned || f.Severity == diag.Warning
		}
		text, _ := diag.Explain(code)
		prose, _, _ := strings.Cut(strings.Join(strings.Fields(text), " "), " ```")
		if said := strings.Contains(prose, " a warning") || strings.Contains(prose, " are warnings."); said != warned && code != "RC350" && code != "RC361" {
			t.Errorf("%s is a warning: %v, and its text says so: %v", code, warned, said)
		}
	}
}

// migrated is the folder of a product whose tables are those of src.
func migrated(t *testing.T, src []byte) migrate.Folder {
	t.Helper()
	doc, findings := spec.Parse("retry.yaml", src)
	p, more := plan.New(doc)
	for _, f := range append(findings, more...) {
		t.Fatalf("the example of what was before gives %s: %s", f.Code, f.Message)
	}
	record := migrate.Record{Format: p.MigrationsFormat}
	return migrate.Folder{Record: record.Append(map[string]string{"1_retryc.sql": "x"}, p.Schema()), Next: 2}
}

func TestEveryRuleIsInTheCatalogue(t *testing.T) {
	var last string
	for _, r := range lint.All {
		if !slices.Contains(diag.Codes(), r.Code) {
			t.Errorf("%s, %s, has no text", r.Code, r.Name)
		}
		if r.Code <= last {
			t.Errorf("%s does not come after %s", r.Code, last)
		}
		last = r.Code
	}
}

func TestBaseSpecIsClean(t *testing.T) {
	if findings := check([]byte(spectest.Base)); len(findings) > 0 {
		t.Errorf("findings: %v", findings)
	}
}
