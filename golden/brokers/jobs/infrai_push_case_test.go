package jobs

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retryc/retryc/golden/brokers/jobs/infraitest"
)

// pushStore is a store that is connected to a queue whose messages are posted.
func pushStore(t *testing.T, q *infraiQueue) (*Store, *queueTable) {
	t.Helper()
	store, table := &Store{}, &queueTable{name: "digests", connect: "ConnectDigests"}
	q.push = &infraiPushes{secret: []byte("secret"), came: make(chan delivery)}
	if err := store.attach(table, q, nil); err != nil {
		t.Fatal(err)
	}
	return store, table
}

// post is what a handler answers to a message.
func post(ctx context.Context, handler http.Handler, body, signature string) *httptest.ResponseRecorder {
	w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodPost, "/", strings.NewReader(body))
	r.Header.Set("X-Infrai-Signature", signature)
	handler.ServeHTTP(w, r)
	return w
}

// consumed receives from a queue until the test is over, and does with each message what it is told.
func consumed(t *testing.T, q *infraiQueue, do func(m delivery) error) {
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	t.Cleanup(group.Wait)
	t.Cleanup(cancel)
	group.Go(func() {
		for ctx.Err() == nil {
			came, err := q.receive(ctx, 3)
			if err != nil && ctx.Err() == nil {
				t.Error(err)
			}
			for _, m := range came {
				if err := do(m); err != nil {
					t.Error(err)
				}
			}
		}
	})
}

func TestInfraiPushesAreReceivedAndAnswered(t *testing.T) {
	for _, options := range []infraitest.Options{{}, {OldNames: true}, {Receipts: true}} {
		t.Run(fmt.Sprintf("%+v", options), func(t *testing.T) {
			h := newInfraiTest(t, options)
			store, table := pushStore(t, h.queue)
			h.queue.push.poll = time.Now().Add(time.Hour) // all is posted
			h.queue.api.pause = func(ctx context.Context, _ time.Duration) error {
				<-ctx.Done()
				return ctx.Err()
			}
			receiver := httptest.NewServer(store.pushes(table))
			t.Cleanup(receiver.Close)
			for range 2 {
				if err := store.subscribe(t.Context(), table, receiver.URL); err != nil {
					t.Fatal(err)
				}
			}
			var mu sync.Mutex
			var done []int
			consumed(t, h.queue, func(m delivery) error {
				n := infraiNumber(t, m)
				if m.messageID == "" {
					t.Errorf("%d has come without an id", n)
				}
				if n%2 == 1 && m.count == 1 {
					return h.queue.putBack(t.Context(), m, 0)
				}
				mu.Lock()
				defer mu.Unlock()
				done = append(done, n)
				return h.queue.acknowledge(t.Context(), []delivery{m})
			})
			h.publish(infraiMessages(4)...)
			for _, want := range []int{2, 2, 0} {
				if n, err := h.server.Push(t.Context(), "digests"); err != nil || n != want {
					t.Errorf("%d were taken, want %d (%v)", n, want, err)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			if slices.Sort(done); !slices.Equal(done, []int{0, 1, 2, 3}) {
				t.Errorf("%v are done", done)
			}
			if n, _ := h.calls("ack"); n != 0 {
				t.Errorf("%d were acknowledged by a call", n)
			}
			if n, keys := h.calls("push_subscribe"); !options.OldNames && n != 2 || options.OldNames && n != 4 || len(keys) != n/2 {
				t.Errorf("%d subscriptions under %d keys", n, len(keys))
			}
			if !options.OldNames {
				h.wantNoViolations()
			}
		})
	}
}

func TestInfraiPushIsVerified(t *testing.T) {
	q := &infraiQueue{name: "digests", api: &infraiAPI{pause: infraiPause}}
	store, table := pushStore(t, q)
	q.push.poll = time.Now().Add(time.Hour)
	var mu sync.Mutex
	var took []string
	consumed(t, q, func(m delivery) error {
		mu.Lock()
		took = append(took, m.messageID+string(m.body))
		mu.Unlock()
		return q.acknowledge(t.Context(), []delivery{m})
	})
	const body = `{"message_id":"1", "payload":{"n":1}}`
	signed := func(body string) string { return infraitest.Sign("secret", []byte(body)) }
	signature := signed(body)
	for _, c := range []struct {
		body, signature string
		want            int
		took            string
	}{
		{body, signature, 204, `1{"n":1}`},
		{body, strings.TrimPrefix(signature, "sha256="), 204, `1{"n":1}`},
		{body, strings.ToUpper(strings.TrimPrefix(signature, "sha256=")), 204, `1{"n":1}`},
		{body, "", 401, ""},
		{body, "sha256=", 401, ""},
		{body, signature[:len(signature)-2], 401, ""},
		{body, signature + "00", 401, ""},
		{body, "sha1=" + signature, 401, ""},
		{body, infraitest.Sign("", []byte(body)), 401, ""},
		{body, infraitest.Sign("secrets", []byte(body)), 401, ""},
		{strings.ReplaceAll(body, " ", ""), signature, 401, ""}, // the bytes count, not what they mean
		{body + "\n", signature, 401, ""},
		{"", "", 401, ""},
		{strings.Repeat(" ", 2*infraiMaxBody) + body, signature, 400, ""},
		// What is posted may be the payload alone, whatever its fields are called.
		{`{"n":1}`, signed(`{"n":1}`), 204, `{"n":1}`},
		{`{"id":"7","n":1}`, signed(`{"id":"7","n":1}`), 204, `{"id":"7","n":1}`},
		{`{"body":"x","n":1}`, signed(`{"body":"x","n":1}`), 204, `{"body":"x","n":1}`},
		{`{"id":"7","body":"{\"n\":1}"}`, signed(`{"id":"7","body":"{\"n\":1}"}`), 204, `7{"n":1}`},
		{"no JSON", signed("no JSON"), 204, "no JSON"},
	} {
		took = nil
		w := post(t.Context(), store.pushes(table), c.body, c.signature)
		mu.Lock()
		if got := strings.Join(took, "; "); w.Code != c.want || got != c.took {
			t.Errorf("%.60s %s: %d, want %d; took %q, want %q", c.body, c.signature, w.Code, c.want, got, c.took)
		}
		mu.Unlock()
	}
	w := httptest.NewRecorder()
	store.pushes(table).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	if w.Code != 405 || w.Header().Get("Allow") != "POST" {
		t.Errorf("GET: %d %v", w.Code, w.Header())
	}
	q.push.secret = nil
	if w := post(t.Context(), store.pushes(table), body, infraitest.Sign("", []byte(body))); w.Code != 401 {
		t.Errorf("without a secret: %d", w.Code)
	}
}

func TestInfraiPushThatNobodyTakesIsToComeAgain(t *testing.T) {
	const body = `{"message_id":"1","payload":{"n":1}}`
	signature := infraitest.Sign("secret", []byte(body))
	for _, c := range []struct {
		name    string
		receive func(t *testing.T, q *infraiQueue, m delivery) // what becomes of the message; nil: it is not received
		after   time.Duration
		retry   string
	}{
		{"nobody receives", nil, infraiOffer, "1"},
		{"put back", func(t *testing.T, q *infraiQueue, m delivery) { _ = q.putBack(t.Context(), m, 89500*time.Millisecond) }, 0, "90"},
		{"put back for now", func(t *testing.T, q *infraiQueue, m delivery) { _ = q.putBack(t.Context(), m, -time.Second) }, 0, "1"},
		{"no answer", func(t *testing.T, q *infraiQueue, m delivery) {
			time.Sleep(infraiVerdict + time.Second)
			if err := q.acknowledge(t.Context(), []delivery{m, m}); !errors.Is(err, errInfraiOver) || !strings.Contains(err.Error(), "2 of 2 messages are not acknowledged") {
				t.Errorf("acknowledged too late: %v", err)
			}
			if err := q.putBack(t.Context(), m, 0); !errors.Is(err, errInfraiOver) {
				t.Errorf("put back too late: %v", err)
			}
		}, infraiVerdict, "1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := &infraiQueue{name: "digests", api: &infraiAPI{pause: infraiPause}}
				store, table := pushStore(t, q)
				q.push.poll = time.Now().Add(time.Hour)
				if c.receive != nil {
					go func() {
						came, err := q.receive(t.Context(), 10)
						if err != nil || len(came) != 1 {
							t.Errorf("%v have come (%v)", came, err)
							return
						}
						c.receive(t, q, came[0])
					}()
				}
				began := time.Now()
				w := post(t.Context(), store.pushes(table), body, signature)
				if took := time.Since(began); w.Code != 503 || w.Header().Get("Retry-After") != c.retry || took != c.after {
					t.Errorf("%d after %s, Retry-After %q; want %s and %q", w.Code, took, w.Header().Get("Retry-After"), c.after, c.retry)
				}
				time.Sleep(time.Minute)
			})
		})
	}
}

func TestInfraiPushWhoseRequestEndsIsToComeAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &infraiQueue{name: "digests", api: &infraiAPI{pause: infraiPause}}
		pushStore(t, q)
		q.push.poll = time.Now().Add(time.Hour)
		for _, received := range []bool{false, true} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			go func() {
				if put, _ := q.push.offer(ctx, delivery{messageID: "1"}); !put || ctx.Err() == nil {
					t.Error("it was taken")
				}
			}()
			if received {
				m, err := q.receive(t.Context(), 1)
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(2 * time.Second)
				if err := q.acknowledge(t.Context(), m); !errors.Is(err, errInfraiOver) {
					t.Errorf("acknowledged after the request: %v", err)
				}
			}
			synctest.Wait()
			time.Sleep(2 * time.Second)
			cancel()
		}
	})
}

func TestInfraiPushNeedsItsConnection(t *testing.T) {
	store, table := &Store{}, &queueTable{name: "digests", connect: "ConnectDigests"}
	const body = `{"message_id":"1","payload":{"n":1}}`
	signature := infraitest.Sign("secret", []byte(body))
	for range 2 {
		if w := post(t.Context(), store.pushes(table), body, signature); w.Code != 503 || w.Header().Get("Retry-After") != "5" {
			t.Errorf("%d %v", w.Code, w.Header())
		}
		want := "the queue digests has no connection to Infrai: call ConnectDigests first"
		if err := store.subscribe(t.Context(), table, "https://example.com"); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
		_ = store.attach(table, &infraiQueue{}, nil) // whose messages are not posted
	}
}

// What is not posted is asked for: at once, again while there is more, and then every 20 s, whatever becomes of it.
func TestInfraiPushesAreNotAllThatComes(t *testing.T) {
	h := newInfraiTest(t, infraitest.Options{})
	pushStore(t, h.queue)
	h.publish(infraiMessages(13)...)
	for _, want := range []int{10, 3, 0} {
		if came, err := h.queue.receive(t.Context(), 100); err != nil || len(came) != want {
			t.Errorf("%d have come, want %d (%v)", len(came), want, err)
		}
	}
	if n, _ := h.calls("consume"); n != 3 || !slices.Equal(h.waits, []time.Duration{infraiPushPoll}) {
		t.Errorf("%d calls, and the waits %s", n, h.waits)
	}
	h.server.Order(infraitest.Fault{Call: "consume", Status: 403, Code: "FORBIDDEN"})
	if came, err := h.queue.receive(t.Context(), 100); err != nil || len(came) != 0 {
		t.Errorf("%d have come (%v)", len(came), err)
	}
	h.publish(message{id: "late", body: []byte(`{"n":13}`)})
	if came, err := h.queue.receive(t.Context(), 100); err != nil || len(came) != 1 {
		t.Errorf("%d have come (%v)", len(came), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.queue.receive(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Jobs and payloads of another program go through a worker by what is posted alone.
func TestJobsAreWorkedThatInfraiPosts(t *testing.T) {
	server := infraitest.New(infraitest.Options{Receipts: true, Running: true})
	defer server.Close()
	q, err := connectInfraiPush(t.Context(), nil, server.URL, infraitest.APIKey, "notes", "secret")
	if err != nil {
		t.Fatal(err)
	}
	q.push.poll = time.Now().Add(time.Hour)
	s := newStation(t, q, nil)
	s.queue.policy.poll = 20 * time.Second
	receiver := httptest.NewServer(s.store.pushes(s.queue))
	defer receiver.Close()
	if err := s.store.subscribe(t.Context(), s.queue, receiver.URL); err != nil {
		t.Fatal(err)
	}
	defer s.work(s.store)()
	pushing, stop := context.WithCancel(t.Context())
	var group sync.WaitGroup
	defer group.Wait()
	defer stop()
	group.Go(func() {
		for pushing.Err() == nil {
			if _, err := server.Push(pushing, "notes"); err != nil && pushing.Err() == nil {
				t.Error(err)
			}
			time.Sleep(20 * time.Millisecond)
		}
	})
	jobs := s.enqueue(12)
	for i := range 3 {
		m := message{id: fmt.Sprint("foreign ", i), body: fmt.Appendf(nil, `{"key":"foreign %d","text":"fine"}`, i)}
		if err := q.publish(t.Context(), []message{m}); err != nil {
			t.Fatal(err)
		}
		jobs++
	}
	s.over(jobs)
	if got := s.texts("select job_id::text from " + ledgerTable + " where attempt > 1 and message_id is null"); len(got) > 0 {
		t.Errorf("%d retries were begun by no message", len(got)) // an enqueue wakes the worker by itself
	}
	if v := server.Violations(); len(v) > 0 {
		t.Errorf("the contract is broken: %s", strings.Join(v, "\n"))
	}
}
