package generator_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/retryc/retryc/generator"
	"github.com/retryc/retryc/generator/internal/compare"
)

// TestDiffSeesEveryFieldOfTheFormat changes each leaf of the schema in a spec, and wants retryc diff to say something of it.
func TestDiffSeesEveryFieldOfTheFormat(t *testing.T) {
	format, root, leaves := leavesOf(t)
	tried, meant := map[string]bool{}, map[string]int{}
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
			if section := told[m.leaf]; section != nil {
				meant[m.leaf] += section(there.Report) + section(back.Report)
			}
			if bytes.Contains([]byte(textOf(t, there)), []byte{0}) {
				t.Errorf("a mark of ours comes out:\n%s", textOf(t, there))
			}
		})
	}
	for leaf := range told {
		if meant[leaf] == 0 {
			t.Errorf("%s is said to have changed, and not what that means", leaf)
		}
	}
	for _, leaf := range leaves {
		if !tried[leaf] && leaf != "version" { // there is one
			t.Errorf("no mutation tries %s: add one", leaf)
		}
	}
}

// told are the leaves of which more has to be said than that they changed, and how much is.
var told = func() map[string]func(*compare.Report) int {
	figures := func(r *compare.Report) (n int) {
		for _, q := range r.Queues {
			n += len(q.Jobs)
		}
		return n
	}
	errors := func(r *compare.Report) int { return len(r.Errors) }
	migrations := func(r *compare.Report) int { return len(r.Migrations) }
	inFlight := func(r *compare.Report) int { return len(r.InFlight) }
	all := map[string]func(*compare.Report) int{}
	for _, of := range []struct {
		what   func(*compare.Report) int
		leaves string
	}{
		{figures, "caps.attempts caps.throttles caps.crashes caps.interrupts caps.snoozes caps.delay caps.retry_after caps.window " +
			"error_classes[].outcome error_classes[].retry_after error_classes[].budget error_classes[].ladder unmatched " +
			"ladders.*.rungs[] ladders.*.exponential.first ladders.*.exponential.factor ladders.*.exponential.cap ladders.*.exponential.rungs " +
			"ladders.*.jitter ladders.*.jitter.min ladders.*.jitter.max default_ladder tenants.ladders.(name) tenants.ladders.* " +
			"queues.*.ladder queues.*.timeout queues.*.backend.sqs.payload_in queues.*.backend.sqs.native_dead_letter " +
			"queues.*.backend.rabbitmq.native_dead_letter"},
		{errors, "error_classes[].name error_classes[].when[].http error_classes[].when[].http[] error_classes[].when[].is " +
			"error_classes[].when[].as error_classes[].when[].sqlstate error_classes[].when[].sqlstate[] error_classes[].when[].payload " +
			"error_classes[].when[].message error_classes[].when[].timeout error_classes[].when[].crash error_classes[].when[].panic"},
		{migrations, "ledger.dialect ledger.prefix ledger.tables.job ledger.tables.attempt ledger.columns[].name ledger.columns[].type " +
			"ledger.columns[].from ledger.columns[].index"},
		{inFlight, "queues.(name) queues.*.idempotency_key[] queues.*.payload.(name) queues.*.payload.* " +
			"queues.*.backend.sqs.queue_url_env queues.*.backend.rabbitmq.queue queues.*.backend.infrai.queue"},
	} {
		for _, leaf := range strings.Fields(of.leaves) {
			all[leaf] = of.what
		}
	}
	return all
}()

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

// versionLine is where a section is added to a case that has none.
const versionLine = "version: 1\n"

// diffMutations are of the leaves that nothing of the output is made of, and of caps that mean something in another case.
var diffMutations = slices.Concat([]mutation{
	{leaf: "caps.attempts", in: "flagship", edit: []string{"attempts: 6", "attempts: 4"}},
	{leaf: "caps.crashes", in: "flagship", edit: []string{"crashes: 3", "crashes: 4"}},
	{leaf: "caps.delay", in: "flagship", edit: []string{"  delay: 1h", "  delay: 5m"}},
	{leaf: "caps.window", in: "flagship", edit: []string{"window: 48h", "window: 1h"}},
	{leaf: "ledger.dropped[].name", in: "minimal", given: []string{"dialect: sqlite", "dialect: sqlite, dropped: [{name: a, reason: old}]"}, edit: []string{"name: a", "name: b"}},
	{leaf: "ledger.dropped[].reason", in: "minimal", given: []string{"dialect: sqlite", "dialect: sqlite, dropped: [{name: a, reason: old}]"}, edit: []string{"reason: old", "reason: unused"}},
	{leaf: "ledger.columns[].retyped.from", in: "flagship", given: []string{"index: true}", "index: true, retyped: {from: integer, reason: x}}"}, edit: []string{"from: integer", "from: real"}},
	{leaf: "ledger.columns[].retyped.reason", in: "flagship", given: []string{"index: true}", "index: true, retyped: {from: integer, reason: x}}"}, edit: []string{"reason: x", "reason: y"}},
	{leaf: "review.forbid[]", in: "minimal", given: []string{versionLine, versionLine + "review: {forbid: [key_changed]}\n"}, edit: []string{"forbid: [key_changed]", "forbid: [data_dropped]"}},
}, downstreamMutations(), priceMutations(), boundMutations())

func downstreamMutations() (all []mutation) {
	const slots = "concurrency: 200"
	given := []string{slots, slots + "\n    downstream: {requests: 900, per: 1m, run: 2s, processes: 3}"}
	for field, edit := range map[string][]string{
		"requests": {"900", "800"}, "per": {"per: 1m", "per: 1h"}, "run": {"run: 2s", "run: 3s"}, "processes": {"processes: 3", "processes: 4"},
	} {
		all = append(all, mutation{leaf: "queues.*.downstream." + field, in: "classes", given: given, edit: edit})
	}
	return all
}

func priceMutations() (all []mutation) {
	given := versionLine + "prices: {currency: EUR, publish: 0.1, request: 0.2, handler_second: 0.3, ledger_row: 0.4}\n"
	for field, edit := range map[string][]string{
		"currency": {"EUR", "USD"}, "publish": {"publish: 0.1", "publish: 0.5"}, "request": {"request: 0.2", "request: 0.5"},
		"handler_second": {"handler_second: 0.3", "handler_second: 0.5"}, "ledger_row": {"ledger_row: 0.4", "ledger_row: 0.5"},
	} {
		all = append(all, mutation{leaf: "prices." + field, in: "minimal", given: []string{versionLine, given}, edit: edit})
	}
	return all
}

func boundMutations() (all []mutation) {
	for _, side := range []string{"max_increase", "max_decrease"} {
		for _, figure := range []string{"attempts", "longest_wait", "window", "runs", "handler_time", "messages", "requests", "ledger_rows", "cost"} {
			all = append(all, mutation{leaf: "review." + side + "." + figure, in: "minimal",
				given: []string{versionLine, fmt.Sprintf("%sreview: {%s: {%s: 50%%}}\n", versionLine, side, figure)}, edit: []string{"50%", "60%"}})
		}
	}
	return all
}
