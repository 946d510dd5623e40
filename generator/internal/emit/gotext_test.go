package emit

import (
	"bytes"
	"go/format"
	"strings"
	"testing"

	"github.com/retryc/retryc/generator/internal/plan"
)

// gofmted fails where a Go file of the plan is not as gofmt leaves it.
func gofmted(t *testing.T, p *plan.Plan) {
	t.Helper()
	files, err := Files(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		formatted, err := format.Source(f.Data)
		if strings.HasSuffix(f.Path, ".go") && (err != nil || !bytes.Equal(formatted, f.Data)) {
			t.Errorf("%s is not as gofmt has it (%v)\n%s", f.Path, err, f.Data)
		}
	}
}

func TestAlignedIsAsGofmtAligns(t *testing.T) {
	src := "package p\n\n" + strings.Join(block("type t struct {", aligned([][]string{
		{"a", "int", "`json:\"a\"`"},
		{"bcd", "[]string", "`json:\"bcd,omitzero\"`", "// optional"},
		{"éé", "*int", "`json:\"e\"`", "// 1 where it is nil"},
		{"f", "map[string]string", "`json:\"f_f_f_f_f_f_f_f\"`"},
		{"g", "int", "`json:\"g\"`", "// optional"},
	})...), "\n") + "\n"
	if formatted, err := format.Source([]byte(src)); err != nil || string(formatted) != src {
		t.Errorf("%v\n%s\nwant\n%s", err, src, formatted)
	}
}

// Values that take more than a line, where a check is deep or has more than one condition; names that gofmt thinks too long
// to align; and numbers that could be read as whole.
func TestLongListsAndNamesAreAsGofmtHasThem(t *testing.T) {
	long := "a_very_long_name_of_a_field_and_of_a_column"
	for _, column := range []string{long[:38], long[:39], long} {
		p := planOf(t, minimal(`
tenants: {id: who}
queues:
  q:
    payload:
      who: string
      `+long+`: {type: float64, default: 1e30}
      many: {type: string, enum: [a, b, c, d, e]}
      may: {type: string, enum: [a, b, c, d, e, f, g, h, "\n"], optional: true}
      in: {type: list, items: {type: map, values: {type: string, enum: [a, b, c, d, e]}}}
      obj: {type: object, fields: {deep: {type: list, items: {type: object, fields: {many: {type: string, enum: [a, b, c, d, e]}}}}}}
`))
		p.Ledger.Columns = []plan.Column{{}, {}, {}}
		for i, name := range []string{column, "b", "cc"} {
			p.Ledger.Columns[i].Name.V = name
		}
		p.Queues[0].Columns = p.Queues[0].Payload.Fields[:3]
		gofmted(t, p)
	}
}

// The packages of a spec come after those of the standard library, and none of them takes the name of one.
func TestPackagesOfTheSpecStandBesideTextThatImports(t *testing.T) {
	p := planOf(t, minimal(`error_classes: [{name: late, outcome: permanent, when: [{is: acme/time.ErrLate}, {as: "*example.com/a/b.Broken"}]}]
queues: {q: {payload: {at: time}, idempotency_key: [at]}}
`))
	gofmted(t, p)
	wantIn(t, emitted(t, p, "jobs/policy_gen.go"), `import ( "time" time1 "acme/time" ab "example.com/a/b" )`, "is(time1.ErrLate), as[*ab.Broken]()", "timeout: 30 * time.Second")
	wantIn(t, emitted(t, p, "jobs/policy_gen_test.go"), `"time" time1 "acme/time" ab "example.com/a/b" )`, "{time.Second, time.Second}",
		`{time1.ErrLate, "late", permanent, failures}`, "Q{At: time.Date(2026, time.January")
}
