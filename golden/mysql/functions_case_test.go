package mysql_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/retryc/retryc/golden/anykey"
	"github.com/retryc/retryc/golden/mysql/jobs"
)

// newTrial is a trial with the procedures applied, twice, as two deploys do.
func newTrial(t *testing.T) *jobs.Trial {
	t.Helper()
	trial := jobs.NewTrial(t)
	for range 2 {
		if err := script(t, trial, "jobs/enqueue_functions_gen.sql", ""); err != nil {
			t.Fatal(err)
		}
	}
	return trial
}

// db is a pool, a connection or a transaction.
type db interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// enqueue calls the procedure of a queue; a nil key is none.
func enqueue(ctx context.Context, on db, queue, payload string, key any) (r jobs.Receipt, err error) {
	err = on.QueryRowContext(ctx, "call pay_enqueue_"+queue+"(?, ?)", payload, key).Scan(&r.JobID, &r.Duplicate, &r.State, &r.SamePayload)
	return r, err
}

func begin(t *testing.T, on *sql.DB, level sql.IsolationLevel) *sql.Tx {
	t.Helper()
	tx, err := on.BeginTx(t.Context(), &sql.TxOptions{Isolation: level})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Rollback() })
	return tx
}

func TestProcedureDerivesTheJobIDOfTheGoPackage(t *testing.T) {
	trial := newTrial(t)
	tx := begin(t, trial.DB(), sql.LevelReadCommitted)
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		doc := anykey.Payload(r)
		made, err := enqueue(t.Context(), tx, "every_key", doc, nil)
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
			t.Errorf("%s: %s by the procedure, %s by the Go package", doc, made.JobID, again.JobID)
		}
	}
}

// What the tables hold is the same, whoever has written it; only policy_hash tells the procedure from the Go package.
func TestProcedureWritesTheRowOfTheGoPackage(t *testing.T) {
	trial := newTrial(t)
	row := func(id string) (all string) {
		t.Helper()
		err := trial.DB().QueryRow(`select concat_ws('|', queue, idempotency_key, schema_hash, state, attempt, tenant_id is null, tenant_id, tier is null, tier,
			account, amount, rate is null, rate, urgent, due, next_run_at = created_at, payload_sha256 = unhex(sha2(payload, 256))) from pay_job where job_id = ?`, id).Scan(&all)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	const head = `{"merchant": "` + merchant + `", `
	for _, doc := range []string{
		head + `"account": "a", "amount": 7}`,
		head + `"account": " ", "amount": -0, "plan": null, "rate": null, "urgent": null, "due": null, "lines": null}`,
		head + `"account": "it's \\ \"é\"\n🙂", "amount": 9223372036854775807, "plan": "", "rate": -1.5e-7, "urgent": true, "due": "2026-03-04T05:06:07.123456+05:30", "lines": [{"cents": 1}]}`,
		head + `"account": "null", "amount": -9223372036854775808, "plan": " ", "rate": 123456789012345678901234567890, "urgent": false, "due": "2026-03-04T23:59:59.1234569-23:59"}`,
	} {
		made, err := enqueue(t.Context(), trial.DB(), "payout", doc, nil)
		if err != nil {
			t.Fatal(err)
		}
		byProcedure := row(made.JobID)
		exec(t, trial.DB(), "delete from pay_job")
		var payload jobs.Payout
		if err := json.Unmarshal([]byte(doc), &payload); err != nil {
			t.Fatal(err)
		}
		again, err := jobs.EnqueuePayout(t.Context(), trial.Store, payload)
		if err != nil {
			t.Fatal(err)
		}
		if byGo := row(again.JobID); again.JobID != made.JobID || byGo != byProcedure {
			t.Errorf("%s: by the procedure\n%s, by the Go package\n%s", doc, byProcedure, byGo)
		}
		exec(t, trial.DB(), "delete from pay_job")
	}
}

func TestKeyThatIsGivenStandsForTheFields(t *testing.T) {
	trial := newTrial(t)
	var got []string
	for _, c := range []struct {
		queue, payload string
		key            any
	}{
		{"ping", "{}", nil}, {"ping", "{}", nil}, {"ping", "{}", "é\"\x01"}, {"ping", "{ }", "é\"\x01"},
	} {
		r, err := enqueue(t.Context(), trial.DB(), c.queue, c.payload, c.key)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%s %t %t", r.JobID[14:15], r.Duplicate, r.SamePayload))
	}
	if want := []string{"7 false true", "7 false true", "8 false true", "8 true false"}; !slices.Equal(got, want) {
		t.Errorf("versions, duplicates and same payloads %q, want %q", got, want)
	}
	var key string
	if err := trial.DB().QueryRow("select max(idempotency_key) from pay_job").Scan(&key); err != nil || key != `["é\"\u0001"]` {
		t.Errorf("%s, %v", key, err)
	}
}

func TestProcedureRefusesWhatNoWorkerCouldTake(t *testing.T) {
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
		{"", "the payload is no JSON"},
		{"{", "the payload is no JSON"},
		{`{"text": "\ud800"}`, "the payload is no JSON"},
		{"null", "the payload is no JSON object, but null"},
		{"[]", "the payload is no JSON object, but array"},
		{with("text", ""), `the payload lacks the field "text": `},
		{with("text", "null"), `the payload lacks the field "text": `},
		{with("text", "1"), `the field "text" of the payload is not of type string: its JSON type is integer`},
		{with("text", `""`), `the field "text" of the idempotency key is empty: `},
		{with("colour", `""`), `the field "colour" of the idempotency key is empty: `},
		{with("order_id", `"6BA7B810-9DAD-11D1-80B4-00C04FD430C8"`), `the field "order_id" of the payload is not of type uuid: `},
		{with("order_id", `"6ba7b810-9dad-11d1-80b4-00c04fd430c8\n"`), `the field "order_id" of the payload is not of type uuid: `},
		{with("count", "1.0"), `the field "count" of the payload is not of type integer: `},
		{with("count", "1e3"), `the field "count" of the payload is not of type integer: `},
		{with("count", `"1"`), `the field "count" of the payload is not of type integer: `},
		{with("total_cents", "9223372036854775808"), `the field "total_cents" of the payload is not of type integer: `},
		{with("total_cents", "-9223372036854775809"), `the field "total_cents" of the payload is not of type integer: `},
		{with("total_cents", "92233720368547758070000"), `the field "total_cents" of the payload is not of type integer: `},
		{with("urgent", `"true"`), `the field "urgent" of the payload is not of type boolean: `},
		{with("due_at", `"tomorrow"`), `the field "due_at" of the payload is not of type time: `},
		{with("due_at", `"ééé"`), `the field "due_at" of the payload is not of type time: `},
		{with("due_at", `"2026-01-31 09:30:00Z"`), `the field "due_at" of the payload is not of type time: `},
		{with("due_at", `"2026-01-31T09:30:00"`), `the field "due_at" of the payload is not of type time: `},
		{with("due_at", `"2026-01-31T09:30:00Z\n"`), `the field "due_at" of the payload is not of type time: `},
		{with("due_at", `"2026-02-29T09:30:00Z"`), `the field "due_at" of the payload is not of type time: `},
		{with("due_at", `"2026-01-31T24:00:00Z"`), `the field "due_at" of the payload is not of type time: `},
		{with("due_at", `"0000-01-01T00:00:00Z"`), `the field "due_at" of the payload is not of type time: `},
		{with("due_at", `"0001-01-01T00:00:00+01:00"`), `the field "due_at" of the payload is not of type time: `},
		{with("due_at", `"0001-01-01T01:00:00+01:00"`), `the field "due_at" of the idempotency key is empty: `},
		{with("urgent", `true, "Urgent": true`), `the payload has a field "Urgent" that retry.yaml does not have for this queue`},
		{with("urgent", `true, "text\",\"urgent": true`), `the payload has a field "text\",\"urgent" that retry.yaml does not have for this queue`},
		{with("urgent", `true, "urgent": false`), "the payload has a field twice"},
	} {
		_, err := enqueue(t.Context(), trial.DB(), "every_key", c.payload, nil)
		wantRefused(t, c.payload, err, c.want)
	}
	_, err := enqueue(t.Context(), trial.DB(), "ping", "{}", "")
	wantRefused(t, "an empty key", err, `the field "key" of the idempotency key is empty: `)
	_, err = enqueue(t.Context(), trial.DB(), "ping", `{"a": 1}`, nil)
	wantRefused(t, "a field of a queue that has none", err, `the payload has a field "a" that retry.yaml does not have for this queue`)
	if _, err := enqueue(t.Context(), trial.DB(), "every_key", with("due_at", `"2024-02-29T23:59:59.999999999-23:59"`), nil); err != nil {
		t.Errorf("the last moment of a leap day: %v", err)
	}
}

// wantRefused wants an error that begins with a message, and says what to do where that ends with a colon.
func wantRefused(t *testing.T, what string, err error, message string) {
	t.Helper()
	var e *mysql.MySQLError
	if !errors.As(err, &e) || string(e.SQLState[:]) != "22023" || !strings.HasPrefix(e.Message, message) || strings.HasSuffix(message, ": ") != (len(e.Message) > len(message)) {
		t.Errorf("%s: %v, want %s", what, err, message)
	}
}

func TestProcedureCalledFiftyTimesAtOnceMakesOneJob(t *testing.T) {
	trial := newTrial(t)
	receipts, errs := make([]jobs.Receipt, 50), make([]error, 50)
	var all sync.WaitGroup
	for i := range receipts {
		all.Go(func() {
			receipts[i], errs[i] = enqueue(t.Context(), trial.DB(), "ping", "{"+strings.Repeat(" ", i%2)+"}", "a")
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
	if err := trial.DB().QueryRow("select count(*) from pay_job").Scan(&rows); err != nil || rows != 1 || made != 1 {
		t.Errorf("%d jobs, %d callers that made one, %v", rows, made, err)
	}
}

func TestProcedureGoesWithTheCallersTransaction(t *testing.T) {
	trial := newTrial(t)
	tx := begin(t, trial.DB(), sql.LevelDefault)
	if _, err := enqueue(t.Context(), tx, "ping", "{}", "a"); err != nil {
		t.Fatal(err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	old := begin(t, trial.DB(), sql.LevelRepeatableRead)
	if rows, err := old.Query("select * from pay_job"); err != nil || rows.Close() != nil { // what it sees is settled
		t.Fatal(err)
	}
	if r, err := enqueue(t.Context(), trial.DB(), "ping", "{}", "a"); err != nil || r.Duplicate {
		t.Errorf("the job that was rolled back is there: %+v, %v", r, err)
	}
	if r, err := enqueue(t.Context(), old, "ping", "{}", "a"); err != nil || !r.Duplicate || r.State != "scheduled" || !r.SamePayload {
		t.Errorf("a job that the transaction does not see: %+v, %v", r, err)
	}
}

// An index of the product's own can refuse a row, and that is no duplicate.
func TestProcedureTellsOfAnotherIndexThatRefusesTheRow(t *testing.T) {
	trial := newTrial(t)
	exec(t, trial.DB(), "create unique index one_of_each on pay_job (queue)")
	if _, err := enqueue(t.Context(), trial.DB(), "ping", "{}", "a"); err != nil {
		t.Fatal(err)
	}
	_, err := enqueue(t.Context(), trial.DB(), "ping", "{}", "b")
	if e := new(mysql.MySQLError); !errors.As(err, &e) || string(e.SQLState[:]) != "23000" || !strings.Contains(e.Message, "one_of_each") {
		t.Error(err)
	}
}

// A procedure works by the rules that its script has set, whatever a session or the database has.
func TestProcedureDoesNotDependOnTheSession(t *testing.T) {
	trial := newTrial(t)
	var database string
	if err := trial.DB().QueryRow("select database()").Scan(&database); err != nil {
		t.Fatal(err)
	}
	conn, err := trial.DB().Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	for _, s := range []string{"set sql_mode = 'ANSI,NO_BACKSLASH_ESCAPES'", "set time_zone = '+05:45'", "set collation_connection = utf8mb4_unicode_ci", "use information_schema"} {
		if _, err := conn.ExecContext(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	doc := `{"merchant": "` + merchant + `", "account": "\\\"\u0007", "amount": 1, "due": "2026-03-04T05:06:07+05:45"}`
	var id, due, key string
	var fresh bool
	if err := conn.QueryRowContext(t.Context(), "call "+database+".pay_enqueue_payout(?, null)", doc).Scan(&id, new(bool), new(string), new(bool)); err != nil {
		t.Fatal(err)
	}
	err = trial.DB().QueryRow("select cast(due as char), idempotency_key, timestampdiff(second, created_at, utc_timestamp()) < 60 from pay_job where job_id = ?", id).Scan(&due, &key, &fresh)
	if err != nil || due != "2026-03-03 23:21:07.000000" || key != `["`+merchant+`","\\\"\u0007",1]` || !fresh {
		t.Error(due, key, fresh, err)
	}
	_ = conn.Raw(func(any) error { return driver.ErrBadConn }) // no other may have this session
}

func TestWorkerRunsTheJobThatAProcedureMade(t *testing.T) {
	trial := newTrial(t)
	payload := `{"lines":[{"cents":-5}],  "merchant":"` + merchant + `","account":"a","amount":1}`
	r, err := enqueue(t.Context(), trial.DB(), "payout", payload, nil)
	if err != nil {
		t.Fatal(err)
	}
	trial.Advance(time.Hour) // the procedure goes by the server's clock
	ran := trial.RunDue(t.Context(), jobs.PayoutWorker(func(_ context.Context, job *jobs.Job[jobs.Payout]) error {
		if p := job.Payload; job.ID != r.JobID || job.IdempotencyKey != `["`+merchant+`","a",1]` || p.Lines[0].Cents != -5 || *p.Plan != `it's \ $$ "é"` || *p.Urgent {
			t.Errorf("%+v", job)
		}
		return nil
	}))
	if ledger := trial.Ledger(r.JobID); ran != 1 || len(ledger) != 1 || ledger[0].Outcome != "ok" {
		t.Errorf("%d runs, ledger %+v", ran, ledger)
	}
	again, err := enqueue(t.Context(), trial.DB(), "payout", payload, nil)
	if want := (jobs.Receipt{JobID: r.JobID, Duplicate: true, State: "done", SamePayload: true}); err != nil || again != want {
		t.Errorf("%+v, %v, want %+v", again, err, want)
	}
}
