package worker

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

func TestLeasesAreRenewedWhileHandlersHoldAllConnections(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	id := h.enqueue(note{}).JobID
	h.begin(h.token)
	h.store.listen(t.Context())
	most := h.store.db.Stats().MaxOpenConnections
	for range most - 1 {
		conn, err := h.store.db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
	}
	if open := h.store.db.Stats().InUse; open != most {
		t.Fatalf("%d of %d connections are in use", open, most)
	}
	got, err := h.store.renew(t.Context(), 10*time.Second, []leased{{id, 1, 60000}}, h.token)
	if err != nil || !got[id].renewed {
		t.Errorf("%v (%v)", got, err)
	}
}

func TestConnectionOfTheLeasesIsReplacedWhenItHasDied(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	id := h.enqueue(note{}).JobID
	h.begin(h.token)
	h.store.listen(t.Context())
	h.kill()
	got, err := h.store.renew(t.Context(), 10*time.Second, []leased{{id, 1, 60000}}, h.token)
	if err != nil || !got[id].renewed {
		t.Errorf("%v (%v)", got, err)
	}
}

// kill ends all connections of the store but the one that it is done on, as a restart of the server does.
func (h *harness) kill() {
	h.Helper()
	conn, err := h.store.db.Conn(h.Context())
	if err != nil {
		h.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	rows, err := conn.QueryContext(h.Context(), "select id from information_schema.processlist where db = database() and id <> connection_id()")
	if err != nil {
		h.Fatal(err)
	}
	var ids []int
	for rows.Next() {
		var id int
		if err := rows.Scan(&id); err != nil {
			h.Fatal(err)
		}
		ids = append(ids, id)
	}
	for _, id := range ids {
		if _, err := conn.ExecContext(h.Context(), fmt.Sprintf("kill %d", id)); err != nil {
			h.Fatal(err)
		}
	}
	if len(ids) == 0 {
		h.Fatal("there was nothing to kill")
	}
}

func TestKilledConnectionsLoseNothing(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(errBroken))
	id := h.enqueue(note{}).JobID
	h.start(h.lanes[0], h.begin(h.token)[0])
	h.unwritten = append(h.unwritten, <-h.ended)
	other, release := h.beginTx() // so that there is more than one
	if err := execTx(t.Context(), other, "select 1"); err != nil {
		t.Fatal(err)
	}
	h.kill()
	release()
	for range 2 {
		h.turn(t.Context(), true)
	}
	h.wantLedger(id, "1 transient unmatched retry")
}

func TestEffectsRunAgainWhereTheirTransactionCannotBeOrdered(t *testing.T) {
	runs := 0
	h := newHarness(t, notePolicy(), func(_ context.Context, job *Job[note]) error {
		job.OnCommit(func(ctx context.Context, tx Tx) error {
			if err := insertsEffect(ctx, tx); err != nil {
				return err
			}
			if runs++; runs < 3 {
				return execTx(ctx, tx, fmt.Sprintf("signal sqlstate 'HY000' set mysql_errno = %d", []int{deadlock, lockWaitTimeout}[runs-1]))
			}
			return nil
		})
		return nil
	})
	h.exec("create table effect (attempt integer)")
	id := h.enqueue(note{}).JobID
	h.runDue()
	h.wantLedger(id, "1 ok done")
	if got := h.strings("select attempt from effect"); len(got) != 1 || runs != 3 {
		t.Errorf("%d effects after %d runs", len(got), runs)
	}
}

// Two transactions that take two rows in opposite order: the server ends one of them, whichever it likes.
func TestEffectInADeadlockIsDoneOnceAllTheSame(t *testing.T) {
	runs := 0
	var meet func()
	h := newHarness(t, notePolicy(), func(_ context.Context, job *Job[note]) error {
		job.OnCommit(func(ctx context.Context, tx Tx) error {
			if err := execTx(ctx, tx, "update account set balance = balance + 1 where id = 1"); err != nil {
				return err
			}
			if runs++; runs == 1 {
				meet()
			}
			return execTx(ctx, tx, "update account set balance = balance + 1 where id = 2")
		})
		return nil
	})
	h.exec("create table account (id integer primary key, balance integer)")
	h.exec("insert into account values (1, 0), (2, 0)")
	h.exec("create table ballast (id integer auto_increment primary key)") // the lighter transaction is the victim
	ended := make(chan error, 1)
	meet = func() {
		tx, _ := h.beginTx()
		for range 20 {
			if err := execTx(h.Context(), tx, "insert into ballast values ()"); err != nil {
				t.Fatal(err)
			}
		}
		if err := execTx(h.Context(), tx, "update account set balance = balance + 10 where id = 2"); err != nil {
			t.Fatal(err)
		}
		go func() {
			err := execTx(context.Background(), tx, "update account set balance = balance + 10 where id = 1")
			ended <- errors.Join(err, tx.Commit())
		}()
	}
	id := h.enqueue(note{}).JobID
	h.runDue()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	h.wantLedger(id, "1 ok done")
	if got := h.strings("select balance from account"); fmt.Sprint(got) != "[11 11]" || runs != 2 {
		t.Errorf("balances %v after %d runs", got, runs)
	}
}

func TestEffectThatEndsItsTransactionByAStatementIsAnEndOfTheAttempt(t *testing.T) {
	for statement, want := range map[string]string{"commit": "1 ok done", "rollback": "1 transient unmatched retry"} { // which a deadlock does too
		h := newHarness(t, notePolicy(), func(_ context.Context, job *Job[note]) error {
			job.OnCommit(func(ctx context.Context, tx Tx) error { return execTx(ctx, tx, statement) })
			return nil
		})
		id := h.enqueue(note{}).JobID
		h.runDue()
		h.wantLedger(id, want)
		if got := h.strings("select error_detail from " + ledgerTable + " where error_detail not like '%its transaction was rolled back%'"); len(got) != 0 {
			t.Errorf("%s: detail %q", statement, got)
		}
	}
}

func TestEffectWhoseConnectionIsLostRunsAgain(t *testing.T) {
	for lost, want := range map[int]string{2: "1 ok done", tries: "1 transient unmatched retry"} {
		runs := 0
		h := newHarness(t, notePolicy(), func(_ context.Context, job *Job[note]) error {
			job.OnCommit(func(ctx context.Context, tx Tx) error {
				if runs++; runs <= lost {
					_ = execTx(ctx, tx, "kill connection_id()")
				}
				return insertsEffect(ctx, tx)
			})
			return nil
		})
		h.exec("create table effect (attempt integer)")
		id := h.enqueue(note{}).JobID
		h.runDue()
		h.wantLedger(id, want)
		if got := h.strings("select attempt from effect"); len(got) != min(1, tries-lost) || runs != min(lost+1, tries) {
			t.Errorf("%d effects after %d runs", len(got), runs)
		}
	}
}

func TestEnqueueSeesAKeyThatItsTransactionDoesNot(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	tx, err := h.store.db.BeginTx(t.Context(), &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	if err := execTx(t.Context(), tx, "select 1 from "+jobTable); err != nil { // from here on it sees no other's rows
		t.Fatal(err)
	}
	first := h.enqueue(note{Key: "k"})
	receipts, err := enqueueMany(t.Context(), h.store, tx, h.queue, []note{{Key: "k"}, {Key: "new"}})
	if err != nil {
		t.Fatal(err)
	}
	if want := (Receipt{JobID: first.JobID, Duplicate: true, State: "scheduled", SamePayload: true}); receipts[0] != want || receipts[1].Duplicate {
		t.Errorf("receipts %+v", receipts)
	}
}

func TestEnqueueTakesATransactionOfAnotherPool(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	config := scratchDatabase(t)
	config.DBName = h.strings("select database()")[0]
	db, err := sql.Open("mysql", config.FormatDSN())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := enqueueMany(t.Context(), h.store, tx, h.queue, []note{{Key: "a"}, {}}); err != nil {
		t.Error(err)
	}
	if err := tx.Commit(); err != nil {
		t.Error(err)
	}
	if n := h.runDue(); n != 2 {
		t.Errorf("%d ran", n)
	}
}

func TestSameKeysInOppositeOrderMakeNoDeadlock(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	var keys []note
	for i := range 200 {
		keys = append(keys, note{Key: fmt.Sprint(i)})
	}
	reversed := slices.Clone(keys)
	slices.Reverse(reversed)
	for range 10 {
		ended := make(chan error)
		fresh := make(chan int, 2)
		for _, payloads := range [][]note{keys, reversed} {
			go func() {
				receipts, err := enqueueMany(context.Background(), h.store, nil, h.queue, payloads)
				n := 0
				for _, r := range receipts {
					if !r.Duplicate {
						n++
					}
				}
				fresh <- n
				ended <- err
			}()
		}
		for range 2 {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
		if n := <-fresh + <-fresh; n != len(keys) {
			t.Errorf("%d new jobs", n)
		}
		h.exec("delete from " + jobTable)
	}
}

func TestLargePayloadsAreEnqueuedInPartsAndComeBackWhole(t *testing.T) {
	var got []string
	h := newHarness(t, notePolicy(), func(_ context.Context, job *Job[note]) error { got = append(got, job.Payload.Text); return nil })
	text := strings.Repeat("\"\\\x00\u2028😀é' ", 40_000)
	if _, err := enqueueMany(t.Context(), h.store, nil, h.queue, []note{{Text: text}, {Text: text}, {Text: text}}); err != nil {
		t.Fatal(err)
	}
	h.runDue()
	if !slices.Equal(got, []string{text, text, text}) {
		t.Errorf("%d payloads, or not those that were enqueued", len(got))
	}
}

func TestTenantThatWouldBeCutShortIsRefused(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	for n, want := range map[int]bool{longestText: true, longestText + 1: false} {
		j, err := newJobOf(h.queue, note{})
		if err != nil {
			t.Fatal(err)
		}
		j.Tenant = strings.Repeat("a", n)
		if _, _, err := h.store.enqueue(t.Context(), nil, []newJob{j}); (err == nil) != want {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

func TestSessionsThatWouldBreakPromisesAreRefused(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	for setting, value := range map[string]string{"sql_mode": "''", "charset": "latin1"} {
		config := scratchDatabase(t)
		config.DBName = h.strings("select database()")[0]
		dsn := config.FormatDSN()
		db, err := sql.Open("mysql", dsn+map[bool]string{true: "&", false: "?"}[strings.Contains(dsn, "?")]+setting+"="+value)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := New(t.Context(), db); err == nil || !strings.Contains(err.Error(), setting) {
			t.Errorf("%s=%s: error %v", setting, value, err)
		}
		_ = db.Close()
	}
	h.store.db.SetMaxOpenConns(1)
	if _, err := New(t.Context(), h.store.db); err == nil || !strings.Contains(err.Error(), "one connection") {
		t.Errorf("error %v", err)
	}
}

func TestServersThatAreTooOldAreRefused(t *testing.T) {
	for version, want := range map[string]bool{
		"8.0.15": false, "8.0.16": true, "8.4.3-log": true, "9.1.0": true, "5.7.44": false, "10.11.19-MariaDB-0+deb12u1": true, "5.5.5-10.6.12-MariaDB": true,
		"5.5.5-10.5.9-MariaDB": false, "11.4.2-MariaDB": true, "unknown": false,
	} {
		if recent(version) != want {
			t.Errorf("%s: %t", version, !want)
		}
	}
}

func TestErrorsOfTheDatabaseAreNoRowsFault(t *testing.T) {
	for n, want := range map[uint16]bool{0: true, 1053: true, deadlock: true, lockWaitTimeout: true, 1290: true, 1114: true, duplicateEntry: false, 1406: false, 4025: false, 3819: false, 1644: false} {
		err := errors.New("the connection is gone")
		if n != 0 {
			err = &mysql.MySQLError{Number: n}
		}
		if got := away(fmt.Errorf("wrapped: %w", err)); got != want {
			t.Errorf("%d: %t", n, got)
		}
	}
	if away(errAstray) {
		t.Error("rows that do not follow their ledger are taken for an outage")
	}
}

// The statistics are those of an empty queue in the first round.
func TestEveryAccessToTheJobTableIsByIndex(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	text := newStore(h.store.db, statements, mysqlClock).text
	ids := make([]string, 500)
	results := make([]result, len(ids))
	leases := make([]leased, len(ids))
	for i := range ids {
		ids[i] = randomID()
		results[i] = result{JobID: ids[i], Attempt: 1, Token: "p", Next: []string{"gone", "done", "scheduled"}[i%3]}
		leases[i] = leased{ids[i], 1, 1000}
	}
	queues, at := document{[]string{"notes"}}, "2026-01-01 00:00:00.000000"
	for _, rows := range []int{0, 20000} {
		jobs := make([]note, rows)
		if _, err := enqueueMany(t.Context(), h.store, nil, h.queue, jobs); err != nil {
			t.Fatal(err)
		}
		h.exec("update " + jobTable + " set state = 'done' where job_id > (select mid from (select max(job_id) as mid from " + jobTable + " where job_id < '8') as m)")
		for name, c := range map[string]struct {
			query string
			args  []any
		}{
			"existing": {text.existing, []any{document{ids}}}, "existingNow": {text.existingNow, []any{document{ids}}}, "due": {text.due, []any{queues}},
			"claim": {text.claim, []any{false, "notes", 500}}, "begin": {text.begin, []any{document{ids}, "p", "w", 1}},
			"fence": {text.fence, []any{document{results}}}, "finishLedger": {text.finishLedger, []any{at, document{results}}},
			"finishDelete": {text.finishDelete, []any{document{results}}}, "finishJob": {text.finishJob, []any{document{results}, at, at}},
			"finishBack": {text.finishBack, []any{document{results}, at}}, "recorded": {text.recorded, []any{document{results}, "p"}},
			"ours": {text.ours, []any{document{ids}, "p"}}, "held": {text.held, []any{"p"}}, "lock": {text.lock, []any{document{ids}, "p"}}, "renew": {text.renew, []any{document{leases}}},
			"company": {text.company, []any{document{ids}}}, "expired": {text.expired, []any{queues}}, "leases": {text.leases, nil}, "stats": {text.stats, nil}, "dead": {text.dead, nil},
		} {
			for _, step := range h.plan(c.query, c.args) {
				whole := step["type"] == "ALL" || step["type"] == "index" && step["key"] == "PRIMARY"
				if whole && slices.Contains([]string{"j", "a", jobTable, ledgerTable}, step["table"]) {
					t.Errorf("%s, %d rows: %v", name, rows, step)
				}
				if slices.Contains([]string{"claim", "expired"}, name) && strings.Contains(step["Extra"], "filesort") {
					t.Errorf("%s, %d rows, locks more than it takes: %v", name, rows, step)
				}
			}
		}
	}
}

// plan is how the server goes about a statement, step by step.
func (h *harness) plan(query string, args []any) (steps []map[string]string) {
	h.Helper()
	rows, err := h.store.db.QueryContext(h.Context(), "explain "+query, args...)
	if err != nil {
		h.Fatalf("%v\n%s", err, query)
	}
	defer func() { _ = rows.Close() }()
	names, err := rows.Columns()
	if err != nil {
		h.Fatal(err)
	}
	for rows.Next() {
		values, into := make([]sql.NullString, len(names)), make([]any, len(names))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			h.Fatal(err)
		}
		step := map[string]string{}
		for i, name := range names {
			step[name] = values[i].String
		}
		steps = append(steps, step)
	}
	return steps
}
