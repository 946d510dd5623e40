//retryc:when retention

package worker

import (
	"fmt"
	"strings"
	"testing"
)

func TestPurgeReadsByIndex(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	query := strings.ReplaceAll(purging.purge, "{now}", h.store.clock)
	for _, rows := range []int{0, 20000} {
		h.exec(fmt.Sprintf("insert into %s (job_id, queue, payload, payload_sha256, schema_hash, policy_hash, created_at, next_run_at) "+
			"select gen_random_uuid(), 'notes', '', '', 's1', 'p1', now(), now() from generate_series(1, %d)", jobTable, rows))
		h.exec(fmt.Sprintf("insert into %s (job_id, attempt, outcome, attempted_at, queue, generation, decision, payload_sha256, started_at, lease_token, worker, policy_hash) "+
			"select gen_random_uuid(), 1, 'ok', now() - n * interval '1 min', 'notes', 1, 'done', '', now(), '', '', '' from generate_series(1, %d) n", ledgerTable, rows))
		for _, mode := range []string{"force_generic_plan", "force_custom_plan"} {
			steps := append(h.plan(query, "0, 1, 1, 1000", mode), "")
			for i, step := range steps[:len(steps)-1] {
				whole := strings.Contains(step, "Scan") && strings.Contains(step, "_pkey") && !strings.Contains(steps[i+1], "Index Cond")
				if whole || strings.Contains(step, "Seq Scan on "+jobTable+" ") || strings.Contains(step, "Seq Scan on "+ledgerTable+" ") {
					t.Errorf("%d rows, %s: %s", rows, mode, strings.Join(steps, "\n"))
				}
			}
		}
		h.exec("analyze " + ledgerTable)
	}
}
