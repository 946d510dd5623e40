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
	for dialect, grant := range map[string]string{"postgres": "on function\n", "mysql": "on procedure"} {
		files, err := grants(planOf(t, strings.Replace(minimal("queues: {}"), "sqlite", dialect, 1)))
		if err != nil || len(files) != 1 || strings.Contains(string(files[0].Data), grant) {
			t.Errorf("%s: grants without queues: %v, %v", dialect, files, err)
		}
	}
}

func TestGrantsOnMySQLNameTheTablesAndTheProcedures(t *testing.T) {
	p := planOf(t, strings.Replace(producers, "postgres", "mysql", 1))
	text := emitted(t, p, "jobs/grants_gen.sql")
	wantIn(t, text, "concat('grant select, insert on x_job_attempt to ', quote(user), '@', quote(host)) from retryc_account where kind = 'worker'")
	for line := range strings.Lines(emitted(t, p, "jobs/enqueue_functions_gen.sql")) {
		if _, rest, is := strings.Cut(line, "create /*M!100600 or replace */ procedure "); is {
			if name, _, _ := strings.Cut(rest, "("); strings.Count(text, "grant execute on procedure "+name+" to ") != 2 {
				t.Errorf("%s is not granted to a worker and a producer", name)
			}
		}
	}
}
