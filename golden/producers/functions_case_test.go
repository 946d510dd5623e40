package producers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/retryc/retryc/golden/anykey"
	"github.com/retryc/retryc/golden/producers/jobs"
)

// newTrial is a trial with the functions applied, twice, as two deploys do.
func newTrial(t *testing.T) *jobs.Trial {
	t.Helper()
	trial := jobs.NewTrial(t)
	script, err := os.ReadFile("jobs/enqueue_functions_gen.sql")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := trial.DB().Exec(t.Context(), string(script)); err != nil {
			t.Fatal(err)
		}
	}
	return trial
}

// db is a pool, a connection or a transaction.
type db interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// enqueue calls the function of a queue; a nil key is none.
func enqueue(ctx context.Context, on db, function, payload string, key any) (r jobs.Receipt, err error) {
	err = on.QueryRow(ctx, "select job_id::text, duplicate, state, same_payload from "+function+"($1::json, key => $2)", payload, key).
		Scan(&r.JobID, &r.Duplicate, &r.State, &r.SamePayload)
	return r, err
}

func TestFunctionDerivesTheJobIDOfTheGoPackage(t *testing.T) {
	trial := newTrial(t)
	tx, err := trial.DB().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(t.Context()) }()
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		doc := anykey.Payload(r)
		made, err := enqueue(t.Context(), tx, "pay_enqueue_every_key", doc, nil)
		if err != nil {
			t.Fatalf("%s: %v", doc, err)
		}
		if made.Duplicate || !made.SamePayload || made.State != "scheduled" {
			t.Errorf("%s: %+v", doc, made)
		}
		var payload jobs.EveryKey
		if err := json.Unmarshal([]byte(doc), &payload); err != nil {
			t.Fatalf("%s: %v", doc, err)
		}
		again, err := jobs.EnqueueEveryKeyTx(t.Context(), trial.Store, tx, payload)
		if err != nil {
			t.Fatalf("%s: %v", doc, err)
		}
		if again.JobID != made.JobID || !again.Duplicate {
			t.Errorf("%s: %s by the function, %s by the Go package", doc, made.JobID, again.JobID)
		}
	}
}

// What the tables hold is the same, whoever has written it; only policy_hash tells the function from the Go package.
func TestFunctionWritesTheRowOfTheGoPackage(t *testing.T) {
	trial := newTrial(t)
	row := func(id string) (all string) {
		t.Helper()
		err := trial.DB().QueryRow(t.Context(), `select jsonb_pretty(to_jsonb(j) - 'job_id' - 'payload' - 'payload_sha256' - 'created_at' - 'next_run_at') ||
			(payload_sha256 = sha256(payload)) || (next_run_at = created_at) from pay_job j where job_id = $1`, id).Scan(&all)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Replace(all, `"policy_hash": "sql"`, `"policy_hash": "`+policyHash(t, trial)+`"`, 1)
	}
	for _, doc := range []string{
		`{"payout_id": "p", "account": 7}`,
		`{"payout_id": "p", "account": -0, "tier": null, "amount": null, "paid_at": null, "instant": null, "reference": null, "lines": null}`,
		`{"payout_id": "p", "account": 9223372036854775807, "tier": "", "amount": -1.5e-7, "paid_at": "2026-03-04T05:06:07.123456+05:30", "instant": false, "reference": "it's \\ \"é\"\n", "lines": [{"cents": 1}]}`,
		`{"payout_id": "p", "account": -3, "tier": "gold", "amount": 123456789012345678901234567890, "reference": ""}`,
	} {
		made, err := enqueue(t.Context(), trial.DB(), "pay_enqueue_payout_created", doc, nil)
		if err != nil {
			t.Fatal(err)
		}
		byFunction := row(made.JobID)
		if _, err := trial.DB().Exec(t.Context(), "delete from pay_job"); err != nil {
			t.Fatal(err)
		}
		var payload jobs.PayoutCreated
		if err := json.Unmarshal([]byte(doc), &payload); err != nil {
			t.Fatal(err)
		}
		again, err := jobs.EnqueuePayoutCreated(t.Context(), trial.Store, payload)
		if err != nil {
			t.Fatal(err)
		}
		if byGo := row(again.JobID); again.JobID != made.JobID || byGo != byFunction {
			t.Errorf("%s: by the function %s, by the Go package %s", doc, byFunction, byGo)
		}
		if _, err := trial.DB().Exec(t.Context(), "delete from pay_job"); err != nil {
			t.Fatal(err)
		}
	}
}

// policyHash is what the Go package writes onto the rows that it makes.
func policyHash(t *testing.T, trial *jobs.Trial) (hash string) {
	t.Helper()
	tx, err := trial.DB().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(t.Context()) }()
	r, err := jobs.EnqueuePingTx(t.Context(), trial.Store, tx, jobs.Ping{})
	if err == nil {
		err = tx.QueryRow(t.Context(), "select policy_hash from pay_job where job_id = $1", r.JobID).Scan(&hash)
	}
	if err != nil {
		t.Fatal(err)
	}
	return hash
}

func TestKeyThatIsGivenStandsForTheFields(t *testing.T) {
	trial := newTrial(t)
	byField, err := enqueue(t.Context(), trial.DB(), "pay_enqueue_payout_created", `{"payout_id": "é\"1", "account": 1}`, nil)
	if err != nil {
		t.Fatal(err)
	}
	given, err := enqueue(t.Context(), trial.DB(), "pay_enqueue_payout_created", `{"payout_id": "another", "account": 1}`, `é"1`)
	if want := (jobs.Receipt{JobID: byField.JobID, Duplicate: true, State: "scheduled"}); err != nil || given != want {
		t.Errorf("%+v, %v, want %+v", given, err, want)
	}
	var keys []string
	for _, key := range []any{nil, nil, "a", "a"} { // a queue whose jobs have no key
		r, err := enqueue(t.Context(), trial.DB(), "pay_enqueue_ping", "{}", key)
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, fmt.Sprintf("%s %t", r.JobID[14:15], r.Duplicate))
	}
	if want := []string{"7 false", "7 false", "8 false", "8 true"}; !slices.Equal(keys, want) {
		t.Errorf("versions and duplicates %q, want %q", keys, want)
	}
}

func TestWorkerRunsTheJobThatAFunctionMade(t *testing.T) {
	trial := newTrial(t)
	const payload = `{"lines":[{"cents":-5}],  "payout_id":"p","account":1}`
	r, err := enqueue(t.Context(), trial.DB(), "pay_enqueue_payout_created", payload, nil)
	if err != nil {
		t.Fatal(err)
	}
	trial.Advance(time.Hour) // the function goes by the server's clock
	ran := trial.RunDue(t.Context(), jobs.PayoutCreatedWorker(func(_ context.Context, job *jobs.Job[jobs.PayoutCreated]) error {
		if p := job.Payload; job.ID != r.JobID || job.IdempotencyKey != `["p"]` || p.Lines[0].Cents != -5 || *p.Amount != 0.5 {
			t.Errorf("%+v", job)
		}
		return nil
	}))
	if ledger := trial.Ledger(r.JobID); ran != 1 || len(ledger) != 1 || ledger[0].Outcome != "ok" {
		t.Errorf("%d runs, ledger %+v", ran, ledger)
	}
	again, err := enqueue(t.Context(), trial.DB(), "pay_enqueue_payout_created", payload, nil)
	if want := (jobs.Receipt{JobID: r.JobID, Duplicate: true, State: "done", SamePayload: true}); err != nil || again != want {
		t.Errorf("%+v, %v, want %+v", again, err, want)
	}
}
