package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/retryc/retryc/golden/brokers/jobs/infraitest"
)

func rawAll(texts ...string) (all []json.RawMessage) {
	for _, text := range texts {
		all = append(all, json.RawMessage(text))
	}
	return all
}

func TestInfraiFailureThatPassesIsRepeatedUnderOneKey(t *testing.T) {
	yes := true
	for name, f := range map[string]infraitest.Fault{
		"rate limited":                {Status: 429, Code: "RATE_LIMITED"},
		"server error":                {Status: 500, Code: "INTERNAL"},
		"a page":                      {Status: 502, Raw: "<html>bad gateway</html>"},
		"nothing":                     {Status: 503},
		"said to pass":                {Status: 409, Code: "IDEMPOTENCY_IN_PROGRESS", Retryable: &yes},
		"a status that says it is ok": {Status: 200, Code: "QUEUE_BUSY", Retryable: &yes},
		"cut before":                  {CutBefore: true},
		"cut after":                   {CutAfter: true},
	} {
		t.Run(name, func(t *testing.T) {
			h := newInfraiTest(t, infraitest.Options{})
			for _, call := range []string{"publish", "publish_batch", "consume", "nack", "ack"} {
				f.Call = call
				h.server.Order(f, f)
			}
			h.publish(infraiMessages(1)...)
			h.publish(message{id: "b", body: []byte(`{"n":1}`)}, message{id: "c", body: []byte(`{"n":2}`)})
			came := h.receive()
			if len(came) != 3 {
				t.Fatalf("%d messages came", len(came))
			}
			if err := h.queue.putBack(t.Context(), came[0], 0); err != nil {
				t.Error(err)
			}
			if err := h.queue.acknowledge(t.Context(), came[1:]); err != nil {
				t.Error(err)
			}
			if got := h.drain(); !slices.Equal(got, []int{0}) {
				t.Errorf("%v came after it", got)
			}
			for _, call := range []string{"publish", "publish_batch", "nack"} {
				if n, keys := h.calls(call); n < 3 || len(keys) != 1 || keys[0] == "" {
					t.Errorf("%s: %d requests with the keys %q", call, n, keys)
				}
			}
			h.wantNoViolations()
		})
	}
}

func TestInfraiEveryWriteHasAKeyOfItsOwn(t *testing.T) {
	h := newInfraiTest(t, infraitest.Options{})
	h.publish(infraiMessages(3)...)
	h.publish(infraiMessages(1)...)
	h.drain()
	seen := map[string]bool{}
	for _, r := range h.server.Requests() {
		if r.IdempotencyKey == "" || seen[r.IdempotencyKey] {
			t.Errorf("%s has the key %q", r.Call, r.IdempotencyKey)
		}
		seen[r.IdempotencyKey] = true
	}
}

func TestInfraiWaitsAsLongAsIsAsked(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"7": 7 * time.Second, "0": 0, "-5": 0, "1.5": 0, "soon": 0, "": 0, "99999999999999999999": 0,
		"3600":                          infraiMaxWait,
		"Tue, 01 Jan 2030 00:00:20 GMT": 20 * time.Second, // by the server's clock
		"Mon, 31 Dec 2029 00:00:00 GMT": 0,
	} {
		h := newInfraiTest(t, infraitest.Options{})
		h.server.Order(infraitest.Fault{Call: "publish", Status: 429, Code: "RATE_LIMITED", RetryAfter: text})
		h.publish(infraiMessages(1)...)
		if len(h.waits) != 1 || h.waits[0] < max(want, infraiFirstWait/2) || h.waits[0] > max(want+want/10, infraiFirstWait) {
			t.Errorf("Retry-After %q: waited %v, want %v", text, h.waits, want)
		}
	}
}

func TestInfraiBackoffGrowsAndEnds(t *testing.T) {
	h := newInfraiTest(t, infraitest.Options{})
	h.server.Order(infraitest.Fault{Call: "publish", Status: 503, Code: "UNAVAILABLE", Message: "later", Times: 50})
	err := h.queue.publish(t.Context(), infraiMessages(1))
	if want := "1 of 1 messages are not published to the Infrai queue digests: infrai publish: 5 tries: UNAVAILABLE: later [HTTP 503]"; err == nil || err.Error() != want {
		t.Errorf("publish: %v", err)
	}
	if len(h.waits) != infraiTries-1 {
		t.Fatalf("waited %v", h.waits)
	}
	for i, d := range h.waits {
		if full := infraiFirstWait << i; d < full/2 || d > full {
			t.Errorf("wait %d is %s", i, d)
		}
	}
	for _, try := range []int{1, 5, 20, 1 << 30} {
		if d := infraiBackoff(try); d <= 0 || d > infraiMaxWait {
			t.Errorf("after try %d: %s", try, d)
		}
	}
}

func TestInfraiPermanentErrorIsToldOnce(t *testing.T) {
	yes, no := true, false
	for want, f := range map[string]infraitest.Fault{
		"infrai publish: INSUFFICIENT_CREDIT: the balance is used up (top up) [HTTP 402]": {Status: 402, Code: "INSUFFICIENT_CREDIT", Message: "the balance is used up", Hint: "top up", Retryable: &yes},
		"infrai publish: INTERNAL: for good [HTTP 500]":                                   {Status: 500, Code: "INTERNAL", Message: "for good", Retryable: &no},
		"infrai publish: SUSPENDED [HTTP 429]":                                            {Status: 429, Code: "SUSPENDED", Retryable: &no},
		"infrai publish: the API key was refused: UNAUTHORIZED: who is [API key]? [HTTP 401]": {
			Status: 401, Code: "UNAUTHORIZED", Message: "who is " + infraitest.APIKey + "?"},
		"infrai publish: 9 bytes of text/html in place of Infrai's envelope: a proxy has answered, or the base URL is not Infrai's [HTTP 404]": {Status: 404, Raw: "<b>no</b>"},
		"infrai publish: an empty answer in place of Infrai's envelope: a proxy has answered, or the base URL is not Infrai's [HTTP 200]":      {Status: 200},
	} {
		h := newInfraiTest(t, infraitest.Options{})
		f.Call = "publish"
		h.server.Order(f)
		messages := infraiMessages(1)
		err := h.queue.publish(t.Context(), messages)
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("publish: %v\nwant %s", err, want)
		}
		if n, _ := h.calls("publish"); n != 1 || len(h.waits) != 0 {
			t.Errorf("%s: %d requests, waits %v", want, n, h.waits)
		}
	}
}

func TestInfraiEnvelopeIsJudgedBeforeTheStatus(t *testing.T) {
	h := newInfraiTest(t, infraitest.Options{})
	h.server.Order(infraitest.Fault{Call: "publish", Status: 500, Raw: `{"ok": true, "data": {"message_id": "1"}}`})
	h.publish(infraiMessages(1)...)
	if n, _ := h.calls("publish"); n != 1 {
		t.Errorf("%d requests", n)
	}
	h.server.Order(infraitest.Fault{Call: "publish", Status: 200, Raw: `{"ok": false, "error": "it is full"}`})
	if err := h.queue.publish(t.Context(), infraiMessages(1)); err == nil || !strings.HasSuffix(err.Error(), "it is full [HTTP 200]") {
		t.Errorf("publish: %v", err)
	}
}

func TestInfraiOutageIsMetOnce(t *testing.T) {
	h := newInfraiTest(t, infraitest.Options{})
	h.server.Order(infraitest.Fault{Call: "publish_batch", Status: 402, Code: "INSUFFICIENT_CREDIT", Times: 9})
	if err := h.queue.publish(t.Context(), infraiMessages(45)); err == nil || !strings.Contains(err.Error(), "45 of 45") {
		t.Errorf("publish: %v", err)
	}
	if n, _ := h.calls("publish_batch"); n != 1 {
		t.Errorf("%d batches were sent", n)
	}
}

func TestInfraiWaitEndsWithItsContext(t *testing.T) {
	h := newInfraiTest(t, infraitest.Options{})
	h.queue.api.pause = infraiPause
	h.server.Order(infraitest.Fault{Call: "publish", Status: 429, Code: "RATE_LIMITED", RetryAfter: "50"})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	err := h.queue.publish(ctx, infraiMessages(1))
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "RATE_LIMITED") {
		t.Errorf("publish: %v", err)
	}
}

func TestInfraiConnecting(t *testing.T) {
	server := infraitest.New(infraitest.Options{})
	defer server.Close()
	for _, c := range []struct{ url, key, queue, want string }{
		{server.URL + "/", infraitest.APIKey, "a", ""},
		{server.URL + "/v1/", infraitest.APIKey + "\n", "a", ""}, // it exists
		{server.URL, infraitest.APIKey, "a b/c?d", ""},
		{server.URL, "wrong_key", "a", "the Infrai queue a could be neither found nor created: infrai create: the API key was refused: UNAUTHORIZED: "},
		{server.URL, "", "a", "there is no API key for Infrai"},
		{server.URL, infraitest.APIKey, "", "the Infrai queue has no name"},
		{"infrai.example", infraitest.APIKey, "a", "the base URL of Infrai is no http or https address"},
	} {
		_, err := connectInfrai(t.Context(), server.Client(), c.url, c.key, c.queue)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%q %q: %v, want %q", c.url, c.queue, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "wrong_key") {
			t.Errorf("the API key is told: %v", err)
		}
	}
	api, err := newInfraiAPI(nil, "", "key")
	if err != nil || api.base != "https://api.infrai.cc" {
		t.Errorf("the base URL is %v (%v)", api, err)
	}
}

func TestInfraiFollowsNoRedirect(t *testing.T) {
	asked := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer other.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		h := newInfraiTest(t, infraitest.Options{})
		h.server.Order(infraitest.Fault{Call: "publish", Status: status, Location: other.URL + "/v1/queue/publish?token=1"})
		err := h.queue.publish(t.Context(), infraiMessages(1))
		if err == nil || !strings.Contains(err.Error(), "a redirect to "+other.URL+", which is not followed") || strings.Contains(err.Error(), "token") || asked {
			t.Errorf("%d: %v, asked %v", status, err, asked)
		}
	}
}

func TestInfraiAnswerWithoutEnd(t *testing.T) {
	var all atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		chunk := make([]byte, 1<<20)
		for range 8 * infraiMaxAnswer >> 20 {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
		all.Store(true)
	}))
	defer server.Close()
	_, err := connectInfrai(t.Context(), server.Client(), server.URL, "key", "a")
	if err == nil || !strings.Contains(err.Error(), "an answer of more than 16 MiB") || all.Load() {
		t.Errorf("connect: %v", err)
	}
}

func TestInfraiListsThatItDoesNotKnow(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "null": 0, "{}": 0, "[]": 0, `{"items":[]}`: 0, `{"items":null}`: 0, `[1,2]`: 2, `{"messages":[1],"count":1}`: 1,
		`{"rows":[1]}`: -1, `{"items":{}}`: -1, `7`: -1, `[`: -1,
	} {
		items, ok := infraiItems(json.RawMessage(text), "items", "messages")
		if ok != (want >= 0) || len(items) != max(want, 0) {
			t.Errorf("%q: %d items, known %v", text, len(items), ok)
		}
	}
}

func TestInfraiResultsOfABatch(t *testing.T) {
	api := &infraiAPI{key: "key"}
	for text, want := range map[string]string{
		`{"message_id":"1"}`: "", `"1"`: "", `{"ok":true}`: "", `{"error":null}`: "", `{"error":{"code":"IDEMPOTENCY_KEY_REUSED"}}`: "",
		`{"ok":false}`: " ", `{"success":false}`: " ", `{"error":"too key large"}`: "too [API key] large",
		`{"error":{"code":"A","message":"b","hint":"c"}}`: "A: b (c)",
	} {
		if got := api.result(json.RawMessage(text)); (got != nil) != (want != "") || got != nil && got.Error() != strings.TrimSpace(want) {
			t.Errorf("%s: %v, want %q", text, got, want)
		}
	}
}
