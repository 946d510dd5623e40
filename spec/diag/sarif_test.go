package diag

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// everyCode is a finding of each code, of every shape that there is.
func everyCode() (l List) {
	for i, code := range Codes() {
		d := Diagnostic{Pos: Pos{i + 1, 2}, Width: 3, Code: code, Severity: Severity(i % 2), Message: "“<m>” & more"}
		switch i % 4 {
		case 0:
			d.Hint = "do this"
		case 1:
			d.Ignored = "a reason"
		case 2:
			d.Related = &Related{Pos{1, 1}, 0, "the other place"}
		case 3:
			d.Pos = Pos{}
		}
		l = append(l, d)
	}
	return l
}

func sarif(t *testing.T, l List, file string) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := l.SARIF(&out, file, "v1.2.3"); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestSARIFNamesTheRuleOfEachResult(t *testing.T) {
	findings := everyCode()
	var log sarifLog
	if err := json.Unmarshal(sarif(t, findings, "retry.yaml"), &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if log.Version != "2.1.0" || len(run.Results) != len(findings) || run.Tool.Driver.Version != "v1.2.3" {
		t.Fatalf("version %q, %d results of %d, %q", log.Version, len(run.Results), len(findings), run.Tool.Driver.Version)
	}
	for i, r := range run.Results {
		d, rule := findings[i], run.Tool.Driver.Rules[r.RuleIndex]
		if r.RuleID != d.Code || rule.ID != d.Code || rule.Short.Text != Title(d.Code) || rule.Full.Text == "" || rule.Help.Text == "" {
			t.Errorf("%s has the rule %+v", d.Code, rule)
		}
		if r.Level != d.Severity.String() {
			t.Errorf("%s is %q", d.Code, r.Level)
		}
		region := r.Locations[0].Physical.Region
		if d.Pos.Valid() != (region != nil) || region != nil && *region != (sarifRegion{d.Pos.Line, 2, 5}) {
			t.Errorf("%s is at %+v", d.Code, region)
		}
		if (d.Ignored != "") != (len(r.Suppressions) == 1) || (d.Related != nil) != (len(r.Related) == 1) {
			t.Errorf("%s has %d suppressions and %d other places", d.Code, len(r.Suppressions), len(r.Related))
		}
	}
}

func TestSARIFHasOneRuleForManyResults(t *testing.T) {
	var log sarifLog
	l := List{{Code: "RC104", Pos: Pos{1, 1}}, {Code: "RC305", Pos: Pos{1, 1}}, {Code: "RC104", Pos: Pos{2, 1}}}
	if err := json.Unmarshal(sarif(t, l, "retry.yaml"), &log); err != nil {
		t.Fatal(err)
	}
	results := log.Runs[0].Results
	if n := len(log.Runs[0].Tool.Driver.Rules); n != 2 || results[0].RuleIndex != 0 || results[1].RuleIndex != 1 || results[2].RuleIndex != 0 {
		t.Errorf("%d rules, and results of %+v", n, results)
	}
}

func TestSARIFNamesFilesByTheirURI(t *testing.T) {
	for file, want := range map[string]string{
		"retry.yaml": "retry.yaml", "../a b/r#1%.yaml": "../a%20b/r%231%25.yaml", "/srv/retry.yaml": "file:///srv/retry.yaml", "a:b.yaml": "./a:b.yaml",
	} {
		var log sarifLog
		if err := json.Unmarshal(sarif(t, List{{Code: "RC104"}}, file), &log); err != nil {
			t.Fatal(err)
		}
		if got := log.Runs[0].Results[0].Locations[0].Physical.Artifact.URI; got != want {
			t.Errorf("%s is %s, want %s", file, got, want)
		}
	}
}

// The schema is that of OASIS, sarif-schema-2.1.0.json, which RETRYC_TEST_SARIF_SCHEMA names where it is at hand.
func TestSARIFIsValidByItsSchema(t *testing.T) {
	path := os.Getenv("RETRYC_TEST_SARIF_SCHEMA")
	if path == "" {
		t.Skip("RETRYC_TEST_SARIF_SCHEMA names no schema")
	}
	schema, err := jsonschema.Compile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []List{nil, everyCode()} {
		var log any
		if err := json.Unmarshal(sarif(t, l, "a b.yaml"), &log); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(log); err != nil {
			t.Errorf("%#v", err)
		}
	}
}
