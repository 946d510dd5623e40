package producers_test

import (
	"sync"
	"testing"

	"github.com/retryc/retryc/golden/producers/jobs"
)

// purges runs Purge as its role, twice at once, over 3,000 attempts of two years ago, beside those of the jobs that are there.
func purges(t *testing.T, trial *jobs.Trial, role string) {
	t.Helper()
	_, err := trial.DB().Exec(t.Context(), `
		insert into pay_job_attempt (job_id, attempt, outcome, attempted_at, queue, generation, decision, class, delay_ms, payload_sha256, started_at, lease_token, worker, policy_hash)
		select md5((n / 2)::text)::uuid, n % 2 + 1, case n % 2 when 0 then 'transient' else 'ok' end, now() - interval '2 years' + n * interval '1 s', 'ping', 1,
			case n % 2 when 0 then 'retry' else 'done' end, case n % 2 when 0 then 'unmatched' end, case n % 2 when 0 then 1 end, '', now(), '', '', ''
		from generate_series(0, 2999) n`)
	if err != nil {
		t.Fatal(err)
	}
	pool := as(t, trial, role)
	kept := count(t, trial, "pay_job_attempt where queue <> 'ping'")
	done := make([]jobs.Purged, 2)
	var both sync.WaitGroup
	for i := range done {
		both.Go(func() {
			store, err := jobs.New(t.Context(), pool)
			if err == nil {
				done[i], err = store.Purge(t.Context())
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	if n, attempts := done[0].Jobs+done[1].Jobs, done[0].Attempts+done[1].Attempts; n != 1500 || attempts != 3000 {
		t.Errorf("%d jobs and %d attempts were purged: %+v", n, attempts, done)
	}
	if got := count(t, trial, "pay_job_attempt"); got != kept {
		t.Errorf("%d attempts are left, want %d", got, kept)
	}
	var by string
	var n, attempts int
	if err := trial.DB().QueryRow(t.Context(), "select min(purged_by), sum(jobs), sum(attempts) from pay_job_purge").Scan(&by, &n, &attempts); err != nil {
		t.Fatal(err)
	}
	if by != role || n != 1500 || attempts != 3000 {
		t.Errorf("on record: %d jobs and %d attempts by %s", n, attempts, by)
	}
}

func count(t *testing.T, trial *jobs.Trial, from string) (n int) {
	t.Helper()
	if err := trial.DB().QueryRow(t.Context(), "select count(*) from "+from).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
