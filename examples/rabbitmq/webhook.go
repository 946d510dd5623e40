package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"sync"

	"github.com/retryc/retryc/examples/rabbitmq/internal/jobs"
)

// deliver may run more than once for a job. Merchants drop repeats by the Idempotency-Key: job.ID is the same for every
// attempt of a job, and no other's.
func deliver(ctx context.Context, job *jobs.Job[jobs.WebhookDelivery]) error {
	body, err := json.Marshal(map[string]any{"event": job.Payload.EventID, "kind": job.Payload.Kind, "amount_cents": job.Payload.AmountCents})
	if err != nil {
		return jobs.Permanent(err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, job.Payload.URL, bytes.NewReader(body))
	if err != nil {
		return jobs.Permanent(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", job.ID)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	return jobs.CheckResponse(resp)
}

// newMerchants stands in for the merchants' servers.
func newMerchants() http.Handler {
	var mu sync.Mutex
	failures := 2
	mux := http.NewServeMux()
	mux.HandleFunc("/fine", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("/flaky", func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if failures--; failures >= 0 {
			http.Error(w, "we are back in a moment", http.StatusServiceUnavailable)
		}
	})
	mux.HandleFunc("/gone", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "moved out", http.StatusGone) })
	return mux
}
