package emit

import (
	"strings"
	"testing"
)

// producers is a spec for PostgreSQL.
const producers = `version: 1
generate: {package: jobs, go: jobs}
ladders: {a: {rungs: [1s]}, b: {rungs: [2s]}}
default_ladder: a
queues:
  pay-out.v2:
    payload: {id: uuid, at: time, n: {type: int, optional: true}, note: {type: string, default: "it's $function$ \\ \n\u2028é"}}
    idempotency_key: [id, at]
ledger: {dialect: postgres, prefix: x_, columns: [{name: note, type: text, from: note}, {name: n, type: integer, from: n}]}
`

func TestFunctionOfAQueueHasItsFieldsKeyAndColumns(t *testing.T) {
	wantIn(t, emitted(t, planOf(t, producers), "jobs/enqueue_functions_gen.sql"),
		"create or replace function x_enqueue_pay_out_v2(payload json, key text default null)",
		"array[ 'id uuid required', 'at time required', 'n integer', 'note string' ];",
		"x_retryc_key(payload, array['id uuid', 'at time']);",
		"x_retryc_job_id('pay-out.v2', key_text)",
		"insert into x_job (job_id, queue, idempotency_key, payload, payload_sha256, schema_hash, policy_hash, created_at, next_run_at, note, n)",
		`coalesce(payload ->> 'note', e'it''s \x24function\x24 \x5c \x0a\U00002028é'), (payload ->> 'n')::bigint)`,
	)
}

func TestProcedureOfAQueueOnMySQL(t *testing.T) {
	wantIn(t, emitted(t, planOf(t, strings.Replace(producers, "postgres", "mysql", 1)), "jobs/enqueue_functions_gen.sql"),
		"call x_enqueue_pay_out_v2('{…}', null);",
		"create /*M!100600 or replace */ procedure x_enqueue_pay_out_v2(payload longtext",
		`'["id uuid required", "at time required", "n integer", "note string"]'`,
		`call x_retryc_key(payload, '["id uuid", "at time"]', key_text);`,
		"call x_retryc_job_id('pay-out.v2', key_text, id);",
		"insert into x_job (job_id, queue, idempotency_key, payload, payload_sha256, schema_hash, policy_hash, created_at, next_run_at, note, n)",
		"set c0 = coalesce(c0, _utf8mb4 x'697427732024",
	)
}

// Who applies the functions need not look at them for a change of the policy alone.
func TestFunctionsStayAsTheyAreWhenOnlyThePolicyChanges(t *testing.T) {
	for _, dialect := range []string{"postgres", "mysql"} {
		yaml := strings.Replace(producers, "postgres", dialect, 1)
		before := emitted(t, planOf(t, yaml), "jobs/enqueue_functions_gen.sql")
		other := strings.Replace(yaml, "default_ladder: a", "default_ladder: b", 1)
		if emitted(t, planOf(t, other), "jobs/enqueue_functions_gen.sql") != before {
			t.Errorf("%s: another ladder changes the functions", dialect)
		}
		other = strings.Replace(yaml, "id: uuid", "id: string", 1)
		if emitted(t, planOf(t, other), "jobs/enqueue_functions_gen.sql") == before {
			t.Errorf("%s: another type does not change the functions", dialect)
		}
	}
}

func TestFunctionsComeOutWhereTheyCanBe(t *testing.T) {
	for name, yaml := range map[string]string{
		"SQLite":    minimal("queues: {a: {payload: {}}}"),
		"no queues": strings.Replace(minimal("queues: {}"), "sqlite", "postgres", 1),
	} {
		files, err := functions(planOf(t, yaml))
		if err != nil || len(files) > 0 {
			t.Errorf("%s: %v, %v", name, files, err)
		}
	}
}
