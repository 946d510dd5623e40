// Code generated from golden/webhooks/jobs/senders_case_test.go by go test ./generator -update. DO NOT EDIT.

package jobs

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
)

func macOf(key []byte, parts ...string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(strings.Join(parts, ".")))
	return mac.Sum(nil)
}

// stripeHeader is what Stripe sends along with a body.
func stripeHeader(secret, body string, at time.Time) http.Header {
	t := strconv.FormatInt(at.Unix(), 10)
	return headerOf("Stripe-Signature", "t="+t+",v1="+hex.EncodeToString(macOf([]byte(secret), t, body)))
}

// standardHeader is what a sender of Standard Webhooks sends along with a body.
func standardHeader(secret, id, body string, at time.Time) http.Header {
	t := strconv.FormatInt(at.Unix(), 10)
	key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	return headerOf("webhook-id", id, "webhook-timestamp", t, "webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(macOf(key, id, t, body)))
}

func headerOf(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Add(pairs[i], pairs[i+1])
	}
	return h
}

const (
	stripeSecret = "whsec_5WbX5kEWLlfzsGNjH64I8lOOqUB6e8FH"
	orderSecret  = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	githubSecret = "It's a Secret to Everybody"
	kycSecret    = "kyc-secret"
)

// served is the handlers of all webhooks, behind a server.
func served(t *testing.T, store *Store) *httptest.Server {
	t.Helper()
	for name, secret := range map[string]string{
		"STRIPE_WEBHOOK_SECRET": stripeSecret, "ORDER_SECRET": "whsec_b3RoZXIgc2VjcmV0", "ORDER_SECRET_BEFORE": orderSecret,
		"GITHUB_WEBHOOK_SECRET": githubSecret, "KYC_WEBHOOK_SECRET": kycSecret,
	} {
		t.Setenv(name, secret)
	}
	mux := http.NewServeMux()
	serve := func(path string, handler http.Handler, err error) {
		if err != nil {
			t.Fatal(err)
		}
		mux.Handle(path, handler)
	}
	payment, err := StripePaymentWebhook(store, nil)
	serve("/stripe", payment, err)
	push, err := PushWebhook(store, nil)
	serve("/github", push, err)
	order, err := OrderWebhook(store, nil)
	serve("/order", order, err)
	kyc, err := KYCDocumentWebhook(store, nil)
	serve("/kyc", kyc, err)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

// posted is the status that a delivery is answered with.
func posted(t *testing.T, url, body string, header http.Header) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range header {
		r.Header[http.CanonicalHeaderKey(name)] = values
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	return answer.StatusCode
}

func TestEachSendersDeliveryIsOneJobOfItsPayload(t *testing.T) {
	trial := NewTrial(t)
	url := served(t, trial.Store).URL
	now := time.Now()
	stripeBody := `{"id": "evt_1", "type": "charge.succeeded", "pending_webhooks": 2, "data": {"object": {"amount": 9007199254740993, "metadata": {"order": "6735"}}}}`
	pushBody := `{"ref": "refs/heads/main", "after": "6113728f27ae82c7b1a177c8d03f9e96e0adf246"}`
	orderBody := `{"type": "order.paid", "timestamp": "2026-12-01T09:30:00.5Z", "data": {"lines": [{"sku": "a", "count": 2}, {"sku": "b", "count": 1}]}}`
	kycBody := `{"events": [{"id": "e1", "kind": "uploaded"}]}`
	deliveries := []struct {
		path, body string
		header     http.Header
	}{
		{"/stripe", stripeBody, stripeHeader(stripeSecret, stripeBody, now)},
		{"/stripe", strings.Replace(stripeBody, "webhooks\": 2", "webhooks\": 1", 1), nil}, // as Stripe repeats it
		{"/github", pushBody, headerOf("X-GitHub-Event", "push", "X-Hub-Signature-256", "sha256="+hex.EncodeToString(macOf([]byte(githubSecret), pushBody)))},
		{"/order", orderBody, standardHeader(orderSecret, "msg_1", orderBody, now)},
		{"/order", orderBody, standardHeader(orderSecret, "msg_1", orderBody, now.Add(9*time.Minute))}, // a clock that is ahead
		{"/kyc", kycBody, headerOf("X-Signature", "v1="+base64.StdEncoding.EncodeToString(macOf([]byte(kycSecret), kycBody)))},
	}
	for _, d := range deliveries {
		if d.header == nil {
			d.header = stripeHeader(stripeSecret, d.body, now)
		}
		if status := posted(t, url+d.path, d.body, d.header); status != http.StatusOK {
			t.Errorf("%s answered %d", d.path, status)
		}
	}

	var payments []Payment
	notices := map[string]Notice{}
	trial.RunDue(t.Context(),
		PaymentWorker(func(_ context.Context, job *Job[Payment]) error {
			payments = append(payments, job.Payload)
			return nil
		}),
		NoticeWorker(func(_ context.Context, job *Job[Notice]) error {
			notices[job.Payload.ID] = job.Payload
			return nil
		}))
	if len(payments) != 1 {
		t.Fatalf("payments %v", payments)
	}
	p := payments[0]
	if p.EventID != "evt_1" || p.Amount != 9007199254740993 || *p.Currency != PaymentCurrencyEur || p.Test != nil || !reflect.DeepEqual(p.Metadata, map[string]string{"order": "6735"}) {
		t.Errorf("payment %+v", p)
	}
	push, order, kyc := notices["6113728f27ae82c7b1a177c8d03f9e96e0adf246"], notices["msg_1"], notices["e1"]
	if *push.Kind != "push" || len(push.Body) < len(`{"ref":"refs/heads/main"}`) || push.Sent != nil {
		t.Errorf("push %+v", push)
	}
	if *order.Kind != "order.paid" || !order.Sent.Equal(time.Date(2026, 12, 1, 9, 30, 0, 5e8, time.UTC)) || len(order.Lines) != 2 || order.Lines[1].SKU != "b" {
		t.Errorf("order %+v", order)
	}
	if *kyc.Kind != "uploaded" || string(kyc.Body) != `{"id":"e1","kind":"uploaded"}` || len(notices) != 3 {
		t.Errorf("%d notices, kyc %+v", len(notices), kyc)
	}
}

func TestDeliveriesThatFitNoPayloadAreAnsweredWithWhatIsWrong(t *testing.T) {
	trial := NewTrial(t)
	url := served(t, trial.Store).URL
	for body, want := range map[string]int{
		`{"id": "e", "type": "charge.updated", "data": {"object": {"amount": 1}}}`:                                     200,
		`{"id": "", "type": "charge.updated", "data": {"object": {"amount": 1}}}`:                                      400,
		`{"id": "e", "type": "charge.updated", "data": {"object": {"amount": 1.5}}}`:                                   400,
		`{"id": "e", "type": "charge.updated", "data": {"object": {"amount": 1e40}}}`:                                  400,
		`{"id": "e", "type": "charge.updated", "data": {"object": {"amount": "1"}}}`:                                   400,
		`{"id": "e", "type": "charge.updated", "data": {"object": {}}}`:                                                400,
		`{"id": "e", "type": "charge.updated", "data": {"object": {"amount": 1, "currency": "gbp"}}}`:                  400,
		`{"id": "e", "type": "charge.updated", "data": {"object": {"amount": 1, "metadata": {"a": 1}}}}`:               400,
		`{"id": "e", "type": "charge.updated", "data": {"object": {"amount": 1, "currency": null, "metadata": null}}}`: 200,
		`{"id": "other", "type": "charge.failed"}`:                                                                     200,
		`{"id": "other", "data": {}}`:                  400,
		`{"id": "` + strings.Repeat("e", 1<<20) + `"}`: 413,
	} {
		if status := posted(t, url+"/stripe", body, stripeHeader(stripeSecret, body, time.Now())); status != want {
			t.Errorf("%.80s answered %d, want %d", body, status, want)
		}
	}
	if n := trial.RunDue(t.Context(), PaymentWorker(func(context.Context, *Job[Payment]) error { return nil })); n != 1 {
		t.Errorf("%d jobs", n)
	}
}

func TestStaleAndForeignDeliveriesAreNotAuthorized(t *testing.T) {
	trial := NewTrial(t)
	url := served(t, trial.Store).URL
	stripe, order := `{"id": "e", "type": "charge.updated", "data": {"object": {"amount": 1}}}`, `{"data": {}}`
	now := time.Now()
	for what, d := range map[string]struct {
		path, body string
		header     http.Header
	}{
		"old":                         {"/stripe", stripe, stripeHeader(stripeSecret, stripe, now.Add(-6*time.Minute))},
		"of the future":               {"/stripe", stripe, stripeHeader(stripeSecret, stripe, now.Add(6*time.Minute))},
		"of another secret":           {"/stripe", stripe, stripeHeader("whsec_other", stripe, now)},
		"of a secret that is empty":   {"/stripe", stripe, stripeHeader("", stripe, now)},
		"of another body":             {"/stripe", stripe, stripeHeader(stripeSecret, stripe+" ", now)},
		"missing":                     {"/stripe", stripe, nil},
		"old, of an order":            {"/order", order, standardHeader(orderSecret, "msg_1", order, now.Add(-11*time.Minute))},
		"of another id":               {"/order", order, swapped(standardHeader(orderSecret, "msg_1", order, now), "msg_2")},
		"a body that nobody can read": {"/order", `{`, standardHeader("whsec_b3RoZXI=", "msg_1", `{`, now)},
	} {
		if status := posted(t, url+d.path, d.body, d.header); status != http.StatusUnauthorized {
			t.Errorf("%s answered %d", what, status)
		}
	}
	if n := trial.RunDue(t.Context(), PaymentWorker(func(context.Context, *Job[Payment]) error { return nil })); n != 0 {
		t.Errorf("%d jobs", n)
	}
}

func swapped(h http.Header, id string) http.Header {
	h.Set("webhook-id", id)
	return h
}

func TestHandlerIsNotMadeWithoutItsSecret(t *testing.T) {
	trial := NewTrial(t)
	for _, secret := range []string{"", " " + stripeSecret, stripeSecret + "\n"} {
		t.Setenv("STRIPE_WEBHOOK_SECRET", secret)
		if _, err := StripePaymentWebhook(trial.Store, nil); err == nil || !strings.Contains(fmt.Sprint(err), "STRIPE_WEBHOOK_SECRET") {
			t.Errorf("%q: %v", secret, err)
		}
	}
}
