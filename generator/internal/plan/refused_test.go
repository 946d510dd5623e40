package plan_test

import (
	"strings"
	"testing"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec"
	"github.com/retryc/retryc/spec/diag"
	"github.com/retryc/retryc/spec/spectest"
)

func found(snippet string) (refused, list diag.List) {
	doc, refused := spec.Parse("retry.yaml", spectest.Overlay(snippet))
	_, list = plan.New(doc)
	return refused, list
}

// What the schema has refused is told once.
func TestOneMistakeIsOneFinding(t *testing.T) {
	for name, snippet := range map[string]string{
		"no ladders, and a name of one":              "ladders:\n",
		"a list of ladders, and a name of one":       "ladders: [{name: standard, rungs: [1s]}]\n",
		"a name that is to be changed and collides":  "queues: {a-b: {payload: {}}, a--b: {payload: {}}}\n",
		"a field that is to be changed and collides": "queues: {a: {payload: {a_b: int, a b: int}}}\n",
		"fields that differ in case":                 "queues: {a: {payload: {id: int, ID: int}}}\n",
	} {
		if refused, list := found(snippet); len(refused)+len(list) != 1 {
			t.Errorf("%s: %v %v", name, refused, list)
		}
	}
}

func TestPlanRefusesWhatWouldNotCompileOrRun(t *testing.T) {
	class := func(when string) string {
		return "error_classes: [{name: a, outcome: permanent, when: [" + when + "]}]\n"
	}
	for name, c := range map[string]struct{ snippet, code, hint string }{
		"the short name of a package":                      {class("{is: sql.ErrNoRows}"), "RC220", "write database/sql.ErrNoRows"},
		"the short name of a package of types":             {class(`{as: "*json.SyntaxError"}`), "RC220", `write "*encoding/json.SyntaxError"`},
		"the short name of a package of types, as a value": {class("{is: json.SyntaxError}"), "RC220", `write as: "*encoding/json.SyntaxError"`},
		"a function":                                {class("{is: fmt.Errorf}"), "RC221", ""},
		"a type as a value":                         {class("{is: net.OpError}"), "RC221", `write as: "*net.OpError"`},
		"an interface as a value":                   {class("{is: net.Error}"), "RC221", "write as: net.Error"},
		"a star too few":                            {class("{as: net/url.Error}"), "RC222", `write "*net/url.Error"`},
		"a star too many":                           {class(`{as: "*syscall.Errno"}`), "RC222", "write syscall.Errno, without the star"},
		"an enum value twice":                       {"queues: {a: {payload: {f: {type: string, enum: [x, x]}}}}\n", "RC215", ""},
		"a column that is the rowid":                {"ledger: {dialect: sqlite, columns: [{name: rowid, type: text, from: event_id}]}\n", "RC242", ""},
		"a prefix that SQLite keeps":                {"ledger: {dialect: sqlite, prefix: sqlite_}\n", "RC243", ""},
		"a table that SQLite keeps":                 {"ledger: {dialect: sqlite, tables: {job: sqlite_job}}\n", "RC243", ""},
		"a reserved word of PostgreSQL":             {"ledger: {dialect: postgres, tables: {job: user}}\n", "RC243", ""},
		"a reserved word of MySQL":                  {"ledger: {dialect: mysql, tables: {job: rank}}\n", "RC243", ""},
		"a table that MySQL would refuse":           {"ledger: {dialect: mysql, tables: {attempt: " + strings.Repeat("a", 65-len("_append_only")) + "}}\n", "RC245", ""},
		"a table that PostgreSQL would cut":         {"ledger: {dialect: postgres, tables: {attempt: " + strings.Repeat("a", 64-len("_append_only")) + "}}\n", "RC245", ""},
		"a column that PostgreSQL would cut":        {"ledger: {dialect: postgres, columns: [{name: " + strings.Repeat("a", 64) + ", type: text, from: event_id}]}\n", "RC245", ""},
		"a function that PostgreSQL would cut":      {"queues: {" + strings.Repeat("a", 64-len("enqueue_")) + ": {payload: {}}}\nledger: {dialect: postgres}\n", "RC245", ""},
		"two queues with one function":              {"queues: {a-b: {payload: {}}, a.b: {payload: {}, go_name: Other}}\nledger: {dialect: postgres}\n", "RC246", "rename one of them"},
		"the table of the migration tool":           {"ledger: {dialect: sqlite, tables: {job: goose_db_version}}\n", "RC240", ""},
		"a column whose index is the primary key's": {"ledger: {dialect: postgres, columns: [{name: pkey, type: text, from: event_id, index: true}]}\n", "RC240", ""},
		"a table that is called as a primary key":   {"ledger: {dialect: postgres, tables: {job: a_pkey, attempt: a}}\n", "RC240", ""},
		"two queues by one name at a broker":        {backends("{rabbitmq: {url_env: A, queue: x}}", "{rabbitmq: {url_env: A, queue: x}}", "postgres"), "RC250", ""},
		"the own name of another queue at a broker": {backends("{infrai: {key_env: A, queue: b}}", "{infrai: {key_env: A}}", "postgres"), "RC250", ""},
		"a backend beside MySQL":                    {backends("{infrai: {key_env: A}}", "", "mysql"), "RC251", ""},
		"dead letters at a broker of bare messages": {backends("{sqs: {queue_url_env: A, native_dead_letter: true}}", "", "postgres"), "RC252", ""},
		"messages with payloads that are posted":    {backends("{infrai: {key_env: A, push_secret_env: B, payload_in: message}}", "", "postgres"), "RC253", ""},
		"the same, where the file says so":          {backends("{sqs: {queue_url_env: A, payload_in: row, native_dead_letter: true}}", "", "postgres"), "RC252", ""},
		"a webhook for a queue that is misspelt":    {webhook("thumbnail", "{github: {secret_env: A}}", "{event_id: id, merchant_id: m}"), "RC260", "did you mean thumbnails?"},
		"a webhook with a field that is misspelt":   {webhook("thumbnails", "{github: {secret_env: A}}", "{event_id: id, merchant_id: m, plam: x}"), "RC261", "did you mean plan?"},
		"a webhook without a required field":        {webhook("thumbnails", "{github: {secret_env: A}}", "{event_id: id, plan: x}"), "RC262", "add merchant_id to its payload, or make the field optional"},
		"a number from a header":                    {"queues: {a: {payload: {id: int}, idempotency_key: [id]}}\n" + webhook("a", "{github: {secret_env: A}}", "{id: {header: X-ID}}"), "RC263", ""},
		"a webhook for messages with payloads":      {"queues: {a: {payload: {id: int}, idempotency_key: [id], backend: {sqs: {queue_url_env: A, payload_in: message}}}}\nledger: {dialect: postgres}\n" + webhook("a", "{github: {secret_env: B}}", "{id: id}"), "RC264", ""},
		"a webhook for jobs without a key":          {"queues: {a: {payload: {id: int}}}\n" + webhook("a", "{github: {secret_env: A}}", "{id: id}"), "RC265", ""},
		"one variable for two secrets":              {webhook("thumbnails", "{stripe: {secret_env: [A, B, A]}}", "{event_id: id, merchant_id: m}"), "RC266", ""},
		"a webhook that is called as another":       {"webhooks:\n  a-b: " + hook + "\n  a.b: " + hook + "\n", "RC230", "rename one of them"},
		"a table that is called as redrives":        {"redrive: {}\nledger: {dialect: postgres, tables: {job: job_redrive}}\n", "RC240", ""},
		"an index of redrives that would be cut":    {"redrive: {}\nledger: {dialect: postgres, tables: {job: j, attempt: a}, prefix: " + strings.Repeat("a", 64-len("job_redrive_created_at")) + "}\nqueues: {}\n", "RC245", ""},
		"redrive beside SQLite":                     {"redrive: {}\nledger: {dialect: sqlite}\n", "RC254", "take redrive out, or write dialect: postgres"},
		"a column whose index is taken":             {"ledger: {dialect: sqlite, columns: [{name: ready, type: text, from: event_id, index: true}]}\n", "RC240", ""},
	} {
		t.Run(name, func(t *testing.T) {
			refused, list := found(c.snippet)
			if len(refused) > 0 || len(list) != 1 || list[0].Code != c.code {
				t.Fatalf("got %v %v, want one %s", refused, list, c.code)
			}
			d := list[0]
			if !d.Pos.Valid() || d.Hint == "" || c.hint != "" && d.Hint != c.hint {
				t.Errorf("%v: hint %q, want %q", d.Pos, d.Hint, c.hint)
			}
			if d.Related != nil && !d.Related.Pos.Valid() {
				t.Errorf("a note without a place: %v", d.Related)
			}
		})
	}
}

// backends is a spec with two queues, a and b. The second may have none.
func backends(a, b, dialect string) string {
	if b != "" {
		b = ", backend: " + b
	}
	return "queues: {a: {payload: {}, backend: " + a + "}, b: {payload: {}" + b + "}}\nledger: {dialect: " + dialect + "}\n"
}

func TestBackendsThatDifferInOneThingAreTwo(t *testing.T) {
	for _, pair := range [][2]string{
		{"{sqs: {queue_url_env: A}}", "{sqs: {queue_url_env: B}}"},
		{"{rabbitmq: {url_env: A}}", "{rabbitmq: {url_env: A}}"},
		{"{rabbitmq: {url_env: A, queue: x}}", "{rabbitmq: {url_env: B, queue: x}}"},
		{"{infrai: {key_env: A, queue: x}}", "{infrai: {key_env: A, queue: x, base_url_env: B}}"},
		{"{infrai: {key_env: A, queue: x}}", "{rabbitmq: {url_env: B, queue: x}}"},
	} {
		if refused, list := found(backends(pair[0], pair[1], "postgres")); len(refused)+len(list) > 0 {
			t.Errorf("%q: %v %v", pair, refused, list)
		}
	}
}

const hook = "{enqueue: thumbnails, signature: {github: {secret_env: A}}, payload: {event_id: id, merchant_id: m}}"

// webhook is a section with one.
func webhook(queue, signature, payload string) string {
	return "webhooks: {a: {enqueue: " + queue + ", signature: " + signature + ", payload: " + payload + "}}\n"
}
