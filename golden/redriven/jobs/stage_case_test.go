package jobs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// stage is a database with its own time, on which everything takes as long as it takes.
type stage struct {
	*testing.T
	store *Store
	pool  *pgxpool.Pool
	url   string // for another process
	rules redriveTable
}

var ann = Signed{Operator: "ann", Reason: "the bank's API is back since this morning"}
var ben = Signed{Operator: "ben", Reason: "support asked for these customers first"}

func newStage(t *testing.T) *stage {
	t.Helper()
	config := scratchSchema(t)
	store := realStore(t, config)
	if err := store.migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := &stage{T: t, store: store, pool: store.pool, rules: redrive}
	s.url = os.Getenv(trialServer) + "?search_path=" + config.ConnConfig.RuntimeParams["search_path"]
	s.rules.every = 5 * time.Millisecond
	return s
}

func realStore(t *testing.T, config *pgxpool.Config) *Store {
	t.Helper()
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	store := newStore(pool, statements, postgresClock)
	t.Cleanup(func() { _ = store.Close() })
	return store
}

func (s *stage) exec(query string, args ...any) {
	s.Helper()
	if _, err := s.pool.Exec(s.Context(), query, args...); err != nil {
		s.Fatalf("%v\n%s", err, query)
	}
}

func (s *stage) strings(query string, args ...any) []string {
	s.Helper()
	rows, err := s.pool.Query(s.Context(), query, args...)
	if err != nil {
		s.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		s.Fatal(err)
	}
	return all
}

func (s *stage) count(condition string, args ...any) (n int) {
	s.Helper()
	if err := s.pool.QueryRow(s.Context(), "select count(*) from "+jobTable+" where "+condition, args...).Scan(&n); err != nil {
		s.Fatal(err)
	}
	return n
}

// dead makes n dead charges of one cause by statement alone, the first of which died longest ago.
func (s *stage) dead(n int, fingerprint string) {
	s.Helper()
	s.exec(`insert into `+jobTable+` (job_id, queue, tenant_id, idempotency_key, payload, payload_sha256, schema_hash, policy_hash, state, generation, attempt, failures,
		created_at, first_attempt_at, next_run_at, last_class, last_error, fingerprint, dead_reason, dead_at)
		select gen_random_uuid(), 'charges', 'shop-' || n % 7, '["' || $2 || n || '"]', convert_to('{"event":"' || $2 || n || '","shop":"shop-' || n % 7 || '"}', 'UTF8'),
			sha256(n::text::bytea), '', '', 'dead', 1, 2, 2, now() - interval '1 day', now() - interval '1 day', now() - interval '1 hour',
			'unmatched', 'the bank says no: ' || $2, $2, 'failures', now() - interval '1 hour' + n * interval '1 ms' from generate_series(1, $1) n`, n, fingerprint)
}

func (s *stage) plan(f DeadFilter) RedrivePlan {
	s.Helper()
	p, err := s.store.plan(s.Context(), &s.rules, "redrive", f)
	if err != nil {
		s.Fatal(err)
	}
	return p
}

func (s *stage) apply(p RedrivePlan, by Signed) Redrive {
	s.Helper()
	r, err := s.store.apply(s.Context(), &s.rules, p.ID, p.Hash, by, nil)
	if err != nil {
		s.Fatal(err)
	}
	return r
}

// unjudged is for tests of what is sent: nothing runs, and nothing is waited for.
func (s *stage) unjudged() {
	s.rules.canary, s.rules.batch = 0, 1000
}

// work runs the jobs of both queues until the test, or stop, ends it.
func (s *stage) work(handle func(ctx context.Context, job *Job[Charges]) error) (stop func()) {
	s.Helper()
	ctx, cancel := context.WithCancel(s.Context())
	done := make(chan error, 1)
	go func() {
		done <- Run(ctx, s.store, ChargesWorker(handle), ReportsWorker(func(context.Context, *Job[Reports]) error { return errors.New("no paper") }))
	}()
	stop = func() {
		cancel()
		if err := <-done; err != nil {
			s.Error(err)
		}
		done <- nil
	}
	s.Cleanup(stop)
	return stop
}

// await waits for what is sure to come.
func (s *stage) await(what string, is func() bool) {
	s.Helper()
	for end := time.Now().Add(40 * time.Second); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			s.Fatal("never came: " + what)
		}
	}
}

// results counts the items of a plan by their result.
func (s *stage) results(id string) string {
	s.Helper()
	return fmt.Sprint(s.strings("select coalesce(result, 'open') || ' ' || count(*) from "+redriveItems+" where redrive_id = $1 group by result order by 1", id))
}

const redriveItems = "shop_job_redrive_item"

func (s *stage) want(what string, got, want any) {
	s.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		s.Errorf("%s: %v, want %v", what, got, want)
	}
}
