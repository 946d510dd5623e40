package producers_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/retryc/retryc/golden/producers/jobs"
)

func TestFunctionCalledFiftyTimesAtOnceMakesOneJob(t *testing.T) {
	trial := newTrial(t)
	receipts, errs := make([]jobs.Receipt, 50), make([]error, 50)
	var all sync.WaitGroup
	for i := range receipts {
		all.Go(func() {
			receipts[i], errs[i] = enqueue(t.Context(), trial.DB(), "pay_enqueue_payout_created", fmt.Sprintf(`{"payout_id": "p", "account": %d}`, i%2), nil)
		})
	}
	all.Wait()
	made := 0
	for i, r := range receipts {
		if errs[i] != nil || r.JobID != receipts[0].JobID || r.State != "scheduled" {
			t.Errorf("%+v, %v", r, errs[i])
		}
		if !r.Duplicate {
			made++
		}
	}
	var rows int
	if err := trial.DB().QueryRow(t.Context(), "select count(*) from pay_job").Scan(&rows); err != nil || rows != 1 || made != 1 {
		t.Errorf("%d jobs, %d callers that made one, %v", rows, made, err)
	}
}

func TestFunctionGoesWithTheCallersTransaction(t *testing.T) {
	trial := newTrial(t)
	const payload = `{"payout_id": "p", "account": 1}`
	tx, err := trial.DB().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := enqueue(t.Context(), tx, "pay_enqueue_payout_created", payload, nil); err != nil {
		t.Fatal(err)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	old, err := trial.DB().BeginTx(t.Context(), pgx.TxOptions{IsoLevel: pgx.RepeatableRead})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = old.Rollback(t.Context()) }()
	if _, err := old.Exec(t.Context(), "select from pay_job"); err != nil { // what it sees is settled
		t.Fatal(err)
	}
	if r, err := enqueue(t.Context(), trial.DB(), "pay_enqueue_payout_created", payload, nil); err != nil || r.Duplicate {
		t.Errorf("the job that was rolled back is there: %+v, %v", r, err)
	}
	_, err = enqueue(t.Context(), old, "pay_enqueue_payout_created", payload, nil)
	if e := new(pgconn.PgError); !errors.As(err, &e) || e.Code != "40001" {
		t.Errorf("a transaction that cannot see the job: %v", err)
	}
}

// A session keeps its plans, and those for a table with a few rows would read all of it when there are millions.
func TestFunctionNeverReadsTheWholeTable(t *testing.T) {
	trial := newTrial(t)
	if _, err := enqueue(t.Context(), trial.DB(), "pay_enqueue_ping", "{}", "a"); err != nil {
		t.Fatal(err)
	}
	if _, err := trial.DB().Exec(t.Context(), "analyze pay_job"); err != nil {
		t.Fatal(err)
	}
	tx, err := trial.DB().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(t.Context()) }()
	reads := func() (whole, byIndex int) {
		t.Helper()
		const query = "select seq_scan, idx_scan from pg_stat_xact_user_tables where relid = 'pay_job'::regclass"
		if err := tx.QueryRow(t.Context(), query).Scan(&whole, &byIndex); err != nil {
			t.Fatal(err)
		}
		return whole, byIndex
	}
	wholeBefore, byIndexBefore := reads()
	for range 10 {
		if r, err := enqueue(t.Context(), tx, "pay_enqueue_ping", "{}", "a"); err != nil || !r.Duplicate {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	if whole, byIndex := reads(); whole > wholeBefore || byIndex == byIndexBefore {
		t.Errorf("%d times the whole table was read, %d times an index", whole-wholeBefore, byIndex-byIndexBefore)
	}
}

func TestFunctionFindsItsTablesWhateverTheCallersPathIs(t *testing.T) {
	trial := newTrial(t)
	conn, err := trial.DB().Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	var schema string
	if err := conn.QueryRow(t.Context(), "select current_schema()").Scan(&schema); err != nil {
		t.Fatal(err)
	}
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(t.Context()) }()
	if _, err := tx.Exec(t.Context(), "set local search_path = pg_catalog; set local datestyle = 'SQL, DMY'; set local timezone = 'Asia/Kathmandu'"); err != nil {
		t.Fatal(err)
	}
	r, err := enqueue(t.Context(), tx, schema+".pay_enqueue_payout_created", `{"payout_id": "p", "account": 1, "paid_at": "2026-03-04T05:06:07Z"}`, nil)
	if err != nil {
		t.Fatal(err)
	}
	var at time.Time
	if err := tx.QueryRow(t.Context(), "select paid_at from "+schema+".pay_job where job_id = $1", r.JobID).Scan(&at); err != nil || !at.Equal(time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)) {
		t.Errorf("%v, %v", at, err)
	}
}
