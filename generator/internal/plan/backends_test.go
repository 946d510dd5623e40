package plan_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retryc/retryc/spec/spectest"
)

func TestBackendsAreResolved(t *testing.T) {
	p := mustPlan(t, string(spectest.Overlay(`queues:
  a: {payload: {}, backend: {sqs: {queue_url_env: A_URL}}}
  b: {payload: {}, backend: {rabbitmq: {url_env: RABBITMQ_URL}}}
  c: {payload: {}, backend: {infrai: {key_env: KEY, base_url_env: BASE, queue: shop-c}}}
  d: {payload: {}}
ledger: {dialect: postgres}
`)))
	var got [][4]string
	for _, q := range p.Queues {
		if b := q.Backend; b != nil {
			got = append(got, [4]string{b.Broker.Name, b.Variable, b.BaseURL, b.Queue})
		}
	}
	want := [][4]string{{"sqs", "A_URL", "", ""}, {"rabbitmq", "RABBITMQ_URL", "", "b"}, {"infrai", "KEY", "BASE", "shop-c"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("backends (-want +got):\n%s", diff)
	}
}
