//retryc:when retention

package worker

import (
	"strings"
	"testing"
)

func TestPurgeReadsByIndex(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	for name, query := range map[string]string{
		"up to": purging.purgeUpTo, "over": purging.purgeOver, "jobs": purging.purgeJobs, "attempts": purging.purgeAttempts,
	} {
		for _, step := range h.plan(strings.ReplaceAll(query, "{now}", h.store.clock)) {
			if strings.HasPrefix(step, "SCAN ") && !strings.HasPrefix(step, "SCAN json_each") && step != "SCAN a" && step != "SCAN test_clock" && !strings.HasPrefix(step, "SCAN (") {
				t.Errorf("%s: %s", name, step)
			}
		}
	}
}
