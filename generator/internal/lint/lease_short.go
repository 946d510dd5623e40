package lint

import (
	"time"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// shortLease is the least lease that a slow moment of the database or of the process does not lose: it is renewed
// at a third of its length, and given up at 0.8 of it.
const shortLease = time.Second

// leaseShort warns of leases that healthy workers lose.
var leaseShort = Rule{"RC322", "lease_short", func(p *plan.Plan, list *diag.List) {
	for _, q := range p.Queues {
		if q.Lease.Set() && q.Lease.V < shortLease {
			d := list.Warnf("RC322", q.Lease.Pos, q.Lease.Width, "a lease of %s is lost in a short pause of the process or the database, and the job runs twice at once", short(q.Lease.V))
			d.Hint = "use 10s or more: only a crashed worker's job waits for it"
		}
	}
}}
