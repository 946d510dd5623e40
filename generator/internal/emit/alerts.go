package emit

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/retryc/retryc/generator/internal/plan"
)

// alerts makes, where the spec has slo, retryc_alerts_gen.yaml with a rule of Prometheus for each objective, and
// retryc_alerts_test_gen.yaml, by which promtool tests each of them.
func alerts(p *plan.Plan) ([]File, error) {
	if p.AlertsDir == "" || len(p.Queues) == 0 {
		return nil, nil
	}
	all := rules(p)
	return []File{
		{Path: path.Join(p.AlertsDir, alertsFile), Data: rulesText(p, all)},
		{Path: path.Join(p.AlertsDir, alertTestsFile), Data: ruleTestsText(p, all)},
	}, nil
}

const (
	alertsFile     = "retryc_alerts_gen.yaml"
	alertTestsFile = "retryc_alerts_test_gen.yaml"
)

// rule is one alert.
type rule struct {
	name        string
	expr        []string // lines
	wait        time.Duration
	severity    string
	objective   string // as slo has it
	summary     string // {queue} stands for the queue's name
	description string
	queue       string // of the test: one of those that it is about
	tests       []ruleTest
}

// rulesText is:
//
//	groups:
//	  - name: retryc-jobs
//	    rules:
//	      - alert: RetrycJobsWait
//	        expr: |-
//	          max by (queue) (retryc_oldest_due_seconds{queue="invoices"}) > 600
//	        labels: {severity: page, objective: "oldest_message: 10m"}
//	        annotations:
//	          summary: "…"
//	          description: "…"
func rulesText(p *plan.Plan, all []rule) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n#\n# Alert rules for Prometheus: load them with rule_files. promtool test rules %s tests them.\n", header, alertTestsFile)
	fmt.Fprintf(&b, "groups:\n  - name: retryc-%s\n    rules:\n", p.Package)
	fmt.Fprintf(&b, "      # The share of failed attempts that no error class of retry.yaml knows.\n      - record: %s\n        expr: |-\n", unclassifiedShare)
	of := queuesLabel(p.Queues)
	fmt.Fprintf(&b, "          sum by (queue) (increase(retryc_attempts_total{%s, class=\"unmatched\"}[1h]))\n", of)
	fmt.Fprintf(&b, "          / (sum by (queue) (increase(retryc_attempts_total{%s, outcome!=\"ok\"}[1h])) > 0)\n", of)
	for _, r := range all {
		fmt.Fprintf(&b, "      - alert: %s\n        expr: |-\n", r.name)
		for _, line := range r.expr {
			b.WriteString("          " + line + "\n")
		}
		if r.wait > 0 {
			fmt.Fprintf(&b, "        for: %s\n", promDuration(r.wait))
		}
		fmt.Fprintf(&b, "        labels: %s\n        annotations:\n", r.labels(""))
		summary, description := r.annotations("{{ $labels.queue }}")
		fmt.Fprintf(&b, "          summary: %s\n          description: %s\n", summary, description)
	}
	return []byte(b.String())
}

const unclassifiedShare = "retryc:unclassified:share_1h"

// labels are those of an alert, with the queue's where there is one.
func (r rule) labels(queue string) string {
	var more string
	if queue != "" {
		more = ", queue: " + strconv.Quote(queue)
	}
	return fmt.Sprintf("{severity: %s, objective: %s%s}", r.severity, strconv.Quote(r.objective), more)
}

func (r rule) annotations(queue string) (summary, description string) {
	named := strings.NewReplacer("{queue}", queue)
	return strconv.Quote(named.Replace(r.summary)), strconv.Quote(named.Replace(r.description))
}

// queuesLabel selects the series of some queues.
func queuesLabel(queues []*plan.Queue) string {
	if len(queues) == 1 {
		return `queue="` + queues[0].Name.V + `"`
	}
	var names []string
	for _, q := range queues {
		names = append(names, strings.ReplaceAll(regexp.QuoteMeta(q.Name.V), `\`, `\\`))
	}
	return `queue=~"` + strings.Join(names, "|") + `"`
}

// promDuration is a duration as Prometheus writes it.
func promDuration(d time.Duration) string {
	if d%time.Second != 0 {
		return strconv.FormatInt(d.Milliseconds(), 10) + "ms"
	}
	return plan.Duration(d)
}

// sharing are the queues whose objective has one value, by that value, in the order of the spec. A value that is false asks for nothing.
func sharing[V comparable](p *plan.Plan, objective func(plan.Objectives) (V, bool), each func(value V, queues []*plan.Queue)) {
	var values []V
	by := map[V][]*plan.Queue{}
	for _, q := range p.Queues {
		v, asked := objective(q.Objectives)
		if !asked {
			continue
		}
		if !slices.Contains(values, v) {
			values = append(values, v)
		}
		by[v] = append(by[v], q)
	}
	for _, v := range values {
		each(v, by[v])
	}
}
