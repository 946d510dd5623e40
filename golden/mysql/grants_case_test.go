package mysql_test

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/retryc/retryc/golden/mysql/jobs"
)

const merchant = "0b7d1f6e-3c52-4a60-9d4e-6f2a8c1b5e90"

func TestAccountsCanDoTheirWorkAndNoMore(t *testing.T) {
	trial := newTrial(t)
	worker, producer, reader, purge := newAccount(t, trial), newAccount(t, trial), newAccount(t, trial), newAccount(t, trial)
	for range 2 { // two deploys
		if err := grant(t, trial, "worker="+worker, "producer="+producer, "reader="+reader, "purge="+purge); err != nil {
			t.Fatal(err)
		}
	}
	enqueues(t, open(t, trial, producer), as(t, trial, producer))
	works(t, trial, open(t, trial, worker))
	purges(t, trial, open(t, trial, purge))

	// The trigger would refuse an UPDATE too. It is out of the way here.
	if _, err := trial.DB().Exec("drop trigger pay_job_attempt_append_only"); err != nil {
		t.Fatal(err)
	}
	change := []string{"update pay_job_attempt set class = null", "update pay_job_attempt set worker = worker where attempt = 1", "delete from pay_job_attempt",
		"truncate table pay_job_attempt", "alter table pay_job_attempt comment 'x'", "drop table pay_job_attempt", "truncate table pay_job",
		"replace into pay_job_attempt select * from pay_job_attempt"}
	wantDenied(t, trial, worker, append(change, "select 1 from pay_dead_letter")...)
	wantDenied(t, trial, producer, append(change, "insert into pay_job_attempt select * from pay_job_attempt", "update pay_job set state = 'done'", "delete from pay_job",
		"select 1 from pay_dead_letter")...)
	wantDenied(t, trial, reader, append(change, "insert into pay_job_attempt select * from pay_job_attempt", "select 1 from pay_job", "delete from pay_dead_letter")...)
	changeRecord := []string{"update pay_job_purge set jobs = 0", "delete from pay_job_purge", "truncate table pay_job_purge"}
	wantDenied(t, trial, purge, append(changeRecord, "update pay_job_attempt set class = null", "insert into pay_job_attempt select * from pay_job_attempt",
		"update pay_job set state = 'done'", "insert into pay_job select * from pay_job", "truncate table pay_job_attempt", "select 1 from pay_dead_letter")...)
	for _, account := range []string{worker, producer, reader} {
		wantDenied(t, trial, account, append(changeRecord, "insert into pay_job_purge select * from pay_job_purge")...)
	}
	_, err := enqueue(t.Context(), as(t, trial, reader), "ping", "{}", nil)
	if e := new(mysql.MySQLError); !errors.As(err, &e) || e.Number != 1370 {
		t.Errorf("a reader enqueues: %v", err)
	}
	for _, table := range []string{"pay_job_attempt", "pay_dead_letter", "pay_job_purge"} {
		var n int
		if err := as(t, trial, reader).QueryRow("select count(*) from " + table).Scan(&n); err != nil || n == 0 {
			t.Errorf("a reader sees %d rows of %s, %v", n, table, err)
		}
	}
}

// enqueues is the life of a producer: through the Go package, and through the procedures.
func enqueues(t *testing.T, store *jobs.Store, db *sql.DB) {
	t.Helper()
	made, err := enqueue(t.Context(), db, "payout", `{"merchant": "`+merchant+`", "account": "enqueued", "amount": 1, "plan": "gold"}`, nil)
	if err != nil {
		t.Fatal(err)
	}
	again, err := jobs.EnqueuePayout(t.Context(), store, payout("enqueued"))
	if err != nil || again.JobID != made.JobID || !again.Duplicate {
		t.Errorf("%+v, %v", again, err)
	}
}

// works is the whole life of a worker, on its account's connections.
func works(t *testing.T, trial *jobs.Trial, store *jobs.Store) {
	t.Helper()
	ids := map[string]string{}
	for _, how := range []string{"crashed", "ok", "retry", "refused", "effect"} {
		r, err := jobs.EnqueuePayout(t.Context(), store, payout(how))
		if err != nil {
			t.Fatal(err)
		}
		ids[how] = r.JobID
	}
	if _, err := trial.DB().Exec(`update pay_job set state = 'running', attempt = 1, started_at = utc_timestamp(6) - interval 1 minute, first_attempt_at = started_at,
		lease_token = 'of a process that died', lease_until = utc_timestamp(6) - interval 1 second, worker = 'gone' where job_id = ?`, ids["crashed"]); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
	defer stop()
	pay := func(_ context.Context, job *jobs.Job[jobs.Payout]) error {
		switch job.Payload.Account {
		case "retry":
			if job.Attempt == 1 {
				return errors.New("once more")
			}
		case "refused":
			return jobs.Permanent(errors.New("refused"))
		case "effect":
			job.OnCommit(func(ctx context.Context, tx jobs.Tx) error {
				r, err := jobs.EnqueueStatementTx(ctx, store, tx, jobs.Statement{Merchant: merchant})
				ids["made by an effect, and long"] = r.JobID
				return err
			})
		}
		return nil
	}
	done := make(chan error, 1)
	go func() {
		done <- jobs.Run(ctx, store, jobs.PayoutWorker(pay), jobs.StatementWorker(func(ctx context.Context, job *jobs.Job[jobs.Statement]) error {
			return untilRenewed(ctx, trial, job.ID)
		}))
	}()
	for left := 1; left > 0 && ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
		if err := trial.DB().QueryRow("select count(*) from pay_job where state in ('scheduled', 'running')").Scan(&left); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	for how, want := range map[string][]string{
		"ok": {"ok done"}, "effect": {"ok done"}, "made by an effect, and long": {"ok done"}, "refused": {"permanent dead"},
		"retry": {"transient retry", "ok done"}, "crashed": {"transient retry", "ok done"},
	} {
		var got []string
		for _, e := range trial.Ledger(ids[how]) {
			got = append(got, e.Outcome+" "+e.Decision)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: ledger %q, want %q", how, got, want)
		}
	}
	var states string
	if err := trial.DB().QueryRow("select group_concat(distinct concat(queue, ' ', state) order by state) from pay_job").Scan(&states); err != nil || states != "payout dead,payout done" {
		t.Errorf("left are %s, %v", states, err)
	}
}

// purges makes all jobs old, and lets the account delete the six that have ended well: two of them at their second attempt.
func purges(t *testing.T, trial *jobs.Trial, store *jobs.Store) {
	t.Helper()
	for _, s := range []string{
		"create table old as select * from pay_job_attempt", "update old set attempted_at = attempted_at - interval 801 day",
		"delete from pay_job_attempt", "insert into pay_job_attempt select * from old", "drop table old",
		"update pay_job set created_at = created_at - interval 801 day",
	} {
		exec(t, trial.DB(), s)
	}
	if done, err := store.Purge(t.Context()); err != nil || done.Jobs != 6 || done.Attempts != 8 {
		t.Errorf("%+v, %v", done, err)
	}
}

// payout is one whose second attempt is soon.
func payout(how string) jobs.Payout {
	plan := "gold"
	return jobs.Payout{Merchant: merchant, Plan: &plan, Account: how, Amount: 1}
}

// untilRenewed waits until the lease of a job has been renewed.
func untilRenewed(ctx context.Context, trial *jobs.Trial, id string) error {
	var first string
	for {
		var until string
		if err := trial.DB().QueryRowContext(ctx, "select cast(lease_until as char) from pay_job where job_id = ?", id).Scan(&until); err != nil {
			return err
		}
		if first == "" {
			first = until
		} else if until > first {
			return nil
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func TestGrantsRefuseAnAccountThatCouldDoMore(t *testing.T) {
	trial := newTrial(t)
	plain := newAccount(t, trial)
	var database string
	if err := trial.DB().QueryRow("select database()").Scan(&database); err != nil {
		t.Fatal(err)
	}
	with := func(right string) string {
		account := newAccount(t, trial)
		exec(t, trial.DB(), "grant "+strings.ReplaceAll(right, "{db}", database)+" to "+quoted(account))
		return account
	}
	role, elsewhere, handsOn := newAccount(t, trial), with("delete on pay_job_attempt"), newAccount(t, trial)
	exec(t, trial.DB(), "create role "+user(role)+"_role")
	exec(t, trial.DB(), "grant "+user(role)+"_role to "+quoted(role))
	exec(t, trial.DB(), "create user "+user(elsewhere)+"@localhost")
	exec(t, trial.DB(), "grant select on pay_job to "+quoted(handsOn)+" with grant option")
	t.Cleanup(func() {
		_, _ = trial.DB().ExecContext(context.Background(), "drop role "+user(role)+"_role")
		_, _ = trial.DB().ExecContext(context.Background(), "drop user "+user(elsewhere)+"@localhost")
	})
	for name, c := range map[string]struct {
		variables []string
		want      string
	}{
		"no account":                   {nil, "no account is named: set @worker, @producer, @reader or @purge"},
		"no such account":              {[]string{"reader=nobody-is-called-so@%"}, "nobody-is-called-so@% is no account"},
		"no host":                      {[]string{"reader=" + user(plain)}, "is no account, as user@host"},
		"an account in two":            {[]string{"worker=" + plain, "producer=" + plain}, user(plain) + " cannot be a "},
		"a role":                       {[]string{"worker=" + role}, role + " has the role " + user(role) + "_role"},
		"rights on the server":         {[]string{"worker=" + with("select, update on *.*")}, "may do more than a worker should: UPDATE on *.*"},
		"rights on the database":       {[]string{"worker=" + with("delete on {db}.*")}, "may do more than a worker should: DELETE on "},
		"rights on databases":          {[]string{"producer=" + with("insert on `retryc\\_trial\\_%`.*")}, "may do more than a producer should: INSERT on "},
		"a right on the ledger":        {[]string{"worker=" + elsewhere}, "may do more than a worker should: DELETE on pay_job_attempt"},
		"one of its name elsewhere":    {[]string{"worker=" + user(elsewhere) + "@localhost"}, "may do more than a worker should: DELETE on pay_job_attempt"},
		"a right on a column":          {[]string{"worker=" + with("update (class) on pay_job_attempt")}, "may do more than a worker should: UPDATE on pay_job_attempt.class"},
		"a right to hand on":           {[]string{"reader=" + handsOn}, "may do more than a reader should: SELECT on pay_job"},
		"a producer that finishes":     {[]string{"producer=" + with("update on pay_job")}, "may do more than a producer should: UPDATE on pay_job"},
		"a reader that changes a view": {[]string{"reader=" + with("delete on pay_dead_letter")}, "may do more than a reader should: DELETE on pay_dead_letter"},
	} {
		if err := grant(t, trial, c.variables...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	var rights int
	if err := trial.DB().QueryRow("select count(*) from information_schema.table_privileges where grantee = ?", quoted(plain)).Scan(&rights); err != nil || rights != 0 {
		t.Errorf("a refused account has %d rights, %v", rights, err)
	}
}

func exec(t *testing.T, db *sql.DB, query string) {
	t.Helper()
	if _, err := db.Exec(query); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}
