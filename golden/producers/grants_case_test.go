package producers_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/retryc/retryc/golden/producers/jobs"
)

func TestRolesCanDoTheirWorkAndNoMore(t *testing.T) {
	trial := newTrial(t)
	worker, producer, reader, purge := newRole(t, trial, "worker"), newRole(t, trial, "producer"), newRole(t, trial, "reader"), newRole(t, trial, "purge")
	for range 2 { // two deploys
		if err := grant(t, trial, "worker="+worker, "producer="+producer, "reader="+reader, "purge="+purge); err != nil {
			t.Fatal(err)
		}
	}
	enqueues(t, as(t, trial, producer))
	works(t, trial, as(t, trial, worker))
	purges(t, trial, purge)

	// The trigger would refuse an UPDATE too. It is out of the way here.
	if _, err := trial.DB().Exec(t.Context(), "alter table pay_job_attempt disable trigger user"); err != nil {
		t.Fatal(err)
	}
	change := []string{"update pay_job_attempt set class = null", "truncate pay_job_attempt", "alter table pay_job_attempt disable trigger user",
		"update pay_job_purge set jobs = 0", "delete from pay_job_purge", "truncate pay_job_purge"}
	wantDenied(t, "purge", as(t, trial, purge), append(change, "insert into pay_job_attempt select * from pay_job_attempt",
		"update pay_job set state = 'done'", "insert into pay_job select * from pay_job", "truncate pay_job", "select from pay_dead_letter")...)
	change = append(change, "delete from pay_job_attempt", "insert into pay_job_purge (jobs) values (1)")
	wantDenied(t, "worker", as(t, trial, worker), append(change, "truncate pay_job", "select from pay_dead_letter")...)
	wantDenied(t, "producer", as(t, trial, producer), append(change, "insert into pay_job_attempt select * from pay_job_attempt",
		"update pay_job set state = 'done'", "delete from pay_job", "select from pay_dead_letter")...)
	wantDenied(t, "reader", as(t, trial, reader), append(change, "insert into pay_job_attempt select * from pay_job_attempt",
		"select from pay_job", "select from pay_enqueue_ping('{}')")...)
	for _, query := range []string{"select from pay_job_attempt", "select from pay_dead_letter", "select from pay_job_purge"} {
		if tag, err := as(t, trial, reader).Exec(t.Context(), query); err != nil || tag.RowsAffected() == 0 {
			t.Errorf("reader: %s: %v, %v", query, tag, err)
		}
	}
}

// enqueues is the life of a producer: through the functions, and through the Go package.
func enqueues(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	made, err := enqueue(t.Context(), pool, "pay_enqueue_payout_created", `{"payout_id": "p", "account": 1, "paid_at": "2026-01-31T09:30:00Z"}`, nil)
	if err != nil {
		t.Fatal(err)
	}
	store, err := jobs.New(t.Context(), pool)
	if err != nil {
		t.Fatal(err)
	}
	again, err := jobs.EnqueuePayoutCreated(t.Context(), store, jobs.PayoutCreated{PayoutID: "p", Account: 1})
	if err != nil || again.JobID != made.JobID || !again.Duplicate {
		t.Errorf("%+v, %v", again, err)
	}
}

// works is the whole life of a worker, on its role's connections.
func works(t *testing.T, trial *jobs.Trial, pool *pgxpool.Pool) {
	t.Helper()
	store, err := jobs.New(t.Context(), pool)
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]string{}
	for _, how := range []string{"crashed", "ok", "retry", "refused", "long", "effect"} {
		r, err := jobs.EnqueueErrand(t.Context(), store, jobs.Errand{How: how})
		if err != nil {
			t.Fatal(err)
		}
		ids[how] = r.JobID
	}
	if _, err := trial.DB().Exec(t.Context(), `update pay_job set state = 'running', attempt = 1, started_at = now() - interval '1 min', first_attempt_at = now() - interval '1 min',
		lease_token = 'of a process that died', lease_until = now() - interval '1 s', worker = 'gone' where job_id = $1`, ids["crashed"]); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
	defer stop()
	errand := func(ctx context.Context, job *jobs.Job[jobs.Errand]) error {
		switch job.Payload.How {
		case "retry":
			if job.Attempt == 1 {
				return errors.New("once more")
			}
		case "refused":
			return jobs.ErrRefused
		case "long":
			return untilRenewed(ctx, trial, job.ID)
		case "effect":
			job.OnCommit(func(ctx context.Context, tx jobs.Tx) error {
				r, err := jobs.EnqueueErrandTx(ctx, store, tx, jobs.Errand{How: "ok"})
				ids["made by an effect"] = r.JobID
				return err
			})
		}
		return nil
	}
	done := make(chan error, 1)
	go func() {
		done <- jobs.Run(ctx, store, jobs.ErrandWorker(errand),
			jobs.PayoutCreatedWorker(func(context.Context, *jobs.Job[jobs.PayoutCreated]) error { return nil }))
	}()
	for left := 1; left > 0 && ctx.Err() == nil; time.Sleep(10 * time.Millisecond) {
		if err := trial.DB().QueryRow(t.Context(), "select count(*) from pay_job where state in ('scheduled', 'running')").Scan(&left); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	for how, want := range map[string][]string{
		"ok": {"ok done"}, "long": {"ok done"}, "effect": {"ok done"}, "made by an effect": {"ok done"}, "refused": {"permanent dead"},
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
	rows, err := trial.DB().Query(t.Context(), "select state from pay_job order by state")
	if err != nil {
		t.Fatal(err)
	}
	if states, err := pgx.CollectRows(rows, pgx.RowTo[string]); err != nil || !slices.Equal(states, []string{"dead", "done"}) {
		t.Errorf("states %q, %v, want a dead errand and a payout that is done", states, err)
	}
}

// untilRenewed waits until the lease of a job has been renewed.
func untilRenewed(ctx context.Context, trial *jobs.Trial, id string) error {
	var first time.Time
	for {
		var until time.Time
		if err := trial.DB().QueryRow(ctx, "select lease_until from pay_job where job_id = $1", id).Scan(&until); err != nil {
			return err
		}
		if first.IsZero() {
			first = until
		} else if until.After(first) {
			return nil
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func TestGrantsRefuseARoleThatCouldDoMore(t *testing.T) {
	trial := newTrial(t)
	plain, boss, member := newRole(t, trial, "plain"), newRole(t, trial, "boss"), newRole(t, trial, "member")
	if _, err := trial.DB().Exec(t.Context(), "grant delete on pay_job_attempt to "+boss+"; grant "+boss+" to "+member); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		variables []string
		want      string
	}{
		"no role":            {nil, "no role is named"},
		"a worker purges":    {[]string{"worker=" + plain, "purge=" + plain}, "the role " + plain + " may do more than a worker should"},
		"a role in two":      {[]string{"worker=" + plain, "producer=" + plain}, "the role " + plain + " may do more than a producer should"},
		"a member of a boss": {[]string{"worker=" + member}, "the role " + member + " may do more than a worker should"},
		"no such role":       {[]string{"reader=nobody-is-called-so"}, `role "nobody-is-called-so" does not exist`},
	} {
		if err := grant(t, trial, c.variables...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	schema := schemaOf(t, trial)
	wantDenied(t, "nothing was granted", as(t, trial, plain), "select from "+schema+".pay_job", "select from "+schema+".pay_job_attempt")
}
