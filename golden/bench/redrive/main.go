// Command redrive measures dead letters in bulk, on PostgreSQL: how long it takes to list, group and plan them, and what
// a redrive of all of them costs the fresh work of the same queue, beside what that takes before, in one run.
//
//	go run ./redrive -dead 100000 -rate 200
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/retryc/retryc/golden/bench/redrive/jobs"
)

// options are the flags.
type options struct {
	postgres string
	dead     int
	rate     int           // of fresh jobs in a second
	normal   time.Duration // how long these are measured alone
	limit    float64       // of the ratio; 0: none
}

func main() {
	var o options
	flag.StringVar(&o.postgres, "postgres", os.Getenv("RETRYC_TEST_POSTGRES"), "URL of the database; its role must be able to create schemas")
	flag.IntVar(&o.dead, "dead", 100_000, "dead jobs")
	flag.IntVar(&o.rate, "rate", 200, "fresh jobs in a second")
	flag.DurationVar(&o.normal, "normal", 15*time.Second, "how long fresh jobs are measured alone")
	flag.Float64Var(&o.limit, "limit", 0, "fail where the p99 of fresh work beside the redrive is more than so many times its normal")
	flag.Parse()
	slog.SetLogLoggerLevel(slog.LevelError + 1)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Stdout, o); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer, o options) (err error) {
	url, drop, err := scratch(ctx, o.postgres)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, drop()) }()
	store, err := jobs.Open(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	if err := bury(ctx, store.DB(), o.dead); err != nil {
		return err
	}
	plan, err := look(ctx, out, store)
	if err != nil {
		return err
	}
	return beside(ctx, out, store, o, plan)
}

// bury makes dead jobs of twenty causes.
func bury(ctx context.Context, db *pgxpool.Pool, n int) error {
	_, err := db.Exec(ctx, `insert into job (job_id, queue, idempotency_key, payload, payload_sha256, schema_hash, policy_hash, state, attempt, failures, created_at, first_attempt_at,
		next_run_at, last_class, last_error, fingerprint, dead_reason, dead_at)
		select gen_random_uuid(), 'orders', '["dead-' || n || '"]', convert_to('{"order":"dead-' || n || '"}', 'UTF8'), sha256(n::text::bytea), '', '', 'dead', 1, 1, now(), now(), now(),
		'unmatched', 'answer ' || n % 20, 'cause-' || n % 20, 'failures', now() - n * interval '1 ms' from generate_series(1, $1) n`, n)
	if err == nil {
		_, err = db.Exec(ctx, "vacuum analyze job")
	}
	return err
}

// look lists, groups and plans, each three times; the middle one counts.
func look(ctx context.Context, out io.Writer, store *jobs.Store) (plan jobs.RedrivePlan, err error) {
	for _, step := range []struct {
		name string
		does func() error
	}{
		{"list a page of 100", func() error { _, err := store.DeadLetters(ctx, jobs.DeadFilter{}, "", 100); return err }},
		{"list those of a cause", func() error {
			_, err := store.DeadLetters(ctx, jobs.DeadFilter{Fingerprint: "cause-7"}, "", 100)
			return err
		}},
		{"group all", func() error { _, err := store.DeadGroups(ctx, jobs.DeadFilter{}); return err }},
		{"plan all", func() (err error) { plan, err = store.PlanRedrive(ctx, jobs.DeadFilter{}); return err }},
	} {
		var took []time.Duration
		for range 3 {
			started := time.Now()
			if err := step.does(); err != nil {
				return plan, err
			}
			took = append(took, time.Since(started))
		}
		slices.Sort(took)
		_, _ = fmt.Fprintf(out, "%-24s %8s\n", step.name, took[1].Round(100*time.Microsecond))
	}
	return plan, nil
}

// beside measures fresh work alone, and then beside the redrive.
func beside(ctx context.Context, out io.Writer, store *jobs.Store, o options, plan jobs.RedrivePlan) error {
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	m := &meter{}
	all.Go(func() { _ = jobs.Run(ctx, store, jobs.OrdersWorker(m.handle)) })
	all.Go(func() { m.produce(ctx, store, o.rate) })
	wait := func(d time.Duration) {
		select {
		case <-time.After(d):
		case <-ctx.Done():
		}
	}
	wait(2 * time.Second) // until all is warm
	m.taken()
	wait(o.normal)
	normal := m.taken()
	started := time.Now()
	r, err := store.ApplyRedrive(ctx, plan.ID, plan.Hash, jobs.Signed{Operator: "bench", Reason: "measured beside fresh work"}, nil)
	if err != nil {
		return err
	}
	took, busy := time.Since(started), m.taken()
	if err := m.failed(); err != nil {
		return err
	}
	ratio := float64(p99(busy)) / float64(p99(normal))
	_, _ = fmt.Fprintf(out, "redrive of %d            %8s  %.0f/s; state %s %s\n", r.Sent, took.Round(time.Millisecond), float64(r.Sent)/took.Seconds(), r.State, r.StoppedWhy)
	for _, side := range []struct {
		name   string
		waited []time.Duration
	}{{"fresh work alone", normal}, {"fresh work beside it", busy}} {
		_, _ = fmt.Fprintf(out, "%-24s %8s  p99 of %d jobs; p50 %s\n", side.name, p99(side.waited).Round(10*time.Microsecond), len(side.waited), side.waited[len(side.waited)/2].Round(10*time.Microsecond))
	}
	_, _ = fmt.Fprintf(out, "ratio of the p99         %8.2f\n", ratio)
	if o.limit > 0 && ratio > o.limit {
		return fmt.Errorf("the p99 of fresh work is %.2f times its normal, and at most %.2f is allowed", ratio, o.limit)
	}
	return nil
}

// meter has how long each fresh job waited from its enqueue to its handler.
type meter struct {
	mu     sync.Mutex
	waited []time.Duration
	err    error
}

func (m *meter) handle(_ context.Context, job *jobs.Job[jobs.Orders]) error {
	at, fresh := strings.CutPrefix(job.Payload.Order, "fresh-")
	if !fresh {
		return nil
	}
	started, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.waited = append(m.waited, time.Since(time.Unix(0, started)))
	return nil
}

// produce enqueues at a rate, one job after the other.
func (m *meter) produce(ctx context.Context, store *jobs.Store, rate int) {
	tick := time.NewTicker(time.Second / time.Duration(rate))
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if _, err := jobs.EnqueueOrders(ctx, store, jobs.Orders{Order: fmt.Sprintf("fresh-%d", time.Now().UnixNano())}); err != nil && ctx.Err() == nil {
			m.mu.Lock()
			m.err = errors.Join(m.err, err)
			m.mu.Unlock()
		}
	}
}

// taken are the waits since the last call, sorted.
func (m *meter) taken() []time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := m.waited
	m.waited = nil
	slices.Sort(all)
	return all
}

func (m *meter) failed() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.err
}

func p99(sorted []time.Duration) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[len(sorted)*99/100]
}
