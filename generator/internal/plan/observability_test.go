package plan_test

import (
	"fmt"
	"testing"

	"github.com/retryc/retryc/spec/spectest"
)

func TestObjectivesOfAQueueGoBeforeThoseOfAll(t *testing.T) {
	p := mustPlan(t, string(spectest.Overlay(`queues: {a: {payload: {}}, b: {payload: {}}}
observability: otel
slo: {oldest_message: 10m, last_rung: true, queues: {b: {oldest_message: 2h, last_rung: false, new_fingerprint: true}}}
`)))
	for i, want := range []string{"10m0s true false", "2h0m0s false true"} {
		o := p.Queues[i].Objectives
		if got := fmt.Sprint(o.OldestMessage.V, o.LastRung, o.NewFingerprint); got != want || o.DeadLetterGrowth.Set() {
			t.Errorf("queue %s: %s, want %s", p.Queues[i].Name.V, got, want)
		}
	}
	if p.AlertsDir != "db/alerts" || !p.Traces() {
		t.Errorf("folder %q, traces %v", p.AlertsDir, p.Traces())
	}
}
