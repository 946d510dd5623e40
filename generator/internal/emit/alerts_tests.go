package emit

import (
	"fmt"
	"strings"
	"time"

	"github.com/retryc/retryc/generator/internal/plan"
)

// ruleTest is a course of events: when an alert is quiet, and when it has come.
type ruleTest struct {
	interval     time.Duration // of the values
	series       []testSeries
	quiet, fires []time.Duration
}

// testSeries is one of a metric, in promtool's notation. {queue} stands for the queue's name.
type testSeries struct{ series, values string }

// samples is how many values there are in a time.
func samples(in, interval time.Duration) int { return int(in/interval) + 1 }

// ruleTestsText is:
//
//	rule_files: [retryc_alerts_gen.yaml]
//	evaluation_interval: 1m
//	tests:
//	  - interval: 1m
//	    input_series:
//	      - {series: 'retryc_oldest_due_seconds{queue="invoices"}', values: "600x5 601x5"}
//	    alert_rule_test:
//	      - {eval_time: 3m, alertname: RetrycJobsWait}
//	      - eval_time: 8m
//	        alertname: RetrycJobsWait
//	        exp_alerts:
//	          - exp_labels: {severity: page, objective: "oldest_message: 10m", queue: "invoices"}
//	            exp_annotations:
//	              summary: "…"
//	              description: "…"
func ruleTestsText(p *plan.Plan, all []rule) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\nrule_files: [%s]\nevaluation_interval: 1m\ntests:\n", header, alertsFile)
	shareTest(&b, p.Queues[0].Name.V)
	for _, r := range all {
		named := strings.NewReplacer("{queue}", r.queue)
		for _, t := range r.tests {
			fmt.Fprintf(&b, "  - interval: %s\n", promDuration(t.interval))
			if len(t.series) > 0 {
				b.WriteString("    input_series:\n")
			}
			for _, s := range t.series {
				fmt.Fprintf(&b, "      - {series: '%s', values: \"%s\"}\n", named.Replace(s.series), s.values)
			}
			b.WriteString("    alert_rule_test:\n")
			for _, at := range t.quiet {
				fmt.Fprintf(&b, "      - {eval_time: %s, alertname: %s}\n", promDuration(at), r.name)
			}
			for _, at := range t.fires {
				firing(&b, r, at)
			}
		}
	}
	return []byte(b.String())
}

func firing(b *strings.Builder, r rule, at time.Duration) {
	summary, description := r.annotations(r.queue)
	fmt.Fprintf(b, "      - eval_time: %s\n        alertname: %s\n        exp_alerts:\n", promDuration(at), r.name)
	fmt.Fprintf(b, "          - exp_labels: %s\n            exp_annotations:\n", r.labels(r.queue))
	fmt.Fprintf(b, "              summary: %s\n              description: %s\n", summary, description)
}

// shareTest is of the one rule that records.
func shareTest(b *strings.Builder, queue string) {
	b.WriteString("  - interval: 1m\n    input_series:\n")
	for _, s := range []struct{ labels, values string }{
		{`outcome="transient", class="unmatched"`, "0+1x60"}, {`outcome="permanent", class="known"`, "0+3x60"}, {`outcome="ok"`, "0+9x60"},
	} {
		fmt.Fprintf(b, "      - {series: 'retryc_attempts_total{queue=\"%s\", %s}', values: \"%s\"}\n", queue, s.labels, s.values)
	}
	fmt.Fprintf(b, "    promql_expr_test:\n      - expr: %s\n        eval_time: 1h\n        exp_samples:\n          - {labels: '%[1]s{queue=\"%s\"}', value: 0.25}\n", unclassifiedShare, queue)
}
