package compare_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retryc/retryc/generator/internal/compare"
	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec"
	"github.com/retryc/retryc/spec/spectest"
)

func planOf(t *testing.T, snippet string) *plan.Plan {
	t.Helper()
	doc, refused := spec.Parse("retry.yaml", spectest.Overlay(snippet))
	p, list := plan.New(doc)
	if append(refused, list...).HasErrors() {
		t.Fatal(refused, list)
	}
	return p
}

func TestWhatErrorsAreTakenFor(t *testing.T) {
	for name, c := range map[string]struct{ before, after, want string }{
		"a family that loses some": {
			"error_classes: [{name: down, outcome: transient, when: [{http: 5xx}]}]\n",
			"error_classes: [{name: gone, outcome: permanent, when: [{http: [501, 505]}]}, {name: down, outcome: transient, when: [{http: 5xx}]}]\n",
			"HTTP 501, HTTP 505: transient down → permanent gone\n",
		},
		"a family that is new": {
			"", "error_classes: [{name: mine, outcome: permanent, when: [{http: 4xx}]}]\n",
			"HTTP 400 to 499: transient unmatched → permanent mine\n",
		},
		"another order": {
			"error_classes: [{name: a, outcome: transient, when: [{http: 404}]}, {name: b, outcome: permanent, when: [{http: 4xx}]}]\n",
			"error_classes: [{name: b, outcome: permanent, when: [{http: 4xx}]}, {name: a, outcome: transient, when: [{http: 404}]}]\n",
			"HTTP 404: transient a → permanent b\n",
		},
		"another name": {
			"error_classes: [{name: a, outcome: transient, when: [{sqlstate: [\"40001\", \"08*\"]}]}]\n",
			"error_classes: [{name: b, outcome: transient, when: [{sqlstate: [\"08*\", \"40001\"]}]}]\n",
			"SQLSTATE 40001, SQLSTATE 08*: transient a → transient b\n",
		},
		"a state out of a class of states": {
			"error_classes: [{name: a, outcome: transient, when: [{sqlstate: \"08*\"}]}]\n",
			"error_classes: [{name: b, outcome: permanent, when: [{sqlstate: \"08001\"}]}, {name: a, outcome: transient, when: [{sqlstate: \"08*\"}]}]\n",
			"SQLSTATE 08001: transient a → permanent b\n",
		},
		"events": {
			"error_classes: [{name: a, outcome: transient, when: [{crash: true}, {timeout: true}]}]\n",
			"error_classes: [{name: b, outcome: permanent, when: [{crash: true}, {payload: invalid}, {panic: true}]}]\n",
			"a timeout: transient a → transient timeout\na process that died: transient a → permanent b\na panic: transient panic → permanent b\n" +
				"a payload that breaks a rule: permanent invalid → permanent b\n",
		},
		"Go errors and texts": {
			"error_classes: [{name: a, outcome: transient, when: [{is: io.EOF}, {as: net.Error}, {message: \"x+\"}]}]\n",
			"error_classes: [{name: a, outcome: permanent, when: [{is: io.EOF}, {message: \"x+\"}]}]\n",
			"io.EOF, a text that matches \"x+\": transient a → permanent a\nany net.Error: transient a → transient unmatched\n",
		},
		"what no class matches": {
			"unmatched: transient\n", "unmatched: permanent\n",
			"a panic: transient panic → permanent panic\nan error that no class matches: transient unmatched → permanent unmatched\n" +
				"a handler that ends its goroutine: transient exited → permanent exited\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got strings.Builder
			for _, e := range compare.Policies(planOf(t, c.before), planOf(t, c.after), compare.Options{}).Errors {
				fmt.Fprintf(&got, "%s: %s %s → %s %s\n", strings.Join(e.Errors, ", "), e.Before.Outcome, e.Before.Class, e.After.Outcome, e.After.Class)
			}
			if diff := cmp.Diff(c.want, got.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A class that no longer retries a crash changes both counters of crashes, and so the worst.
func TestAnErrorOfAnotherClassIsComparedWithItsOldOne(t *testing.T) {
	before := planOf(t, "error_classes: [{name: down, outcome: transient, when: [{http: 503}, {crash: true}]}]\n")
	after := planOf(t, "error_classes: [{name: down, outcome: transient, when: [{http: 500}]}, {name: dead, outcome: permanent, when: [{crash: true}, {http: 503}]}]\n")
	var got []string
	for _, q := range compare.Policies(before, after, compare.Options{}).Queues {
		for _, r := range q.Jobs {
			for _, of := range r.Of {
				for _, f := range r.Figures {
					got = append(got, strings.Join(of.Ends, "+")+" "+f.Name+" "+f.Before+" → "+f.After)
				}
			}
		}
	}
	want := []string{
		"HTTP 503 outcome transient → permanent", "HTTP 503 attempts 4 → 1", "HTTP 503 window 12m30s (9m23s to 15m38s) → 0s", "HTTP 503 handler_time 2m → 30s",
		"a process that died outcome transient → permanent", "a process that died attempts 3 → 1", "a process that died window 2m30s (1m53s to 3m8s) → 0s",
		"a process that died handler_time 1m30s → 30s",
		" runs 132 → 122", " ledger_rows 132 → 122", " handler_time 1h6m → 1h1m",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAReportFitsIntoAComment(t *testing.T) {
	var queues strings.Builder
	for i := range 800 {
		fmt.Fprintf(&queues, "  q%d: {payload: {id: string}, concurrency: %d}\n", i, i+1)
	}
	before, after := "queues:\n"+queues.String(), "queues:\n"+strings.ReplaceAll(queues.String(), "concurrency: ", "concurrency: 1")
	r := compare.Policies(planOf(t, before), planOf(t, after), compare.Options{Base: "a", Head: "b"})
	var text, markdown strings.Builder
	if err := r.Text(&text); err != nil {
		t.Fatal(err)
	}
	if err := r.Markdown(&markdown); err != nil {
		t.Fatal(err)
	}
	if n := len(markdown.String()); n > 60_200 || n < 50_000 {
		t.Errorf("the comment has %d bytes", n)
	}
	if !strings.HasSuffix(markdown.String(), " lines more, which retryc diff shows without --format markdown.\n") || !strings.Contains(text.String(), "queue q799\n") {
		t.Error("it does not say what it leaves out, or the text leaves something out too")
	}
}

func TestNamesOfASpecAreNoMarkup(t *testing.T) {
	before := planOf(t, "")
	after := planOf(t, "error_classes: [{name: a, outcome: permanent, when: [{message: \"`<b>|a@team_[x](y)\\n# z\"}]}]\n")
	var markdown strings.Builder
	if err := compare.Policies(before, after, compare.Options{Base: "a`b", Head: "b"}).Markdown(&markdown); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<b>", ";|a", "@team", "[x](", "\n# ", "`a`b`"} {
		if strings.Contains(markdown.String(), bad) {
			t.Errorf("%q comes out as it is:\n%s", bad, markdown.String())
		}
	}
}

const review = "review: {max_increase: {handler_time: 60%, cost: 60%}, max_decrease: {cost: 0%}}\n"

// A handler that takes longer is told of once, by the worst; the bounds hold for every way in which attempts can end.
func TestWhatOneRowTellsIsJudgedForAll(t *testing.T) {
	queue := func(timeout string) string {
		return "queues: {mail: {payload: {}, timeout: " + timeout + "}}\n" + review
	}
	r := compare.Policies(planOf(t, queue("10s")), planOf(t, queue("20s")), compare.Options{})
	if len(r.Queues) != 1 || len(r.Queues[0].Jobs) != 1 || len(r.Queues[0].Jobs[0].Of[0].Ends) != 0 {
		t.Errorf("told are %+v", r.Queues)
	}
	want := []string{
		"handler time of mail (timeout, panic, exited, unmatched): 40s → 1m20s, +100%: review.max_increase allows 60%",
		"handler time of mail (crashed (a process that died)): 30s → 1m, +100%: review.max_increase allows 60%",
		"handler time of mail (interrupted): 3m20s → 6m40s, +100%: review.max_increase allows 60%",
		"handler time of mail (snoozed): 16m40s → 33m20s, +100%: review.max_increase allows 60%",
		"handler time of mail (marked, undecodable, invalid): 10s → 20s, +100%: review.max_increase allows 60%",
		"handler time of mail (every counter used up): 22m → 44m, +100%: review.max_increase allows 60%",
	}
	if diff := cmp.Diff(want, r.Refused); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}
}

func TestCostsAreComparedAtTheSamePrices(t *testing.T) {
	at := func(attempts, prices string) string { return "caps: {attempts: " + attempts + "}\n" + prices + review }
	const dear, cheap = "prices: {currency: EUR, ledger_row: 1}\n", "prices: {currency: EUR, ledger_row: 0}\n"
	for name, c := range map[string]struct{ before, after, want string }{
		"prices alone":               {at("3", dear), at("3", cheap), ""},
		"and attempts":               {at("1", dear), at("3", cheap), "1 EUR → 3 EUR"},
		"prices that are gone":       {at("1", dear), at("3", ""), "1 EUR → 3 EUR"},
		"prices that were not there": {at("1", ""), at("3", dear), "1 EUR → 3 EUR"},
	} {
		r := compare.Policies(planOf(t, c.before), planOf(t, c.after), compare.Options{})
		got := ""
		for _, refused := range r.Refused {
			if strings.HasPrefix(refused, "cost of thumbnails (timeout") {
				got = refused
			}
		}
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: refused are %q", name, r.Refused)
		}
	}
}
