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
  c: {payload: {}, backend: {infrai: {key_env: KEY, base_url_env: BASE, push_secret_env: PUSH, queue: shop-c}}}
  d: {payload: {}}
ledger: {dialect: postgres}
`)))
	var got [][5]string
	for _, q := range p.Queues {
		if b := q.Backend; b != nil {
			got = append(got, [5]string{b.Broker.Name, b.Variable, b.BaseURL, b.PushSecret, b.Queue})
		}
	}
	want := [][5]string{{"sqs", "A_URL", "", "", ""}, {"rabbitmq", "RABBITMQ_URL", "", "", "b"}, {"infrai", "KEY", "BASE", "PUSH", "shop-c"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("backends (-want +got):\n%s", diff)
	}
}
