package emit

import (
	"slices"
	"strings"
	"testing"

	"github.com/retryc/retryc/templates"
)

func paths(t *testing.T, yaml string) []string {
	t.Helper()
	files, err := Files(planOf(t, yaml))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, f := range files {
		all = append(all, strings.TrimPrefix(f.Path, "jobs/"))
	}
	return all
}

// What a plan does not use does not come out; which files there are hardly depends on the plan.
func TestRuntimePartsComeOutWhereThePlanUsesThem(t *testing.T) {
	parts := map[string]string{ // a word that only this part has
		"breaches": "type breaches", "required": "func requireFields", "text": ") text(", "element": "func element(", "uuid": ") uuid(", "nested": ") under(",
		"timeout": "func timedOut(", "sqlstate": "func sqlState(", "http": "func httpStatus(", "family": "any5xx", "response": "func CheckResponse(",
	}
	for part, want := range map[string][]string{
		"queues: {}": {},
		"queues: {q: {payload: {a: {type: int, optional: true}}}}":                                                  {},
		"queues: {q: {payload: {a: int}}}":                                                                          {"breaches", "required"},
		"queues: {q: {payload: {a: {type: string, optional: true}}}}":                                               {"breaches", "text"},
		"queues: {q: {payload: {a: {type: list, items: uuid, optional: true}}}}":                                    {"breaches", "element", "uuid"},
		"queues: {q: {payload: {a: {type: object, optional: true, fields: {b: {type: float64, optional: true}}}}}}": {"breaches", "nested"},
		"queues: {}\nerror_classes: [{name: a, outcome: transient, when: [{timeout: true}]}]":                       {"timeout"},
		"queues: {}\nerror_classes: [{name: a, outcome: transient, when: [{sqlstate: '08*'}]}]":                     {"sqlstate"},
		"queues: {}\nerror_classes: [{name: a, outcome: transient, when: [{http: 503}]}]":                           {"http", "response"},
		"queues: {}\nerror_classes: [{name: a, outcome: transient, when: [{http: 5xx}]}]":                           {"family", "http", "response"},
	} {
		files, err := runtime(planOf(t, minimal(part)))
		if err != nil {
			t.Fatal(err)
		}
		got := []string{}
		for name, word := range parts {
			if slices.ContainsFunc(files, func(f File) bool { return strings.Contains(string(f.Data), word) }) {
				got = append(got, name)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", part, got, want)
		}
	}
	if bare, full := paths(t, minimal("queues: {}")), paths(t, minimal("queues: {q: {payload: {a: uuid}}}\nerror_classes: [{name: a, outcome: transient, when: [{http: 5xx}, {timeout: true}]}]")); len(full) > len(bare)+1 {
		t.Errorf("another policy has other files: %v, then %v", bare, full)
	}
}

func TestLocalFilesAndThoseOfOtherDialectsStayHere(t *testing.T) {
	for _, name := range paths(t, minimal("queues: {}")) {
		if strings.Contains(name, "_local") || strings.Contains(name, "postgres") {
			t.Errorf("%s came out", name)
		}
	}
}

func TestCopiedFilesChangeInPackageAndHeadAlone(t *testing.T) {
	p := planOf(t, minimal("queues: {}\nerror_classes: [{name: a, outcome: transient, when: [{http: 404}]}]"))
	for _, name := range []string{"decide", "store_sqlite_work"} {
		src, err := templates.FS.ReadFile("worker/" + name + ".go")
		if err != nil {
			t.Fatal(err)
		}
		want := "// " + header + "\n\n" + strings.Replace(string(src), "package worker\n", "package jobs\n", 1)
		if got := emitted(t, p, "jobs/"+name+"_gen.go"); got != want {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}

func TestEveryFeatureThatAFileNamesIsOneThatAPlanCanUse(t *testing.T) {
	used := features(everyPlan(t))
	for _, text := range []string{brokers, carried, pushed, carried + "observability: otel\n", "queues: {}\nobservability: prometheus\n", "queues: {}\nredrive: {}"} {
		for feature, uses := range features(planOf(t, onPostgres(text))) {
			used[feature] = used[feature] || uses
		}
	}
	for _, s := range runtimeSources() {
		for _, feature := range append(slices.Clone(s.when), s.adapterOf()) {
			if feature != "" && !used[feature] {
				t.Errorf("%s is for %s, which no plan uses", s.path, feature)
			}
		}
	}
}

// brokers are a queue at each, in the one dialect that has them.
const brokers = `queues:
  a: {payload: {}, backend: {sqs: {queue_url_env: A_URL}}}
  b: {payload: {}, backend: {rabbitmq: {url_env: B_URL}}}
  c: {payload: {}, backend: {infrai: {key_env: C_KEY}}}
`

// carried are the same with the payloads in the messages.
var carried = strings.NewReplacer("_URL}", "_URL, payload_in: message, native_dead_letter: true}", "_KEY}", "_KEY, payload_in: message}").Replace(brokers)

// pushed are the same with messages that are posted, where a broker does that.
var pushed = strings.Replace(brokers, "C_KEY", "C_KEY, push_secret_env: C_SECRET", 1)

func onPostgres(part string) string {
	return strings.Replace(minimal(part), "dialect: sqlite", "dialect: postgres", 1)
}

func TestAdaptersComeOutForTheBrokersOfThePlan(t *testing.T) {
	has := func(files []string, prefix string) bool {
		return slices.ContainsFunc(files, func(f string) bool { return strings.HasPrefix(f, prefix) })
	}
	all := paths(t, onPostgres(brokers))
	one := paths(t, onPostgres("queues: {b: {payload: {}, backend: {rabbitmq: {url_env: B_URL}}}}"))
	none := paths(t, onPostgres("queues: {b: {payload: {}}}"))
	for _, name := range []string{"sqs_gen.go", "infrai_gen.go", "infraitest/server_gen.go"} {
		if !slices.Contains(all, name) || slices.Contains(one, name) {
			t.Errorf("%s does not follow the plan", name)
		}
	}
	if !has(one, "rabbitmq_") || !has(one, "consume_gen.go") || has(none, "rabbitmq_") || has(none, "consume") {
		t.Errorf("with a broker %v, without %v", one, none)
	}
	for _, f := range none {
		if strings.HasPrefix(f, "db/") {
			continue
		}
		if text := emitted(t, planOf(t, onPostgres("queues: {b: {payload: {}}}")), "jobs/"+f); strings.Contains(text, "//retryc:") || strings.Contains(text, "broker ") {
			t.Errorf("%s has a part for brokers", f)
		}
	}
}

func TestPartsOfAFileComeOutWhereThePlanUsesThem(t *testing.T) {
	body := "a\n\n\t//retryc:if x\n\tb\n\t//retryc:end\nc\n//retryc:if y\nd\n//retryc:end\n"
	for feature, want := range map[string]string{"x": "a\n\n\tb\nc\n", "y": "a\nc\nd\n", "": "a\nc\n"} {
		if got := string(chosen([]byte(body), map[string]bool{feature: true})); got != want {
			t.Errorf("%q: %q, want %q", feature, got, want)
		}
	}
	body = "a\n\n//retryc:if x\n\nb\n\n//retryc:end\n\nc\n"
	for feature, want := range map[string]string{"x": "a\n\nb\n\nc\n", "": "a\n\nc\n"} {
		if got := string(chosen([]byte(body), map[string]bool{feature: true})); got != want {
			t.Errorf("%q: %q, want %q", feature, got, want)
		}
	}
}

func TestNothingAddsAJobInATransactionWhosePayloadIsInAMessage(t *testing.T) {
	mixed := strings.Replace(carried, "queues:", "queues:\n  d: {payload: {}, backend: {infrai: {key_env: C_KEY}}}", 1)
	for text, row := range map[string]bool{carried: false, mixed: true} {
		p := planOf(t, strings.Replace(onPostgres(text), "go: jobs}", "go: jobs, typescript: node}", 1))
		queues := emitted(t, p, "jobs/queues_gen.go")
		for _, name := range []string{"EnqueueA", "EnqueueAMany", "ConnectA"} {
			if !strings.Contains(queues, "func "+name+"(") {
				t.Errorf("there is no %s", name)
			}
		}
		for _, name := range []string{"EnqueueATx", "AnnounceA", "EnqueueBTx", "AnnounceC"} {
			if strings.Contains(queues, name) {
				t.Errorf("there is a %s", name)
			}
		}
		files := paths(t, onPostgres(text))
		if slices.Contains(files, "enqueue_functions_gen.sql") != row || strings.Contains(emitted(t, p, "jobs/enqueue_gen.go"), "func enqueueTx") != row {
			t.Errorf("the queue of rows is there: %t, and what serves it is not as it: %v", row, files)
		}
		if grants := emitted(t, p, "jobs/grants_gen.sql"); strings.Contains(grants, "enqueue_a") || strings.Contains(grants, "enqueue_d") != row {
			t.Errorf("the grants:\n%s", grants)
		}
		producers := emitted(t, p, "node/producers_gen.ts")
		if strings.Contains(producers, "enqueueA") || strings.Contains(producers, "function enqueueD") != row || !strings.Contains(producers, "publishA") || strings.Contains(producers, "PostgresClient") != row {
			t.Errorf("the producers:\n%s", producers)
		}
	}
}

func TestAQueueTableSaysThatItsPayloadsAreInMessages(t *testing.T) {
	for text, want := range map[string][2]bool{brokers: {}, carried: {true, true}, strings.ReplaceAll(carried, ", native_dead_letter: true", ""): {true, false}} {
		p := planOf(t, onPostgres(text))
		for i, field := range []string{"carried", "deadLetter"} {
			policy, tables := emitted(t, p, "jobs/policy_gen.go"), emitted(t, p, "jobs/tables_gen.go")
			if strings.Contains(policy, field+":") != want[i] || strings.Contains(tables, "\t"+field+" ") != want[i] {
				t.Errorf("%s should be there: %t\n%s", field, want[i], text)
			}
		}
	}
}

func TestBrokersAreConnectedByWhatTheSpecSays(t *testing.T) {
	for spec, calls := range map[string][]string{
		brokers: {"connectSQS(ctx, client, url)", `connectRabbitMQ(ctx, url, "b")`, `connectInfrai(ctx, client, "", key, "c")`},
		pushed:  {"connectSQS(ctx, client, url)", `variable("C_SECRET")`, `connectInfraiPush(ctx, client, "", key, "c", secret)`, "func CPushHandler(", "func SubscribeC("},
		carried: {"connectSQSDead(ctx, client, url)", `connectRabbitMQDead(ctx, url, "b")`, `connectInfrai(ctx, client, "", key, "c")`},
	} {
		text := emitted(t, planOf(t, onPostgres(spec)), "jobs/queues_gen.go")
		for _, want := range append(calls, `variable("A_URL")`, `variable("B_URL")`, `variable("C_KEY")`) {
			if !strings.Contains(text, want) {
				t.Errorf("there is no %s in\n%s", want, text)
			}
		}
	}
}
