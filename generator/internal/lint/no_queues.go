package lint

import (
	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// noQueues refuses a spec from which nothing useful comes out. A missing key is the schema's to report.
var noQueues = Rule{"RC324", "no_queues", func(p *plan.Plan, list *diag.List) {
	if len(p.Queues) == 0 && p.Spec.QueuesPos.Valid() {
		list.Errorf("RC324", p.Spec.QueuesPos, len("queues"), "there are no queues").Hint = "declare one: my-queue: {payload: {id: string}}"
	}
}}
