package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/retryc/retryc/golden/brokers_message/jobs/infraitest"
)

var _ broker = (*infraiQueue)(nil)

// infraiTest is a queue at a server that is a stand-in for Infrai. Its clock moves by what the adapter waits.
type infraiTest struct {
	*testing.T
	server *infraitest.Server
	queue  *infraiQueue
}

func newInfraiTest(t *testing.T, options infraitest.Options) *infraiTest {
	h := &infraiTest{T: t, server: infraitest.New(options)}
	t.Cleanup(func() {
		h.server.Close()
		if v := h.server.Violations(); len(v) > 0 {
			t.Errorf("the contract is broken: %s", strings.Join(v, "\n"))
		}
	})
	var err error
	h.queue, err = connectInfrai(t.Context(), h.server.Client(), h.server.URL, infraitest.APIKey, "digests and more")
	if err != nil {
		t.Fatal(err)
	}
	h.queue.api.pause = func(ctx context.Context, d time.Duration) error {
		h.server.Advance(d)
		return ctx.Err()
	}
	return h
}

// send publishes messages that have the numbers from first to last.
func (h *infraiTest) send(first, last int) {
	h.Helper()
	var messages []message
	for n := first; n <= last; n++ {
		messages = append(messages, message{id: fmt.Sprint("m", n), body: fmt.Appendf(nil, `{"n":%d}`, n)})
	}
	if err := h.queue.publish(h.Context(), messages); err != nil {
		h.Fatal(err)
	}
}

// now is what the queue has at once.
func (h *infraiTest) now() []delivery {
	h.Helper()
	came, err := h.queue.consume(h.Context(), 100)
	if err != nil {
		h.Fatal(err)
	}
	return came
}

func (h *infraiTest) wantDepth(want depth) {
	h.Helper()
	if got, err := h.queue.depth(h.Context()); err != nil || got != want {
		h.Errorf("depth: %+v, want %+v (%v)", got, want, err)
	}
}

func TestInfraiMessagesAreHeldForTheLongest(t *testing.T) {
	h := newInfraiTest(t, infraitest.Options{Receipts: true})
	h.queue.hold(time.Minute, 10*time.Minute)
	h.send(1, 1)
	came := h.now()
	h.server.Advance(9 * time.Minute)
	if err := h.queue.extend(t.Context(), came, time.Minute); err != nil {
		t.Error(err)
	}
	h.server.Advance(time.Minute - time.Millisecond)
	if again := h.now(); len(again) != 0 {
		t.Errorf("%+v came again within the lease", again)
	}
	h.server.Advance(time.Millisecond)
	if again := h.now(); len(again) != 1 || again[0].count != 2 {
		t.Errorf("%+v came after the lease", again)
	}
}

func TestInfraiDepth(t *testing.T) {
	h := newInfraiTest(t, infraitest.Options{})
	h.wantDepth(depth{})
	h.send(1, 3)
	if err := h.queue.publish(t.Context(), []message{{id: "later", body: []byte("{}"), delay: time.Hour}}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.queue.consume(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	h.server.Order(infraitest.Fault{Call: "stats", Status: 503})
	h.wantDepth(depth{ready: 2, delayed: 1, received: 1})
	h.server.Order(infraitest.Fault{Call: "stats", Status: 403, Code: "FORBIDDEN"})
	if _, err := h.queue.depth(t.Context()); err == nil || !strings.Contains(err.Error(), "FORBIDDEN") {
		t.Errorf("depth: %v", err)
	}
}

func TestInfraiDeadLettersAndRedrive(t *testing.T) {
	for _, options := range []infraitest.Options{{}, {List: "messages", OldNames: true, Receipts: true}, {List: "array", Upsert: true}} {
		t.Run(fmt.Sprintf("%+v", options), func(t *testing.T) {
			h := newInfraiTest(t, options)
			h.send(1, 5)
			for rounds := 0; ; rounds++ {
				came := h.now()
				if len(came) == 0 {
					if want := 1 + infraiReturns; rounds != want { // the first delivery, and each return
						t.Errorf("they came %d times, want %d", rounds, want)
					}
					break
				}
				for _, m := range came {
					if err := h.queue.deadLetter(t.Context(), m); err != nil {
						t.Fatal(err)
					}
				}
			}
			h.wantDepth(depth{})
			for _, c := range []struct{ limit, want int }{{0, 0}, {-1, 0}, {2, 2}, {100, 3}, {1, 0}} {
				if n, err := h.queue.redrive(t.Context(), c.limit); err != nil || n != c.want {
					t.Errorf("of at most %d dead letters %d were moved, want %d (%v)", c.limit, n, c.want, err)
				}
			}
			var numbers []int
			for _, m := range h.now() {
				var body struct{ N int }
				if err := json.Unmarshal(m.body, &body); err != nil || m.count != 1 {
					t.Errorf("%+v is back (%v)", m, err)
				}
				numbers = append(numbers, body.N)
			}
			if slices.Sort(numbers); !slices.Equal(numbers, []int{1, 2, 3, 4, 5}) {
				t.Errorf("%v are back", numbers)
			}
		})
	}
}

func TestInfraiRedriveWhoseAnswerIsLostIsDoneOnce(t *testing.T) {
	h := newInfraiTest(t, infraitest.Options{})
	h.send(1, 3)
	for came := h.now(); len(came) > 0; came = h.now() {
		for _, m := range came {
			if err := h.queue.deadLetter(t.Context(), m); err != nil {
				t.Fatal(err)
			}
		}
	}
	h.server.Order(infraitest.Fault{Call: "dlq/redrive", CutAfter: true})
	if n, err := h.queue.redrive(t.Context(), 2); n != 2 || err != nil {
		t.Errorf("%d were moved (%v)", n, err)
	}
	h.wantDepth(depth{ready: 2})
}
