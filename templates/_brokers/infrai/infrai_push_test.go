//retryc:when broker_push

package worker

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/retryc/retryc/templates/_brokers/infrai/infraitest"
)

func TestInfraiPushes(t *testing.T) {
	for _, options := range []infraitest.Options{{}, {OldNames: true}} {
		h := newInfraiTest(t, options)
		var got []int
		fails := true
		receiver := httptest.NewServer(h.queue.pushed("secret", func(_ context.Context, m delivery) error {
			if fails = !fails; !fails && m.count == 1 {
				return errors.New("the database is away")
			}
			got = append(got, infraiNumber(t, m))
			return nil
		}))
		defer receiver.Close()
		if err := h.queue.subscribe(t.Context(), receiver.URL, "secret"); err != nil {
			t.Fatal(err)
		}
		h.publish(infraiMessages(4)...)
		for _, want := range []int{2, 2, 0} {
			if n, err := h.server.Push(t.Context(), "digests"); err != nil || n != want {
				t.Errorf("%d were taken, want %d (%v)", n, want, err)
			}
		}
		if slices.Sort(got); !slices.Equal(got, []int{0, 1, 2, 3}) {
			t.Errorf("took %v", got)
		}
		if err := h.queue.subscribe(t.Context(), receiver.URL, "other"); err != nil {
			t.Fatal(err)
		}
		h.publish(message{id: "forged", body: []byte(`{"n":4}`)})
		if n, err := h.server.Push(t.Context(), "digests"); err != nil || n != 0 {
			t.Errorf("%d with another secret were taken (%v)", n, err)
		}
	}
}

func TestInfraiPushIsVerified(t *testing.T) {
	q := &infraiQueue{name: "digests"}
	body := `{"message_id":"1", "payload":{"n":1}}`
	signature := infraitest.Sign("secret", []byte(body))
	for _, c := range []struct {
		method, body, signature string
		want                    int
	}{
		{"POST", body, signature, 204},
		{"POST", body, strings.TrimPrefix(signature, "sha256="), 204},
		{"POST", body, strings.ToUpper(strings.TrimPrefix(signature, "sha256=")), 204},
		{"POST", body, "", 401},
		{"POST", body, "sha256=", 401},
		{"POST", body, signature[:len(signature)-2], 401},
		{"POST", body, "sha1=" + signature, 401},
		{"POST", body, infraitest.Sign("", []byte(body)), 401},
		{"POST", strings.ReplaceAll(body, " ", ""), signature, 401}, // the bytes count, not what they mean
		{"POST", strings.Repeat(" ", 2*infraiMaxBody) + body, signature, 400},
		{"GET", "", signature, 405},
		{"POST", `{"n":1}`, infraitest.Sign("secret", []byte(`{"n":1}`)), 204},
	} {
		var took []string
		handler := q.pushed("secret", func(_ context.Context, m delivery) error {
			took = append(took, string(m.body))
			return nil
		})
		w := httptest.NewRecorder()
		r := httptest.NewRequest(c.method, "/", strings.NewReader(c.body))
		r.Header.Set("X-Infrai-Signature", c.signature)
		handler.ServeHTTP(w, r)
		if w.Code != c.want || (c.want == 204) != (fmt.Sprint(took) == `[{"n":1}]`) {
			t.Errorf("%.60s %s: %d, want %d; took %q", c.body, c.signature, w.Code, c.want, took)
		}
	}
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	r.Header.Set("X-Infrai-Signature", infraitest.Sign("", []byte(body)))
	q.pushed("", func(context.Context, delivery) error { return nil }).ServeHTTP(w, r)
	if w.Code != 401 {
		t.Errorf("without a secret: %d", w.Code)
	}
	if err := q.subscribe(t.Context(), "https://example.com", ""); err == nil {
		t.Error("subscribed without a secret")
	}
}
