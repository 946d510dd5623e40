package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/retryc/retryc/golden/brokers/jobs/infraitest"
)

var _ broker = (*infraiQueue)(nil)

func TestInfraiInEveryFormOfItsAnswers(t *testing.T) {
	for _, list := range []string{"items", "messages", "array"} {
		for i := range 4 {
			options := infraitest.Options{List: list, OldNames: i&1 != 0, Receipts: i&2 != 0, Upsert: i&1 != 0}
			t.Run(fmt.Sprintf("%+v", options), func(t *testing.T) {
				h := newInfraiTest(t, options)
				h.connect() // finds the queue
				h.publish(infraiMessages(25)...)
				h.publish(message{id: "alone", body: []byte(`{"n":25}`)})
				first := h.receive()
				if len(first) == 0 || first[0].count != 1 || first[0].messageID == "" {
					t.Fatalf("received %+v", first)
				}
				if err := h.queue.putBack(t.Context(), first[0], 0); err != nil {
					t.Fatal(err)
				}
				again := h.receive()
				if i := slices.IndexFunc(again, func(m delivery) bool { return m.messageID == first[0].messageID }); i < 0 && len(again) == infraiBatch {
					again = append(again, h.receive()...)
				}
				i := slices.IndexFunc(again, func(m delivery) bool { return m.messageID == first[0].messageID })
				if i < 0 || again[i].count != 2 {
					t.Fatalf("what was put back does not come a second time: %+v", again)
				}
				if err := h.queue.acknowledge(t.Context(), slices.Concat(first[1:], again)); err != nil {
					t.Fatal(err)
				}
				left := h.drain()
				if got := len(first) - 1 + len(again) + len(left); got != 26 {
					t.Errorf("%d messages came, want 26", got)
				}
				h.wantNoViolations()
			})
		}
	}
}

func TestInfraiDelayIsNeverShort(t *testing.T) {
	for _, c := range []struct{ asked, want time.Duration }{
		{-time.Hour, 0}, {0, 0}, {time.Nanosecond, time.Second}, {1500 * time.Millisecond, 2 * time.Second},
		{48 * time.Hour, 48 * time.Hour}, {infraiMaxDelay, infraiMaxDelay}, {1<<63 - 1, infraiMaxDelay},
	} {
		h := newInfraiTest(t, infraitest.Options{})
		h.publish(message{id: "a", body: []byte(`{"n":0}`), delay: c.asked})
		for _, step := range []string{"published", "put back"} {
			if c.want > 0 {
				h.server.Advance(c.want - time.Millisecond)
				if came, err := h.queue.consume(t.Context(), 1); err != nil || len(came) != 0 {
					t.Errorf("%s with %s: came early (%v)", step, c.asked, err)
				}
				h.server.Advance(time.Millisecond)
			}
			came, err := h.queue.consume(t.Context(), 1)
			if err != nil || len(came) != 1 {
				t.Fatalf("%s with %s: %d came (%v)", step, c.asked, len(came), err)
			}
			if err := h.queue.putBack(t.Context(), came[0], c.asked); err != nil {
				t.Fatal(err)
			}
		}
		h.wantNoViolations()
	}
	if (&infraiQueue{}).longestDelay() != 604800*time.Second {
		t.Error("longestDelay is not seven days")
	}
}

func TestInfraiQueuesOwnDelayHoldsNothingBack(t *testing.T) {
	h := newInfraiTest(t, infraitest.Options{})
	if err := h.queue.api.write(t.Context(), "PATCH", "update/digests", "", map[string]int{"delivery_delay_seconds": 600}, nil); err != nil {
		t.Fatal(err)
	}
	h.publish(infraiMessages(1)...)
	if came, err := h.queue.consume(t.Context(), 1); err != nil || len(came) != 1 {
		t.Errorf("%d came (%v)", len(came), err)
	}
}

func TestInfraiMessageWhoseAcknowledgementIsLostComesAgain(t *testing.T) {
	h := newInfraiTest(t, infraitest.Options{})
	h.publish(infraiMessages(1)...)
	first := h.receive()
	h.server.Order(infraitest.Fault{Call: "ack", Status: 503, Times: infraiTries})
	err := h.queue.acknowledge(t.Context(), first)
	if err == nil || !strings.Contains(err.Error(), "1 of 1 messages are not acknowledged at the Infrai queue digests") {
		t.Errorf("acknowledge: %v", err)
	}
	h.server.Advance(infraiLease)
	again := h.receive()
	if len(again) != 1 || again[0].messageID != first[0].messageID || again[0].count != 2 {
		t.Errorf("received %+v", again)
	}
	if err := h.queue.acknowledge(t.Context(), first); err != nil {
		t.Errorf("acknowledging by an older delivery: %v", err)
	}
}

func TestInfraiAcknowledgesWhatIsGone(t *testing.T) {
	h := newInfraiTest(t, infraitest.Options{Receipts: true})
	h.publish(infraiMessages(1)...)
	came := h.receive()
	for range 2 {
		if err := h.queue.acknowledge(t.Context(), came); err != nil {
			t.Error(err)
		}
	}
	if err := h.queue.putBack(t.Context(), came[0], 0); err == nil {
		t.Error("what is gone was put back")
	}
}

func TestInfraiMessageIDDiffersPerAnnouncement(t *testing.T) {
	h := newInfraiTest(t, infraitest.Options{})
	for _, m := range []message{
		{id: "job-1", body: []byte(`{"n":1}`)}, {id: "job-1", body: []byte(`{"n":1}`)}, // the answer was lost
		{id: "job-1", body: []byte(`{"n":1}`), delay: time.Hour}, // and time has passed
		{id: "job-2", body: []byte(`{"n":1}`)},
	} {
		h.publish(m)
	}
	h.publish(message{id: "job-1", body: []byte(`{"n":1}`)}, message{id: "job-3", body: []byte(`{"n":1}`)})
	if got := h.drain(); len(got) != 3 {
		t.Errorf("%d came, want one for each of three ids", len(got))
	}
	if v := h.server.Violations(); len(v) != 1 || !strings.Contains(v[0], "IDEMPOTENCY") {
		t.Errorf("violations: %v", v)
	}
}

func TestInfraiBatchesStayBelowTheLimit(t *testing.T) {
	h := newInfraiTest(t, infraitest.Options{})
	pad := strings.Repeat("x", 60_000)
	messages := infraiMessages(12)
	for i := range messages {
		messages[i].body = fmt.Appendf(nil, `{"n":%d,"pad":"%s"}`, i, pad)
	}
	messages[3].body = fmt.Appendf(nil, `{"n":3,"pad":"%s"}`, strings.Repeat("x", 256_000))
	messages[5].body = []byte(`{"n":`)
	messages[8].body = []byte(`[8]`)
	err := h.queue.publish(t.Context(), messages)
	if err == nil || !strings.Contains(err.Error(), "3 of 12 messages are not published") {
		t.Errorf("publish: %v", err)
	}
	if got := h.drain(); !slices.Equal(got, []int{0, 1, 2, 4, 6, 7, 9, 10, 11}) {
		t.Errorf("received %v", got)
	}
	for _, v := range h.server.Violations() {
		if !strings.Contains(v, "payload is not an object") {
			t.Error(v)
		}
	}
}

func TestInfraiBatchOfWhichSomeFail(t *testing.T) {
	h := newInfraiTest(t, infraitest.Options{})
	yes, no := true, false
	h.server.Order(
		infraitest.Fault{Call: "publish_batch", Refuse: []int{0, 3}, Code: "QUEUE_BUSY", Retryable: &yes},
		infraitest.Fault{Call: "publish_batch", Refuse: []int{1}, Code: "PAYLOAD_REFUSED", Message: "no", Hint: "say yes", Retryable: &no},
	)
	err := h.queue.publish(t.Context(), infraiMessages(5))
	if want := "1 of 5 messages are not published to the Infrai queue digests: message job-3-1: PAYLOAD_REFUSED: no (say yes)"; err == nil || err.Error() != want {
		t.Errorf("publish: %v", err)
	}
	if got := h.drain(); !slices.Equal(got, []int{0, 1, 2, 4}) {
		t.Errorf("received %v", got)
	}
	if n, keys := h.calls("publish_batch"); n != 2 || len(keys) != 2 {
		t.Errorf("%d batches with %d keys", n, len(keys))
	}
	h.wantNoViolations()
}

func TestInfraiBadMessageHoldsBackNoOther(t *testing.T) {
	h := newInfraiTest(t, infraitest.Options{})
	no := false
	h.server.Order(
		infraitest.Fault{Call: "publish_batch", Status: 400, Code: "INVALID_REQUEST", Retryable: &no},
		infraitest.Fault{Call: "publish", Status: 400, Code: "INVALID_REQUEST", Retryable: &no}, // of the first
	)
	if err := h.queue.publish(t.Context(), infraiMessages(4)); err == nil || !strings.Contains(err.Error(), "1 of 4") {
		t.Errorf("publish: %v", err)
	}
	if got := h.drain(); !slices.Equal(got, []int{1, 2, 3}) {
		t.Errorf("received %v", got)
	}
}

func TestInfraiResultsThatAreNotOneForEachMessage(t *testing.T) {
	h := newInfraiTest(t, infraitest.Options{})
	for raw, want := range map[string]string{
		`{"ok":true,"data":{"results":[{}]}}`:            "1 results for 2 messages",
		`{"ok":true,"data":{"results":[{},{},{}]}}`:      "3 results for 2 messages",
		`{"ok":true,"data":{"published":2}}`:             "",
		`{"ok":true}`:                                    "",
		`{"ok":true,"data":[{"id":"1"},{"error":"no"}]}`: "1 of 2 messages are not published",
	} {
		h.server.Order(infraitest.Fault{Call: "publish_batch", Status: 200, Raw: raw})
		err := h.queue.publish(t.Context(), infraiMessages(2))
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", raw, err, want)
		}
	}
}

func TestInfraiLosesOrDoublesNothingThatTheServerDoesNot(t *testing.T) {
	h := newInfraiTest(t, infraitest.Options{})
	h.server.Order(infraitest.Fault{Call: "publish", Drop: true}, infraitest.Fault{Call: "publish", Duplicate: true}, infraitest.Fault{Call: "publish", Late: time.Minute})
	for _, m := range infraiMessages(4) {
		h.publish(m)
	}
	if got := h.drain(); !slices.Equal(got, []int{1, 1, 3}) {
		t.Errorf("received %v", got)
	}
	h.server.Advance(time.Minute)
	if got := h.drain(); !slices.Equal(got, []int{2}) {
		t.Errorf("received %v", got)
	}
}

func TestInfraiReceiveWaitsOnceASecond(t *testing.T) {
	h := newInfraiTest(t, infraitest.Options{})
	if came := h.receive(); came != nil {
		t.Errorf("received %v", came)
	}
	if n, _ := h.calls("consume"); n != infraiPolls || len(h.waits) != infraiPolls-1 || slices.Max(h.waits) != time.Second {
		t.Errorf("asked %d times, after %v", n, h.waits)
	}
}

func TestInfraiReceivesNoMoreThanItsLimit(t *testing.T) {
	h := newInfraiTest(t, infraitest.Options{})
	h.publish(infraiMessages(25)...)
	for limit, want := range map[int]int{-1: 0, 0: 0, 1: 1, 3: 3, 100: infraiBatch} {
		if came, err := h.queue.receive(t.Context(), limit); err != nil || len(came) != want {
			t.Errorf("limit %d: %d came, want %d (%v)", limit, len(came), want, err)
		}
	}
}

func TestInfraiReceiveEndsWithItsContext(t *testing.T) {
	h := newInfraiTest(t, infraitest.Options{})
	h.queue.api.pause = infraiPause
	for _, hang := range []bool{true, false} {
		if hang {
			h.server.Order(infraitest.Fault{Call: "consume", Hang: true})
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		_, err := h.queue.receive(ctx, 1)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("hanging %v: %v", hang, err)
		}
	}
	h.publish(infraiMessages(1)...)
	if got := len(h.receive()); got != 1 {
		t.Errorf("%d came after it", got)
	}
}

func TestInfraiStrangeMessages(t *testing.T) {
	q := &infraiQueue{name: "digests"}
	var got []string
	for _, m := range q.deliveries(t.Context(), rawAll(
		`{"message_id":"1","payload":{"n":1}}`, `{"id":"2","body":"{\"n\":2}"}`, `{"message_id":"3","payload":null}`, `{"message_id":"4"}`,
		`{"receipt_handle":"r","payload":"text"}`, `{"payload":{"n":6}}`, `{"message_id":7}`, `"8"`, `null`,
	)) {
		got = append(got, m.messageID+" "+string(m.body))
	}
	if want := []string{`1 {"n":1}`, `2 {"n":2}`, "3 ", "4 ", " text"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestInfraiManyAtOnce(t *testing.T) {
	h := newInfraiTest(t, infraitest.Options{Receipts: true})
	const senders, each = 4, 30
	var wg sync.WaitGroup
	var mu sync.Mutex
	seen := map[int]int{}
	for s := range senders {
		wg.Add(2)
		go func() {
			defer wg.Done()
			var messages []message
			for i := range each {
				n := s*each + i
				messages = append(messages, message{id: fmt.Sprint(n), body: fmt.Appendf(nil, `{"n":%d}`, n)})
			}
			if err := h.queue.publish(t.Context(), messages); err != nil {
				t.Error(err)
			}
		}()
		go func() {
			defer wg.Done()
			q := h.connect()
			for {
				came, err := q.consume(t.Context(), 7)
				if err != nil {
					t.Error(err)
					return
				}
				if err := q.acknowledge(t.Context(), came); err != nil {
					t.Error(err)
				}
				mu.Lock()
				for _, m := range came {
					seen[infraiNumber(t, m)]++
				}
				done := len(seen) == senders*each
				mu.Unlock()
				if done {
					return
				}
			}
		}()
	}
	wg.Wait()
	for n, times := range seen {
		if times != 1 {
			t.Errorf("message %d came %d times", n, times)
		}
	}
	h.wantNoViolations()
}
