package generator_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/retryc/retryc/generator"
)

// TestDiffSeesEveryFieldOfTheFormat changes each leaf of the schema in a spec, and wants retryc diff to say something of it.
func TestDiffSeesEveryFieldOfTheFormat(t *testing.T) {
	format, root, leaves := leavesOf(t)
	tried := map[string]bool{}
	for _, m := range slices.Concat(mutations, diffMutations) {
		tried[m.leaf] = true
		t.Run(m.leaf, func(t *testing.T) {
			before := edited(t, goldenSpec(t, m.in), m.given)
			after := edited(t, before, m.edit)
			changed := changedLeaves(t, format, root, before, after)
			if want := slices.Sorted(slices.Values(append(m.also, m.leaf))); !slices.Equal(changed, want) {
				t.Fatalf("the edit changes %q, want %q", changed, want)
			}
			if same := diffOf(t, before, before); !same.Report.Same() {
				t.Errorf("a spec differs from itself:\n%s", textOf(t, same))
			}
			there, back := diffOf(t, before, after), diffOf(t, after, before)
			if there.Report.Same() || back.Report.Same() {
				t.Errorf("nothing is said of it, there or back:\n%s\n%s", textOf(t, there), textOf(t, back))
			}
			if bytes.Contains([]byte(textOf(t, there)), []byte{0}) {
				t.Errorf("a mark of ours comes out:\n%s", textOf(t, there))
			}
		})
	}
	for _, leaf := range leaves {
		if !tried[leaf] && leaf != "version" { // there is one
			t.Errorf("no mutation tries %s: add one", leaf)
		}
	}
}

func diffOf(t *testing.T, before, after string) *generator.Difference {
	t.Helper()
	d := generator.Diff(generator.Source{Name: "before", Text: []byte(before)}, generator.Source{Name: "after", Text: []byte(after)})
	if d.Report == nil {
		t.Fatal(d.Base.Diagnostics, d.Head.Diagnostics)
	}
	return d
}

func textOf(t *testing.T, d *generator.Difference) string {
	t.Helper()
	var b bytes.Buffer
	if err := d.Report.Text(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const flagshipEnd = "error_detail: {max: 2KB, redact: [email, card_number, bearer]}\n"

// diffMutations are of the leaves that nothing of the output is made of.
var diffMutations = slices.Concat([]mutation{
	{leaf: "ledger.dropped[].name", in: "minimal", given: []string{"dialect: sqlite", "dialect: sqlite, dropped: [{name: a, reason: old}]"}, edit: []string{"name: a", "name: b"}},
	{leaf: "ledger.dropped[].reason", in: "minimal", given: []string{"dialect: sqlite", "dialect: sqlite, dropped: [{name: a, reason: old}]"}, edit: []string{"reason: old", "reason: unused"}},
	{leaf: "ledger.columns[].retyped.from", in: "flagship", given: []string{"index: true}", "index: true, retyped: {from: integer, reason: x}}"}, edit: []string{"from: integer", "from: real"}},
	{leaf: "ledger.columns[].retyped.reason", in: "flagship", given: []string{"index: true}", "index: true, retyped: {from: integer, reason: x}}"}, edit: []string{"reason: x", "reason: y"}},
	{leaf: "review.forbid[]", in: "flagship", given: []string{flagshipEnd, flagshipEnd + "review: {forbid: [key_changed]}\n"}, edit: []string{"forbid: [key_changed]", "forbid: [data_dropped]"}},
}, priceMutations(), boundMutations())

func priceMutations() (all []mutation) {
	given := flagshipEnd + "prices: {currency: EUR, publish: 0.1, request: 0.2, handler_second: 0.3, ledger_row: 0.4}\n"
	for field, edit := range map[string][]string{
		"currency": {"EUR", "USD"}, "publish": {"publish: 0.1", "publish: 0.5"}, "request": {"request: 0.2", "request: 0.5"},
		"handler_second": {"handler_second: 0.3", "handler_second: 0.5"}, "ledger_row": {"ledger_row: 0.4", "ledger_row: 0.5"},
	} {
		all = append(all, mutation{leaf: "prices." + field, in: "flagship", given: []string{flagshipEnd, given}, edit: edit})
	}
	return all
}

func boundMutations() (all []mutation) {
	for _, side := range []string{"max_increase", "max_decrease"} {
		for _, figure := range []string{"attempts", "longest_wait", "window", "runs", "handler_time", "messages", "requests", "ledger_rows", "cost"} {
			all = append(all, mutation{leaf: "review." + side + "." + figure, in: "flagship",
				given: []string{flagshipEnd, fmt.Sprintf("%sreview: {%s: {%s: 50%%}}\n", flagshipEnd, side, figure)}, edit: []string{"50%", "60%"}})
		}
	}
	return all
}
