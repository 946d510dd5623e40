package outlook_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retryc/retryc/generator/internal/outlook"
	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec"
	"github.com/retryc/retryc/spec/spectest"
)

func planOf(t *testing.T, snippet string) *plan.Plan {
	t.Helper()
	doc, refused := spec.Parse("retry.yaml", spectest.Overlay(snippet))
	p, list := plan.New(doc)
	if len(refused)+len(list) > 0 {
		t.Fatal(refused, list)
	}
	return p
}

const (
	second, minute, hour = time.Second, time.Minute, time.Hour
)

func TestCourseOfAFailingJob(t *testing.T) {
	p := planOf(t, `caps: {attempts: 3, window: 1h}
ladders: {slow: {rungs: [1m, 10m, 20m, 30m], jitter: 50%}}
default_ladder: slow
queues: {q: {payload: {}, timeout: 10s}}
`)
	o := outlook.Of(p)
	end, found := o.End("unmatched")
	c := o.Course(p.Queues[0], "", end)
	if !found || c.Ladder != p.Ladders[0] || c.Chosen != "default" {
		t.Fatalf("%v %v %v", found, c.Ladder, c.Chosen)
	}
	want := []outlook.Step{
		{Rung: 1, Wait: outlook.Span{Least: 30 * second, Mean: minute, Longest: 90 * second}, Elapsed: outlook.Span{Least: 30 * second, Mean: minute, Longest: 100 * second}},
		{Rung: 2, Wait: outlook.Span{Least: 5 * minute, Mean: 10 * minute, Longest: 15 * minute}, Elapsed: outlook.Span{Least: 330 * second, Mean: 11 * minute, Longest: 16*minute + 50*second}},
	}
	if diff := cmp.Diff(want, c.Steps); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	for name, w := range map[string][2]outlook.Walk{
		"soonest": {c.Soonest, {Attempts: 3, Waited: 330 * second, Elapsed: 330 * second, Reason: "failures"}},
		"typical": {c.Typical, {Attempts: 3, Waited: 11 * minute, Elapsed: 11 * minute, Reason: "failures"}},
		"latest":  {c.Latest, {Attempts: 3, Waited: 990 * second, Elapsed: 17 * minute, Reason: "failures"}},
	} {
		if diff := cmp.Diff(w[1], w[0]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if c.LongestWait != 15*minute || c.MostWaited != 990*second || c.Asked != 0 {
		t.Errorf("longest wait %v, waited at most %v, asked %v", c.LongestWait, c.MostWaited, c.Asked)
	}
}

func TestTheWindowEndsACourse(t *testing.T) {
	p := planOf(t, `caps: {window: 25m}
ladders: {slow: {rungs: [10m, 10m, 10m], jitter: 50%}}
default_ladder: slow
queues: {q: {payload: {}}}
`)
	o := outlook.Of(p)
	end, _ := o.End("timeout")
	c := o.Course(p.Queues[0], "", end)
	got := []outlook.Walk{c.Soonest, c.Typical, c.Latest}
	want := []outlook.Walk{
		{Attempts: 4, Waited: 15 * minute, Elapsed: 15 * minute, Reason: "failures"},
		{Attempts: 3, Waited: 20 * minute, Elapsed: 20 * minute, Reason: "window"},
		{Attempts: 2, Waited: 15 * minute, Elapsed: 16 * minute, Reason: "window"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("walks (-want +got):\n%s", diff)
	}
	if c.MostWaited != 25*minute {
		t.Errorf("waited at most %v", c.MostWaited)
	}
	if w := o.Worst(p.Queues[0], ""); !w.Window || w.Counts[0] == 3 && w.Counts[2] == 2 && w.Counts[3] == 8 {
		t.Errorf("the window lets everything through: %+v", w)
	}
}

func TestWhichLadderIsClimbed(t *testing.T) {
	p := planOf(t, `error_classes:
  - {name: slow, outcome: transient, when: [{http: 429}], ladder: c, budget: throttles, retry_after: honor}
  - {name: gone, outcome: permanent, when: [{http: 404}]}
  - {name: oom, outcome: transient, when: [{crash: true}, {http: 500}]}
ladders: {a: {rungs: [1s]}, b: {rungs: [2s]}, c: {rungs: [3s]}, d: {rungs: [4s]}}
default_ladder: a
tenants: {id: shop, tier: plan, ladders: {free: b}}
queues:
  own: {payload: {shop: string, plan: string}, ladder: d}
  plain: {payload: {}}
`)
	o := outlook.Of(p)
	var got [][5]string
	for _, q := range p.Queues {
		for _, tier := range append(o.Tiers(q), "other") {
			for _, name := range []string{"slow", "gone", "unmatched", "snoozed"} {
				end, _ := o.End(name)
				c := o.Course(q, tier, end)
				ladder := ""
				if c.Ladder != nil {
					ladder = c.Ladder.Name.V
				}
				got = append(got, [5]string{q.Name.V, tier, name, ladder, c.Chosen})
			}
		}
	}
	want := [][5]string{
		{"own", "", "slow", "c", "class"}, {"own", "", "gone", "", ""}, {"own", "", "unmatched", "d", "queue"}, {"own", "", "snoozed", "", ""},
		{"own", "free", "slow", "c", "class"}, {"own", "free", "gone", "", ""}, {"own", "free", "unmatched", "b", "tier"}, {"own", "free", "snoozed", "", ""},
		{"own", "other", "slow", "c", "class"}, {"own", "other", "gone", "", ""}, {"own", "other", "unmatched", "d", "queue"}, {"own", "other", "snoozed", "", ""},
		{"plain", "", "slow", "c", "class"}, {"plain", "", "gone", "", ""}, {"plain", "", "unmatched", "a", "default"}, {"plain", "", "snoozed", "", ""},
		{"plain", "other", "slow", "c", "class"}, {"plain", "other", "gone", "", ""}, {"plain", "other", "unmatched", "a", "default"}, {"plain", "other", "snoozed", "", ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("ladders (-want +got):\n%s", diff)
	}
	var ends []string
	for _, e := range o.Ends() {
		name := e.Name
		if e.Crash {
			name += " (crash)"
		}
		ends = append(ends, name+" "+e.Counter.String()+" "+e.Reason)
	}
	wantEnds := []string{"slow throttles ", "gone failures permanent", "oom failures ", "oom (crash) crashes ", "timeout failures ", "panic failures ", "exited failures ",
		"unmatched failures ", "interrupted interrupts ", "snoozed snoozes ", "marked failures permanent", "undecodable failures undecodable", "invalid failures permanent"}
	if diff := cmp.Diff(wantEnds, ends); diff != "" {
		t.Errorf("ends (-want +got):\n%s", diff)
	}
}

func TestWorst(t *testing.T) {
	p := planOf(t, `caps: {attempts: 4, throttles: 5, crashes: 2, interrupts: 3, snoozes: 6, window: 100h}
error_classes:
  - {name: slow, outcome: transient, when: [{http: 429}], ladder: b, budget: throttles}
  - {name: busy, outcome: transient, when: [{http: 503}], ladder: c}
ladders: {a: {rungs: [1s]}, b: {rungs: [20m], jitter: none}, c: {rungs: [3s, 3s, 3s, 3s]}}
default_ladder: a
queues: {q: {payload: {}, timeout: 10s, backend: {sqs: {queue_url_env: Q}}}}
ledger: {dialect: postgres}
`)
	w := outlook.Of(p).Worst(p.Queues[0], "")
	// Of the ladder c, longer than a, three failures; four throttles of two messages each; one crash, five in company, two
	// interrupts and five snoozes; then the end, and before all of it the first message.
	messages := 1 + 3 + 4*2 + 1 + 5 + 2 + 5
	want := outlook.Worst{
		Counts: [6]int{3, 4, 1, 5, 2, 5}, Runs: 21, HandlerFor: 210 * second, LedgerRows: 21,
		Traffic: outlook.Traffic{Messages: messages, Requests: 3 * messages},
	}
	if diff := cmp.Diff(want, w); diff != "" {
		t.Errorf("worst (-want +got):\n%s", diff)
	}
}

func TestTrafficOfMessagesThatCarryTheirJobs(t *testing.T) {
	// Three attempts, with waits of a minute and of up to 13 hours.
	const spec = `caps: {attempts: 3, delay: 20h}
ladders: {a: {rungs: [1m, 13h], jitter: none}}
default_ladder: a
queues: {q: {payload: {}, timeout: 30s, lease: 60s, backend: {BACKEND}}}
ledger: {dialect: postgres}
`
	for backend, want := range map[string]outlook.Traffic{
		"sqs: {queue_url_env: Q}":                                                {Messages: 1 + 1 + 52, Requests: 3 * 54},
		"infrai: {key_env: Q}":                                                   {Messages: 3, Requests: 9},
		"infrai: {key_env: Q, push_secret_env: S}":                               {Messages: 3, Requests: 3},
		"sqs: {queue_url_env: Q, payload_in: message}":                           {Messages: 1, Requests: 1 + 3 + 4 + 1 + 3},
		"rabbitmq: {url_env: Q, payload_in: message}":                            {Messages: 3, Requests: 1 + 2*2 + 1},
		"infrai: {key_env: Q, payload_in: message}":                              {Messages: 1, Requests: 1 + 2 + 3 + 1},
		"sqs: {queue_url_env: Q, payload_in: message, native_dead_letter: true}": {Messages: 2, Requests: 1 + 3 + 4 + 2 + 3},
		"rabbitmq: {url_env: Q, payload_in: message, native_dead_letter: true}":  {Messages: 4, Requests: 1 + 2*2 + 2},
		"infrai: {key_env: Q, payload_in: message, native_dead_letter: true}":    {Messages: 1, Requests: 1 + 2 + 3 + 1},
	} {
		p := planOf(t, strings.Replace(spec, "BACKEND", backend, 1))
		o := outlook.Of(p)
		end, _ := o.End("unmatched")
		if got := o.Course(p.Queues[0], "", end).Traffic(); got != want {
			t.Errorf("%s: %+v, want %+v", backend, got, want)
		}
	}
}
