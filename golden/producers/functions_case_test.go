package producers_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

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

// texts are of every kind that a key has to be escaped for, and some that it must not be.
var texts = []string{
	"evt_1", " ", "0", "é ü 漢字 🙂 \u2028\u2029 \ufeff", "e\u0301", "<a&b>", `quote " backslash \ slash / '`, "\b\t\n\f\r", "\x01\x1f\x7f\u0080", "$1 $$ $function$ %s", `\u00e9`, "[\"a\",1]",
}

func anyText(r *rand.Rand) string {
	var b strings.Builder
	for b.Len() == 0 || r.IntN(3) > 0 {
		if r.IntN(2) == 0 {
			b.WriteString(texts[r.IntN(len(texts))])
		} else if c := rune(1 + r.IntN(0x10ffff)); c < 0xd800 || c > 0xdfff {
			b.WriteRune(c)
		}
	}
	return b.String()
}

// anyTime is a time as another program may write it: of any year, with an offset, and with any number of digits.
func anyTime(r *rand.Rand) string {
	if r.IntN(10) == 0 { // the first and the last, and days that move to another year, month or leap day
		return []string{
			"0001-01-01T00:00:00.000000001Z", "0001-01-02T00:00:00+23:59", "9999-12-31T23:59:59.999999999-23:59", "2024-02-29T23:59:59-00:01", "2000-03-01T00:00:00+00:01",
		}[r.IntN(5)]
	}
	text := fmt.Sprintf("%04d-%02d-%02dT%02d:%02d:%02d", 2+r.IntN(9998), 1+r.IntN(12), 1+r.IntN(28), r.IntN(24), r.IntN(60), r.IntN(60))
	if n := r.IntN(13); n > 0 {
		text += "." + fmt.Sprintf("%012d", r.Int64N(1e12)/[]int64{1, 1e3, 1e6, 1e9}[r.IntN(4)])[12-n:]
	}
	if r.IntN(2) == 0 {
		return text + "Z"
	}
	return text + fmt.Sprintf("%c%02d:%02d", "+-"[r.IntN(2)], r.IntN(24), r.IntN(60))
}

func anyWhole(r *rand.Rand) string {
	return []string{"0", "-0", "-1", "9007199254740993", fmt.Sprint(math.MaxInt64), fmt.Sprint(math.MinInt64), fmt.Sprint(int64(r.Uint64()))}[r.IntN(7)]
}

// written is a text as JSON, at times with escapes that need not be there.
func written(r *rand.Rand, text string) string {
	if r.IntN(2) == 0 {
		doc, _ := json.Marshal(text)
		return string(doc)
	}
	var b strings.Builder
	for _, c := range text {
		switch {
		case c > 0xffff:
			c -= 0x10000
			fmt.Fprintf(&b, `\u%04X\u%04x`, 0xd800+c>>10, 0xdc00+c&0x3ff)
		default:
			fmt.Fprintf(&b, `\u%04x`, c)
		}
	}
	return `"` + b.String() + `"`
}

func anyKey(r *rand.Rand) string {
	fields := []string{
		`"text": ` + written(r, anyText(r)), `"colour":` + written(r, []string{"red", "light green"}[r.IntN(2)]),
		fmt.Sprintf(`"order_id":"%08x-0000-4000-8000-%012x"`, r.Uint32(), r.Uint64()>>16), `"count":` + anyWhole(r), `"total_cents":` + anyWhole(r),
		fmt.Sprintf(`"urgent":%t`, r.IntN(2) == 0), `"due_at":"` + anyTime(r) + `"`,
	}
	r.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	return "{" + strings.Join(fields, ", ") + "}"
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
		doc := anyKey(r)
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

func TestFunctionRefusesWhatNoWorkerCouldTake(t *testing.T) {
	trial := newTrial(t)
	right := map[string]string{
		"text": `"a"`, "colour": `"red"`, "order_id": `"6ba7b810-9dad-11d1-80b4-00c04fd430c8"`, "count": "1", "total_cents": "2", "urgent": "true", "due_at": `"2026-01-31T09:30:00Z"`,
	}
	with := func(field, value string) string {
		var fields []string
		for name, v := range right {
			if name == field {
				v = value
			}
			if v != "" {
				fields = append(fields, `"`+name+`": `+v)
			}
		}
		slices.Sort(fields)
		return "{" + strings.Join(fields, ", ") + "}"
	}
	for _, c := range []struct{ payload, want string }{
		{"null", "the payload is no JSON object, but null"},
		{"[]", "the payload is no JSON object, but array"},
		{with("text", ""), `the payload lacks the field "text"`},
		{with("text", "null"), `the payload lacks the field "text"`},
		{with("text", "1"), `the field "text" of the payload is not of type string`},
		{with("text", `""`), `the field "text" of the idempotency key is empty`},
		{with("colour", `""`), `the field "colour" of the idempotency key is empty`},
		{with("order_id", `"6BA7B810-9DAD-11D1-80B4-00C04FD430C8"`), `the field "order_id" of the payload is not of type uuid`},
		{with("count", "1.0"), `the field "count" of the payload is not of type integer`},
		{with("count", "1e3"), `the field "count" of the payload is not of type integer`},
		{with("count", `"1"`), `the field "count" of the payload is not of type integer`},
		{with("total_cents", "9223372036854775808"), `the field "total_cents" of the payload is not of type integer`},
		{with("total_cents", "-9223372036854775809"), `the field "total_cents" of the payload is not of type integer`},
		{with("urgent", `"true"`), `the field "urgent" of the payload is not of type boolean`},
		{with("due_at", `"tomorrow"`), `the field "due_at" of the payload is not of type time`},
		{with("due_at", `"2026-01-31 09:30:00Z"`), `the field "due_at" of the payload is not of type time`},
		{with("due_at", `"2026-01-31T09:30:00"`), `the field "due_at" of the payload is not of type time`},
		{with("due_at", `"2026-02-29T09:30:00Z"`), `the field "due_at" of the payload is not of type time`},
		{with("due_at", `"2026-01-31T24:00:00Z"`), `the field "due_at" of the payload is not of type time`},
		{with("due_at", `"0001-01-01T00:00:00+01:00"`), `the field "due_at" of the payload is not of type time`},
		{with("due_at", `"0001-01-01T01:00:00+01:00"`), `the field "due_at" of the idempotency key is empty`},
		{with("urgent", `true, "Urgent": true`), `the payload has a field "Urgent" that retry.yaml does not have for this queue`},
	} {
		_, err := enqueue(t.Context(), trial.DB(), "pay_enqueue_every_key", c.payload, nil)
		wantError(t, c.payload, err, "22023", c.want)
	}
	_, err := enqueue(t.Context(), trial.DB(), "pay_enqueue_ping", "{}", "")
	wantError(t, "an empty key", err, "22023", `the field "key" of the idempotency key is empty`)
	if _, err := enqueue(t.Context(), trial.DB(), "pay_enqueue_every_key", with("due_at", `"2024-02-29T23:59:59.999999999-23:59"`), nil); err != nil {
		t.Errorf("the last moment of a leap day: %v", err)
	}
}

func wantError(t *testing.T, what string, err error, code, message string) {
	t.Helper()
	var e *pgconn.PgError
	if !errors.As(err, &e) || e.Code != code || e.Message != message || e.Hint == "" {
		t.Errorf("%s: %v (%+v), want %s", what, err, e, message)
	}
}

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
