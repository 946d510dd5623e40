package mysql_test

import (
	"context"
	"testing"
	"time"

	"github.com/retryc/retryc/golden/mysql/jobs"
)

// A program in another language inserts the row itself, as a producer: the job_id follows from the queue and the key.
func TestARowThatSQLInsertsIsTheJobOfTheGoPackage(t *testing.T) {
	trial := jobs.NewTrial(t)
	producer := newAccount(t, trial)
	if err := grant(t, trial, "producer="+producer); err != nil {
		t.Fatal(err)
	}
	db := as(t, trial, producer)
	key := `["` + merchant + `","é\"1",7]`
	payload := `{"merchant": "` + merchant + `", "account": "é\"1", "amount": 7}`
	_, err := db.Exec(`
		insert into pay_job (job_id, queue, idempotency_key, payload, payload_sha256, schema_hash, policy_hash, tenant_id, account, amount, created_at, next_run_at)
		select concat_ws('-', left(h, 8), mid(h, 9, 4), concat('8', mid(h, 14, 3)), concat(lower(hex(conv(mid(h, 17, 1), 16, 10) & 3 | 8)), mid(h, 18, 3)), mid(h, 21)),
			queue, k, payload, unhex(sha2(payload, 256)), 'sql', 'sql', ?, ?, ?, utc_timestamp(6), utc_timestamp(6)
		from (select left(sha2(concat(unhex(lpad(hex(length(queue)), 16, '0')), queue, k), 256), 32) as h, queue, k, payload
			from (select 'payout' as queue, ? as k, ? as payload) given) made`, merchant, `é"1`, 7, key, payload)
	if err != nil {
		t.Fatal(err)
	}
	r, err := jobs.EnqueuePayout(t.Context(), open(t, trial, producer), jobs.Payout{Merchant: merchant, Account: `é"1`, Amount: 7})
	if err != nil || !r.Duplicate || r.State != "scheduled" {
		t.Errorf("%+v, %v", r, err)
	}
	trial.Advance(time.Hour) // the row goes by the server's clock
	ran := trial.RunDue(t.Context(), jobs.PayoutWorker(func(_ context.Context, job *jobs.Job[jobs.Payout]) error {
		if p := job.Payload; job.ID != r.JobID || job.IdempotencyKey != key || p.Account != `é"1` || p.Amount != 7 || *p.Urgent {
			t.Errorf("%+v", job)
		}
		return nil
	}))
	if ended := trial.Ledger(r.JobID); ran != 1 || len(ended) != 1 || ended[0].Decision != "done" {
		t.Errorf("%d attempts ran, ledger %+v", ran, ended)
	}
}
