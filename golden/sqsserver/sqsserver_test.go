package sqsserver

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"
)

func TestEmulatorsComeBackWithoutTheirQueues(t *testing.T) {
	for _, emulator := range []string{Fauxqs, Limits} {
		s, err := New(emulator)
		if errors.Is(err, ErrMissing) && os.Getenv("CI") != "true" {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		ask := func(operation, body string) (urls []string) {
			t.Helper()
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL(), strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("X-Amz-Target", "AmazonSQS."+operation)
			r.Header.Set("Content-Type", "application/x-amz-json-1.0")
			r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=test/20260101/eu-central-1/sqs/aws4_request, SignedHeaders=host, Signature=0")
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			var out struct{ QueueUrls []string }
			if err := json.NewDecoder(answer.Body).Decode(&out); err != nil || answer.StatusCode != http.StatusOK {
				t.Fatalf("%s: %s (%v)", operation, answer.Status, err)
			}
			return out.QueueUrls
		}
		ask("CreateQueue", `{"QueueName":"q"}`)
		if urls := ask("ListQueues", `{}`); len(urls) != 1 {
			t.Errorf("%s has the queues %v", emulator, urls)
		}
		if err := errors.Join(s.Close(), s.Start()); err != nil {
			t.Fatal(err)
		}
		if urls := ask("ListQueues", `{}`); len(urls) != 0 {
			t.Errorf("%s has the queues %v", emulator, urls)
		}
	}
}
