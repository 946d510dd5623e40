package infraitest

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// call sends a request as a client would, and answers its status and body.
func call(t *testing.T, s *Server, method, path, body string, headers ...string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+APIKey)
	if method != http.MethodGet {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := s.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(answer)
}

func TestBreachesOfTheContract(t *testing.T) {
	s := New(Options{})
	defer s.Close()
	call(t, s, "POST", "/v1/queue/create", `{"name":"q"}`)
	for _, c := range []struct {
		method, path, body, code string
		headers                  []string
	}{
		{"POST", "/v1/queue/publish", `{"queue":"q","payload":{}}`, "UNAUTHORIZED", []string{"Authorization", "Bearer no"}},
		{"POST", "/v1/queue/publish", `{"queue":"q","payload":{}}`, "Content-Type", []string{"Content-Type", "text/plain"}},
		{"GET", "/v1/queue/publish", ``, "NOT_FOUND", nil},
		{"POST", "/v1/queue/purge", `{}`, "NOT_FOUND", nil},
		{"POST", "/v1/queue/publish", `{"queue":"q","payload":{},"delay":1}`, `unknown field \"delay\"`, nil},
		{"POST", "/v1/queue/publish", `{"queue":"q","payload":{}} {}`, "something after", nil},
		{"POST", "/v1/queue/publish", `{"queue":"q","payload":"text"}`, "payload is not an object", nil},
		{"POST", "/v1/queue/publish", `{"payload":{}}`, "QUEUE_NOT_FOUND", nil},
		{"POST", "/v1/queue/publish", `{"queue":"q","payload":{},"delay_seconds":604801}`, "QUEUE_DELAY_INVALID", nil},
		{"POST", "/v1/queue/publish", `{"queue":"q","payload":{},"delay_seconds":-1}`, "QUEUE_DELAY_INVALID", nil},
		{"POST", "/v1/queue/publish", `{"queue":"q","payload":{},"delay_seconds":1.5}`, "QUEUE_DELAY_INVALID", nil},
		{"POST", "/v1/queue/publish", `{"queue":"q","payload":{},"idempotency_key":"a"}`, "is not the Idempotency-Key", []string{"Idempotency-Key", "b"}},
		{"POST", "/v1/queue/publish", `{"queue":"q","payload":{"a":"` + strings.Repeat("x", maxBody) + `"}}`, "QUEUE_BODY_TOO_LARGE", nil},
		{"POST", "/v1/queue/publish_batch", `{"messages":[]}`, "no messages", nil},
		{"POST", "/v1/queue/publish_batch", `{"queue":"q","messages":[{"payload":{},"delay_seconds":9999999}]}`, "QUEUE_DELAY_INVALID", nil},
		{"POST", "/v1/queue/consume", `{"queue":"q","max_messages":0}`, "max_messages is 0", nil},
		{"POST", "/v1/queue/ack", `{"queue":"q"}`, "neither message_id nor receipt_handle", nil},
		{"POST", "/v1/queue/ack", `{"queue":"q","receipt_handle":"r"}`, "did not come with the message", nil},
		{"POST", "/v1/queue/nack", `{"queue":"q","message_id":"m","delay_seconds":604801}`, "QUEUE_DELAY_INVALID", nil},
		{"GET", "/v1/queue/dlq/list/q?limit=all", ``, "limit is", nil},
		{"GET", "/v1/queue/stats/q?verbose=1", ``, "unknown parameter", nil},
		{"POST", "/v1/queue/dlq/redrive/q", `{"message_id":"m","max_messages":1}`, "both there", nil},
		{"POST", "/v1/queue/push_subscribe/q", `{"endpoint":"https://example.com"}`, "wrong name", nil},
		{"POST", "/v1/queue/create", `{"name":"r","message_retention_days":31}`, "message_retention_days is 31", nil},
		{"POST", "/v1/queue/create", `{"name":"r","dead_letter_queue":"none"}`, "QUEUE_NOT_FOUND", nil},
		{"PATCH", "/v1/queue/update/q", `{"type":"fifo"}`, "unknown field", nil},
	} {
		before := len(s.Violations())
		_, answer := call(t, s, c.method, c.path, c.body, c.headers...)
		if !strings.Contains(answer, c.code) || !strings.Contains(answer, `"ok":false`) || len(s.Violations()) != before+1 {
			t.Errorf("%s %s %.80s: %s, want %s; violations %v", c.method, c.path, c.body, answer, c.code, s.Violations()[before:])
		}
	}
	if _, answer := call(t, s, "GET", "/v1/queue/stats/q", ""); !strings.Contains(answer, `"message_count":0`) {
		t.Errorf("something was applied: %s", answer)
	}
}

func TestKeyIsAppliedOnce(t *testing.T) {
	s := New(Options{})
	defer s.Close()
	call(t, s, "POST", "/v1/queue/create", `{"name":"q"}`)
	publish := `{"queue":"q","payload":{"n":1}}`
	_, first := call(t, s, "POST", "/v1/queue/publish", publish, "Idempotency-Key", "a")
	_, second := call(t, s, "POST", "/v1/queue/publish", publish, "Idempotency-Key", "a")
	if first != second || !strings.Contains(first, "msg_000001") {
		t.Errorf("the first answer is %s, the second %s", first, second)
	}
	if status, answer := call(t, s, "POST", "/v1/queue/publish", `{"queue":"q","payload":{"n":2}}`, "Idempotency-Key", "a"); status != 409 {
		t.Errorf("another body under the key: %d %s", status, answer)
	}
	call(t, s, "POST", "/v1/queue/publish_batch", `{"messages":[{"queue":"q","payload":{"n":1},"idempotency_key":"a"}]}`)
	if _, answer := call(t, s, "GET", "/v1/queue/stats/q", ""); !strings.Contains(answer, `"message_count":1`) {
		t.Errorf("it is not there once: %s", answer)
	}
}

func TestUpdateKeepsWhatIsNotInIt(t *testing.T) {
	s := New(Options{})
	defer s.Close()
	call(t, s, "POST", "/v1/queue/create", `{"name":"q","max_retries":7}`)
	if _, answer := call(t, s, "PATCH", "/v1/queue/update/q", `{"delivery_delay_seconds":60}`); !strings.Contains(answer, `"max_receive_count":7`) {
		t.Error(answer)
	}
	call(t, s, "POST", "/v1/queue/publish", `{"queue":"q","payload":{}}`)
	if _, answer := call(t, s, "GET", "/v1/queue/stats/q", ""); !strings.Contains(answer, `"delayed_count":1`) {
		t.Error(answer)
	}
}
