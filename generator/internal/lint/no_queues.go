package lint

import (
	"bytes"
	"regexp"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec/diag"
)

// noQueues refuses a spec from which nothing useful comes out. A missing key is the schema's to report.
var noQueues = Rule{"RC324", "no_queues", func(p *plan.Plan, list *diag.List) {
	if len(p.Queues) > 0 {
		return
	}
	if at := emptyQueues.FindIndex(p.Spec.Source); at != nil {
		line := 1 + bytes.Count(p.Spec.Source[:at[0]], []byte("\n"))
		list.Errorf("RC324", diag.Pos{Line: line, Col: 1}, len("queues"), "there are no queues").Hint = "declare one: my-queue: {payload: {id: string}}"
	}
}}

var emptyQueues = regexp.MustCompile(`(?m)^queues:[ \t]*\{[ \t]*\}`)
