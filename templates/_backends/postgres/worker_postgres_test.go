package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

func TestLeasesAreRenewedWhileHandlersHoldAllConnections(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	id := h.enqueue(note{}).JobID
	h.begin(h.token)
	h.store.listen(t.Context())
	for range h.store.pool.Config().MaxConns {
		conn, err := h.store.pool.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Release()
	}
	got, err := h.store.renew(t.Context(), 10*time.Second, []leased{{id, 1, 60000}}, h.token)
	if err != nil || !got[id].renewed {
		t.Errorf("%v (%v)", got, err)
	}
}

func TestEnqueueWakesOtherProcesses(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	other := newStore(h.store.pool, statements, postgresClock)
	wake := other.listen(t.Context())
	<-wake // it listens from now on
	h.enqueue(note{})
	select {
	case <-wake:
	case <-time.After(10 * time.Second):
		t.Error("it was not woken")
	}
}

func TestKilledConnectionsLoseNothing(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(errBroken))
	id := h.enqueue(note{}).JobID
	h.start(h.lanes[0], h.begin(h.token)[0])
	h.unwritten = append(h.unwritten, <-h.ended)
	for _, conn := range h.store.pool.AcquireAllIdle(t.Context()) {
		if err := conn.Conn().PgConn().Conn().Close(); err != nil {
			t.Fatal(err)
		}
		conn.Release() // the pool does not know yet
	}
	for range 2 {
		h.turn(t.Context(), true)
	}
	h.wantLedger(id, "1 transient unmatched retry")
}

func TestEnqueueBesideAKeyThatTheTransactionCannotSeeIsAnError(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	tx, err := h.store.pool.BeginTx(t.Context(), pgx.TxOptions{IsoLevel: pgx.RepeatableRead})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.Background()) }()
	if err := execTx(t.Context(), tx, "select from "+jobTable); err != nil { // from here on it sees no other's rows
		t.Fatal(err)
	}
	h.enqueue(note{Key: "k"})
	receipt, err := enqueueOne(t.Context(), h.store, tx, h.queue, note{Key: "k"})
	var refused *pgconn.PgError
	if !errors.As(err, &refused) || refused.Code != "40001" {
		t.Errorf("receipt %+v, error %v", receipt, err)
	}
}

func TestSameKeysInOppositeOrderMakeNoDeadlock(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	config := h.store.pool.Config()
	config.ConnConfig.RuntimeParams["lock_timeout"] = "0" // whichever comes second waits
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	store := newStore(pool, statements, postgresClock)
	var keys []note
	for i := range 200 {
		keys = append(keys, note{Key: fmt.Sprint(i)})
	}
	reversed := slices.Clone(keys)
	slices.Reverse(reversed)
	for range 10 {
		ended := make(chan error)
		for _, payloads := range [][]note{keys, reversed} {
			go func() {
				_, err := enqueueMany(context.Background(), store, nil, h.queue, payloads)
				ended <- err
			}()
		}
		for range 2 {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
		h.exec("delete from " + jobTable)
	}
}

func TestTextThatCannotBeStoredIsRefusedByItsName(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	j, err := newJobOf(h.queue, note{Text: "\x00"}) // the payload is bytes, and can have it
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		tenant  string
		columns map[string]any
		want    string
	}{
		{"t", nil, ""}, {"a\x00b", nil, "tenant_id"}, {"t", map[string]any{"merchant": "a\x00"}, "merchant"}, {"t", map[string]any{"merchant": `a\u0000`}, ""},
	} {
		j.JobID, j.Tenant, j.Columns = randomID(), c.tenant, c.columns
		_, _, err := h.store.enqueue(t.Context(), nil, []newJob{j})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), "column "+c.want+" has a NUL") {
			t.Errorf("%+v: error %v", c, err)
		}
	}
}

func TestSessionsThatWouldBreakPromisesAreRefused(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	for setting, value := range map[string]string{"default_transaction_isolation": "serializable", "default_transaction_read_only": "on"} {
		config := h.store.pool.Config()
		config.ConnConfig.RuntimeParams[setting] = value
		pool, err := pgxpool.NewWithConfig(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := New(t.Context(), pool); err == nil || !strings.Contains(err.Error(), setting) {
			t.Errorf("%s=%s: error %v", setting, value, err)
		}
		pool.Close()
	}
}

func TestErrorsOfTheDatabaseAreNoRowsFault(t *testing.T) {
	for code, want := range map[string]bool{"": true, "57P01": true, "40P01": true, "25006": true, "53100": true, "55P03": true, "22P05": false, "23514": false, "P0001": false} {
		err := errors.New("the connection is gone")
		if code != "" {
			err = &pgconn.PgError{Code: code}
		}
		if got := away(fmt.Errorf("wrapped: %w", err)); got != want {
			t.Errorf("%q: %t", code, got)
		}
	}
}

func TestRefusedConnectionIsNoRowsFault(t *testing.T) {
	config := newHarness(t, notePolicy(), fails(nil)).store.pool.Config()
	config.ConnConfig.Database = "no_such_database"
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	var refused *pgconn.PgError
	if err := pool.Ping(t.Context()); !errors.As(err, &refused) || !away(err) {
		t.Errorf("error %v", err)
	}
}

func TestStoreThatIsClosedUnderItsWorkerLosesNothing(t *testing.T) {
	p := notePolicy()
	p.grace = 50 * time.Millisecond
	started, release := make(chan struct{}), make(chan struct{})
	h := newHarness(t, p, func(context.Context, *Job[note]) error { close(started); <-release; return nil })
	store := newStore(h.store.pool, statements, "(select to_timestamp(ms / 1000.0) from test_clock)")
	var err error
	if store.pool, err = pgxpool.NewWithConfig(t.Context(), h.store.pool.Config()); err != nil {
		t.Fatal(err)
	}
	id := h.enqueue(note{}).JobID
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- Run(ctx, store, h.lanes[0].worker) }()
	<-started
	if err := store.Close(); err != nil {
		t.Error(err)
	}
	close(release)
	stop()
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "could not be written") {
		t.Errorf("error %v", err)
	}
	h.wantLedger(id)
	h.wantState(id, "running")
}

// A plan that was made for an empty queue is still in use when it has become a full one.
func TestEveryAccessToTheJobTableIsByIndex(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	h.exec("vacuum analyze " + jobTable)
	h.exec("vacuum analyze " + ledgerTable)
	ids := make([]string, 500)
	attempts, results := make([]int, len(ids)), make([]result, len(ids))
	for i := range ids {
		ids[i] = randomID()
		attempts[i] = 1
		results[i] = result{JobID: ids[i], Attempt: 1, Token: "p", Next: "scheduled", PutBack: i%2 == 0}
	}
	text, queues := h.store.text, literal(t, []string{"notes"})
	array := strings.NewReplacer("[", "{", "]", "}", `"`, "")
	idArray := array.Replace(literal(t, ids))
	fences := idArray + ", " + array.Replace(literal(t, attempts)) + ", 'p', 'p1'"
	traceparents := ""
	//retryc:if observed_otel
	traceparents = ", '{}'"
	//retryc:end
	for _, rows := range []int{0, 20000} {
		h.exec(fmt.Sprintf("insert into %s (job_id, queue, payload, payload_sha256, schema_hash, policy_hash, created_at, next_run_at) "+
			"select gen_random_uuid(), 'notes', '', '', 's1', 'p1', now(), now() from generate_series(1, %d)", jobTable, rows))
		for name, c := range map[string]struct{ query, args string }{
			"enqueue": {text.enqueue, "'notes', 's1', 'p1', " + strings.Repeat(idArray+", ", 2) + "'{}', '{}', '{}', '{}', '{}'" + traceparents}, "existing": {text.existing, idArray}, "due": {text.due, queues},
			"claim": {text.claim, "'notes', 500, 'p', 'w', 1"}, "claimAlone": {text.claimAlone, "'notes', 1, 'p', 'w', 1"},
			"finishGone": {text.finishGone, fences}, "finishDone": {text.finishDone, fences}, "finish": {text.finish, literal(t, results)}, "recorded": {text.recorded, literal(t, results) + ", 'p'"}, "renew": {text.renew, literal(t, ids) + ", 'p', 1"},
			"company": {text.company, queues}, "expired": {text.expired, queues}, "stats": {text.stats, ""}, "dead": {text.dead, ""},
			//retryc:if broker
			"claimNamed": {strings.ReplaceAll(announcing.claimNamed, "{now}", h.store.clock), "'notes', " + idArray + ", 'p', 'w', 1, " + strings.Repeat(array.Replace(literal(t, attempts))+", ", 2) + idArray + ", " + array.Replace(literal(t, attempts)) + ", " + idArray + ", false"},
			"admit":      {strings.ReplaceAll(announcing.admit, "{now}", h.store.clock), "'notes', 's1', 'p1', " + strings.Repeat(idArray+", ", 2) + "'{}', '{}', '{}', '{}', '{}'" + traceparents},
			"late":       {announcing.late, idArray},
			"named":      {strings.ReplaceAll(announcing.named, "{now}", h.store.clock), idArray},
			//retryc:end

			//retryc:if observed
			"fingerprints": {strings.ReplaceAll(observing.fingerprints, "{now}", h.store.clock), ""},
			//retryc:end

			//retryc:if broker_message
			"fill": {carrying.fill, idArray + ", '{}', '{}'"},
			//retryc:end
		} {
			for _, mode := range []string{"force_generic_plan", "force_custom_plan"} {
				steps := append(h.plan(c.query, c.args, mode), "")
				for i, step := range steps[:len(steps)-1] {
					whole := strings.Contains(step, "Scan") && strings.Contains(step, "_pkey") && !strings.Contains(steps[i+1], "Index Cond")
					if whole || strings.Contains(step, "Seq Scan on "+jobTable+" ") || strings.Contains(step, "Seq Scan on "+ledgerTable+" ") {
						t.Errorf("%s, %d rows, %s: %s", name, rows, mode, step)
					}
				}
			}
		}
	}
}

func literal(t *testing.T, v any) string {
	doc, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return "'" + strings.ReplaceAll(string(doc), "'", "''") + "'"
}

// plan is how PostgreSQL goes about a statement, step by step.
func (h *harness) plan(query, args, mode string) (steps []string) {
	h.Helper()
	tx, rollBack := h.beginTx()
	defer rollBack()
	if args != "" {
		args = "(" + args + ")"
	}
	for _, s := range []string{"set local plan_cache_mode = " + mode, byIndex, "prepare planned as " + query} {
		if err := execTx(h.Context(), tx, s); err != nil {
			h.Fatalf("%v\n%s", err, s)
		}
	}
	rows, err := tx.Query(h.Context(), "explain execute planned"+args)
	if err != nil {
		h.Fatal(err)
	}
	steps, err = pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		h.Fatal(err)
	}
	if err := execTx(h.Context(), tx, "deallocate planned"); err != nil {
		h.Fatal(err)
	}
	return steps
}

func TestEnqueueChangesNoSettingOfTheCallersTransaction(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	h.enqueue(note{Key: "there"})
	tx, rollBack := h.beginTx()
	defer rollBack()
	if err := execTx(t.Context(), tx, "set local enable_nestloop = off"); err != nil {
		t.Fatal(err)
	}
	settings := func() (all string) {
		t.Helper()
		if err := tx.QueryRow(t.Context(), "select string_agg(name || '=' || setting, ' ' order by name) from pg_settings where name in ('enable_nestloop', 'enable_seqscan', 'jit')").Scan(&all); err != nil {
			t.Fatal(err)
		}
		return all
	}
	before := settings()
	receipts, err := enqueueMany(t.Context(), h.store, tx, h.queue, []note{{Key: "there"}, {Key: "new"}})
	if err != nil || !receipts[0].Duplicate || receipts[1].Duplicate {
		t.Errorf("%+v (%v)", receipts, err)
	}
	if after := settings(); after != before {
		t.Errorf("settings %s, and before %s", after, before)
	}
}
