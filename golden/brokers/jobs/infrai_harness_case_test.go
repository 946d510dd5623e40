package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/retryc/retryc/golden/brokers/jobs/infraitest"
)

// infraiTest is a queue at a server that is a stand-in for Infrai. Its clock moves by what the adapter waits.
type infraiTest struct {
	*testing.T
	server *infraitest.Server
	queue  *infraiQueue
	mu     sync.Mutex
	waits  []time.Duration
}

func newInfraiTest(t *testing.T, options infraitest.Options) *infraiTest {
	h := &infraiTest{T: t, server: infraitest.New(options)}
	t.Cleanup(h.server.Close)
	h.queue = h.connect()
	return h
}

// connect is another process at the queue.
func (h *infraiTest) connect() *infraiQueue {
	h.Helper()
	q, err := connectInfrai(h.Context(), h.server.Client(), h.server.URL, infraitest.APIKey, "digests")
	if err != nil {
		h.Fatal(err)
	}
	q.api.pause = func(ctx context.Context, d time.Duration) error {
		h.mu.Lock()
		h.waits = append(h.waits, d)
		h.mu.Unlock()
		h.server.Advance(d)
		return ctx.Err()
	}
	return q
}

// wantNoViolations is for the end of a test whose every request is as the contract has it.
func (h *infraiTest) wantNoViolations() {
	h.Helper()
	if v := h.server.Violations(); len(v) > 0 {
		h.Errorf("the contract is broken: %s", strings.Join(v, "\n"))
	}
}

func (h *infraiTest) publish(messages ...message) {
	h.Helper()
	if err := h.queue.publish(h.Context(), messages); err != nil {
		h.Fatal(err)
	}
}

func (h *infraiTest) receive() []delivery {
	h.Helper()
	came, err := h.queue.receive(h.Context(), 100)
	if err != nil {
		h.Fatal(err)
	}
	return came
}

// drain receives and acknowledges until nothing is left, and answers what the bodies said, sorted.
func (h *infraiTest) drain() (all []int) {
	h.Helper()
	for {
		came := h.receive()
		if len(came) == 0 {
			slices.Sort(all)
			return all
		}
		for _, m := range came {
			all = append(all, infraiNumber(h.T, m))
		}
		if err := h.queue.acknowledge(h.Context(), came); err != nil {
			h.Fatal(err)
		}
	}
}

// calls counts the requests of a call so far, and their keys.
func (h *infraiTest) calls(call string) (n int, keys []string) {
	for _, r := range h.server.Requests() {
		if r.Call == call {
			n++
			if !slices.Contains(keys, r.IdempotencyKey) {
				keys = append(keys, r.IdempotencyKey)
			}
		}
	}
	return n, keys
}

func infraiMessages(n int) []message {
	all := make([]message, n)
	for i := range all {
		all[i] = message{id: fmt.Sprintf("job-%d-1", i), body: fmt.Appendf(nil, `{"n":%d}`, i)}
	}
	return all
}

func infraiNumber(t *testing.T, m delivery) int {
	t.Helper()
	var body struct{ N *int }
	if err := json.Unmarshal(m.body, &body); err != nil || body.N == nil {
		t.Fatalf("the body is %q (%v)", m.body, err)
	}
	return *body.N
}
