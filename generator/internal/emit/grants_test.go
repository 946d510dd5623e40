package emit

import (
	"strings"
	"testing"
)

func TestGrantsNameTheTablesAndTheFunctions(t *testing.T) {
	text := emitted(t, planOf(t, producers), "jobs/grants_gen.sql")
	wantIn(t, text, `grant select, insert on x_job_attempt to :"worker";`, "x_enqueue_pay_out_v2(payload json, key text)")
	functions := emitted(t, planOf(t, producers), "jobs/enqueue_functions_gen.sql")
	for line := range strings.Lines(functions) {
		if rest, is := strings.CutPrefix(line, "create or replace function "); is {
			if name, _, _ := strings.Cut(rest, "("); strings.Count(text, "  "+name+"(") != 2 {
				t.Errorf("%s is not granted to a worker and a producer", name)
			}
		}
	}
}

func TestGrantsWithoutQueuesNameNoFunction(t *testing.T) {
	files, err := grants(planOf(t, strings.Replace(minimal("queues: {}"), "sqlite", "postgres", 1)))
	if err != nil || len(files) != 1 || strings.Contains(string(files[0].Data), "function\n") {
		t.Errorf("grants without queues: %v, %v", files, err)
	}
}

func TestGrantsOnMySQLNameTheTables(t *testing.T) {
	text := emitted(t, planOf(t, strings.Replace(minimal("queues: {q: {payload: {a: int}}}"), "sqlite", "mysql", 1)), "jobs/grants_gen.sql")
	wantIn(t, text, "concat('grant select, insert on job_attempt to ', quote(user), '@', quote(host)) from retryc_account where kind = 'worker'")
	if strings.Contains(text, "function") {
		t.Error("the grants name functions, which MySQL has none of")
	}
}
