//retryc:when tenants

package worker

import "testing"

// tenantCase is whose a job is, and of which tier.
type tenantCase struct {
	queue        *queueTable
	facts        facts
	tenant, tier string
}

func checkTenants(t testing.TB, cases []tenantCase) {
	t.Helper()
	for _, c := range cases {
		if c.facts.tenant != c.tenant || c.facts.tier != c.tier {
			t.Errorf("queue %s: tenant %q of tier %q, want %q of %q", c.queue.name, c.facts.tenant, c.facts.tier, c.tenant, c.tier)
		}
	}
}
