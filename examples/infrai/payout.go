package main

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"sync"

	"github.com/retryc/retryc/examples/infrai/internal/jobs"
)

// postings is the product's own table. A payout is posted once.
const postings = `;
create table posting (job_id uuid primary key, merchant_id text not null, cents bigint not null)`

// payer pays through a bank.
type payer struct{ bank string }

// pay may run more than once for a job. The bank pays once for each Idempotency-Key: job.ID is the same for every attempt of
// a job, and no other's. The posting commits with the attempt that ends well, or not at all.
func (p *payer) pay(ctx context.Context, job *jobs.Job[jobs.Payout]) error {
	order := url.Values{"account": {job.Payload.Account}, "cents": {strconv.FormatInt(job.Payload.AmountCents, 10)}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.bank+"/transfers?"+order.Encode(), nil)
	if err != nil {
		return jobs.Permanent(err)
	}
	req.Header.Set("Idempotency-Key", job.ID)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if err := jobs.CheckResponse(resp); err != nil {
		return err
	}
	job.OnCommit(func(ctx context.Context, tx jobs.Tx) error {
		_, err := tx.Exec(ctx, "insert into posting (job_id, merchant_id, cents) values ($1, $2, $3)", job.ID, job.Payload.MerchantID, job.Payload.AmountCents)
		return err
	})
	return nil
}

// The accounts that the bank knows.
const (
	accountFine   = "DE02120300000000202051"
	accountBusy   = "DE02500105170137075030"
	accountClosed = "DE02100500000054540402"
)

// newBank stands in for the bank.
func newBank() http.Handler {
	var mu sync.Mutex
	failures := 2
	mux := http.NewServeMux()
	mux.HandleFunc("POST /transfers", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		switch r.FormValue("account") {
		case accountClosed:
			http.Error(w, "the account is closed", http.StatusUnprocessableEntity)
		case accountBusy:
			if failures--; failures >= 0 {
				http.Error(w, "the clearing house does not answer", http.StatusBadGateway)
			}
		}
	})
	return mux
}
