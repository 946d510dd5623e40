package lint

import (
	"strings"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// brokerKept refuses the names that a broker keeps for queues of its own.
var brokerKept = Rule{"RC343", "broker_kept", func(p *plan.Plan, list *diag.List) {
	for _, q := range p.Queues {
		if q.Backend == nil || q.Backend.Broker.Kept == "" || !strings.HasPrefix(q.Backend.Queue, q.Backend.Broker.Kept) {
			continue
		}
		at := q.Backend.Spec.Queue
		if !at.Set() {
			at = q.Name
		}
		list.Errorf("RC343", at.Pos, at.Width, "%s keeps names that begin with %s for itself", q.Backend.Broker.Title, q.Backend.Broker.Kept).Hint = "choose another name at the broker, with queue"
	}
}}
