package jobs

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
)

// theatre is a trial whose metrics are read as a scrape reads them.
type theatre struct {
	*testing.T
	*Trial
	registry *prometheus.Registry
}

func newTheatre(t *testing.T) *theatre {
	t.Helper()
	th := &theatre{t, NewTrial(t), prometheus.NewRegistry()}
	if err := Observe(th.Store, th.registry); err != nil {
		t.Fatal(err)
	}
	return th
}

func (th *theatre) enqueue(id string) string {
	th.Helper()
	r, err := EnqueueInvoices(th.Context(), th.Store, Invoices{InvoiceID: id})
	if err != nil {
		th.Fatal(err)
	}
	return r.JobID
}

// series is every series whose name begins so, with its labels and its value. A histogram is its count.
func (th *theatre) series(name string) (all []string) {
	th.Helper()
	families, err := th.registry.Gather()
	if err != nil {
		th.Fatal(err)
	}
	for _, f := range families {
		if !strings.HasPrefix(f.GetName(), name) {
			continue
		}
		for _, m := range f.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetName()+"="+l.GetValue())
			}
			if h := m.GetHistogram(); h != nil && h.GetSampleSum() <= 0 {
				th.Errorf("%s has measured nothing", f.GetName())
			}
			value := m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
			if value != 0 {
				all = append(all, fmt.Sprintf("%s{%s} %v", f.GetName(), strings.Join(labels, ","), value))
			}
		}
	}
	return all
}

func (th *theatre) want(name string, want ...string) {
	th.Helper()
	if got := th.series(name); !slices.Equal(got, want) {
		th.Errorf("%s:\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// handler ends each invoice as its name says.
func handler(_ context.Context, job *Job[Invoices]) error {
	switch fate, _, _ := strings.Cut(job.Payload.InvoiceID, " "); fate {
	case "gone":
		return status(410)
	case "busy":
		return status(503)
	case "odd":
		return errors.New("nobody knows why")
	case "panics":
		panic("oh no")
	case "snoozes":
		return Snooze(time.Hour)
	case "exits":
		runtime.Goexit()
	case "marked":
		return Permanent(errors.New("by hand"))
	case "heals":
		if job.Attempt == 1 {
			return status(503)
		}
	}
	return nil
}

type status int

func (s status) Error() string   { return fmt.Sprint("status ", int(s)) }
func (s status) StatusCode() int { return int(s) }

func TestEveryFateIsCounted(t *testing.T) {
	th := newTheatre(t)
	for _, fate := range []string{"fine 1", "fine 2", "gone", "busy", "odd", "panics", "snoozes", "marked", "heals"} {
		th.enqueue(fate)
	}
	th.exec("update job set payload = ? where job_id = ?", []byte("no JSON"), th.enqueue("torn"))
	th.enqueue("exits")
	for range 4 { // the ladder has two rungs
		th.RunDue(t.Context(), InvoicesWorker(handler))
		th.Advance(4 * time.Minute)
	}
	th.want("retryc_attempts_total",
		"retryc_attempts_total{class=,outcome=ok,queue=invoices} 3",
		"retryc_attempts_total{class=busy,outcome=transient,queue=invoices} 4",
		"retryc_attempts_total{class=exited,outcome=transient,queue=invoices} 3",
		"retryc_attempts_total{class=gone,outcome=permanent,queue=invoices} 1",
		"retryc_attempts_total{class=marked,outcome=permanent,queue=invoices} 1",
		"retryc_attempts_total{class=panic,outcome=transient,queue=invoices} 3",
		"retryc_attempts_total{class=snoozed,outcome=transient,queue=invoices} 1",
		"retryc_attempts_total{class=undecodable,outcome=permanent,queue=invoices} 1",
		"retryc_attempts_total{class=unmatched,outcome=transient,queue=invoices} 3")
	th.want("retryc_dead_letters_total",
		"retryc_dead_letters_total{class=busy,queue=invoices} 1",
		"retryc_dead_letters_total{class=exited,queue=invoices} 1",
		"retryc_dead_letters_total{class=gone,queue=invoices} 1",
		"retryc_dead_letters_total{class=marked,queue=invoices} 1",
		"retryc_dead_letters_total{class=panic,queue=invoices} 1",
		"retryc_dead_letters_total{class=undecodable,queue=invoices} 1",
		"retryc_dead_letters_total{class=unmatched,queue=invoices} 1")
	th.want("retryc_last_rungs_total", "retryc_last_rungs_total{queue=invoices} 4") // busy, odd, panics and exits
	th.want("retryc_retry_wait_seconds", "retryc_retry_wait_seconds{queue=invoices} 10")
	th.want("retryc_handler_seconds",
		"retryc_handler_seconds{outcome=ok,queue=invoices} 3",
		"retryc_handler_seconds{outcome=permanent,queue=invoices} 3",
		"retryc_handler_seconds{outcome=transient,queue=invoices} 14")
	th.want("retryc_dead_jobs",
		"retryc_dead_jobs{class=busy,queue=invoices} 1",
		"retryc_dead_jobs{class=exited,queue=invoices} 1",
		"retryc_dead_jobs{class=gone,queue=invoices} 1",
		"retryc_dead_jobs{class=marked,queue=invoices} 1",
		"retryc_dead_jobs{class=panic,queue=invoices} 1",
		"retryc_dead_jobs{class=undecodable,queue=invoices} 1",
		"retryc_dead_jobs{class=unmatched,queue=invoices} 1")
	th.want("retryc_scheduled_jobs", "retryc_scheduled_jobs{queue=invoices} 1")
}

// What has not happened yet is there as zero: the first time that it happens is an increase.
func TestSeriesAreThereBeforeSomethingHappens(t *testing.T) {
	th := newTheatre(t)
	for name, want := range map[string]int{
		"retryc_attempts_total": 2 * (1 + 2 + 11), "retryc_dead_letters_total": 2 * (2 + 10), "retryc_crashes_total": 2, "retryc_lease_losses_total": 2, "retryc_last_rungs_total": 2,
		"retryc_due_jobs": 2, "retryc_oldest_due_seconds": 2, "retryc_scheduled_jobs": 2, "retryc_running_jobs": 2, "retryc_overdue_jobs": 2,
	} {
		if n, err := testutil.GatherAndCount(th.registry, name); n != want || err != nil {
			t.Errorf("%s: %d series (%v), want %d", name, n, err, want)
		}
	}
	if problems, err := testutil.GatherAndLint(th.registry); len(problems) > 0 || err != nil {
		t.Error(problems, err)
	}
}

func TestQueuesAreSeenAsTheyStand(t *testing.T) {
	th := newTheatre(t)
	th.enqueue("fine 1")
	th.enqueue("fine 2")
	th.exec("update job set queue = 'renamed' where job_id = ?", th.enqueue("fine 3")) // a queue that retry.yaml does not have any more
	th.begin("gone")
	th.Advance(90 * time.Second)
	th.want("retryc_due_jobs", "retryc_due_jobs{queue=_other} 1", "retryc_due_jobs{queue=invoices} 1")
	th.want("retryc_oldest_due", "retryc_oldest_due_seconds{queue=_other} 90", "retryc_oldest_due_seconds{queue=invoices} 90")
	th.want("retryc_running_jobs", "retryc_running_jobs{queue=invoices} 1")
	th.want("retryc_overdue_jobs", "retryc_overdue_jobs{queue=invoices} 1")
}

func TestCrashesAndLostLeasesAreCounted(t *testing.T) {
	th := newTheatre(t)
	th.enqueue("fine")
	th.begin("gone")
	th.reap()
	th.want("retryc_crashes_total", "retryc_crashes_total{queue=invoices} 1")
	th.Advance(time.Hour)
	th.RunDue(t.Context(), InvoicesWorker(func(context.Context, *Job[Invoices]) error {
		th.reap() // another process takes it for dead
		return nil
	}))
	th.want("retryc_crashes_total", "retryc_crashes_total{queue=invoices} 2")
	th.want("retryc_lease_losses_total", "retryc_lease_losses_total{queue=invoices} 1")
	th.want("retryc_attempts_total", "retryc_attempts_total{class=crashed,outcome=transient,queue=invoices} 2")
	th.want("retryc_handler_seconds")
}

// The age of the newest error is that of its first dead job, not of its last; one that was dealt with is new again.
func TestNewFingerprintIsOneThatNoDeadJobHas(t *testing.T) {
	newest := func(th *theatre) float64 {
		t.Helper()
		ages, err := th.newestFingerprints(t.Context())
		if err != nil || len(ages) != 1 {
			t.Fatal(ages, err)
		}
		return ages["invoices"].Minutes()
	}
	th := newTheatre(t)
	die := func(fates ...string) {
		for _, fate := range fates {
			th.enqueue(fate)
		}
		th.RunDue(t.Context(), InvoicesWorker(handler))
		th.Advance(10 * time.Minute)
	}
	die("gone 1")
	die("gone 2")
	if got := newest(th); got != 20 {
		t.Errorf("the second job of one error makes it %v minutes old, want 20", got)
	}
	die("marked")
	if got := newest(th); got != 10 {
		t.Errorf("another error is %v minutes old, want 10", got)
	}
	th.exec("delete from job where last_class = 'marked'")
	if got := newest(th); got != 30 {
		t.Errorf("once it was dealt with, the newest is %v minutes old, want 30", got)
	}
	th.want("retryc_newest_fingerprint_age", "retryc_newest_fingerprint_age_seconds{queue=invoices} 1800")
}

func TestJobThatIsSentBackIsCountedByItsFirstAttempt(t *testing.T) {
	th := newTheatre(t)
	id := th.enqueue("busy")
	th.enqueue("gone")
	th.RunDue(t.Context(), InvoicesWorker(handler))
	th.exec("update job set state = 'scheduled', generation = 2, dead_reason = null, dead_at = null, failures = 0 where queue = 'invoices'")
	th.exec("update job set next_run_at = 0")
	th.RunDue(t.Context(), InvoicesWorker(handler))
	th.exec("update job set next_run_at = 0 where job_id = ?", id)
	th.RunDue(t.Context(), InvoicesWorker(handler)) // which is its second
	th.want("retryc_redrives_total", "retryc_redrives_total{outcome=permanent,queue=invoices} 1", "retryc_redrives_total{outcome=transient,queue=invoices} 1")
}

func (th *theatre) exec(query string, args ...any) {
	th.Helper()
	if _, err := th.DB().ExecContext(th.Context(), query, args...); err != nil {
		th.Fatal(err)
	}
}

// begin claims one job in a process that says nothing any more.
func (th *theatre) begin(token string) {
	th.Helper()
	_, jobs, err := th.finish(th.Context(), nil, []want{{invoicesQueue.name, 1, invoicesQueue.lease, false}}, token, "test")
	if err != nil || len(jobs[0]) != 1 {
		th.Fatal(jobs, err)
	}
}

// reap lets every lease run out.
func (th *theatre) reap() {
	th.Helper()
	th.Advance(invoicesQueue.lease + time.Second)
	p, err := newProcess(th.Context(), th.Store, "another", InvoicesWorker(handler))
	if err == nil {
		err = p.reap(th.Context())
	}
	if err != nil {
		th.Error(err)
	}
}

// What was put back is no attempt, and nothing is counted.
func TestJobThatIsPutBackIsNotCounted(t *testing.T) {
	th := newTheatre(t)
	th.enqueue("fine")
	th.exec("update job set payload = ?, schema_hash = 'newer'", []byte(`{"invoice_id":"fine","currency":"EUR"}`))
	if n := th.RunDue(t.Context(), InvoicesWorker(handler)); n != 1 {
		t.Fatalf("%d jobs were begun, want 1", n)
	}
	th.want("retryc_attempts_total")
	th.want("retryc_handler_seconds")
}

// The last attempt is the one after which there is no time, or no rung.
func TestLastRungIsWhereTheWindowEndsToo(t *testing.T) {
	busy := &errorClass{name: "busy", outcome: transient}
	for _, c := range []struct {
		failed  int
		elapsed time.Duration
		want    bool
	}{{1, 0, false}, {2, 0, true}, {1, policy.caps.window - 11*time.Minute, true}, {1, policy.caps.window - 20*time.Minute, false}} {
		e := ended{class: busy, budget: failures, used: used{failures: c.failed}, elapsed: c.elapsed}
		if got := invoicesQueue.last(e, 10*time.Minute); got != c.want {
			t.Errorf("after %d failures in %v: %v, want %v", c.failed, c.elapsed, got, c.want)
		}
	}
}

// A handler that is cut off by a stop, and one that takes too long, through Run as programs call it.
func TestInterruptionsAndTimeoutsAreCounted(t *testing.T) {
	th := newTheatre(t)
	queue, was := &invoicesQueue, invoicesQueue.timeout
	queue.timeout = time.Millisecond
	defer func() { queue.timeout = was }()
	th.enqueue("fine")
	th.RunDue(t.Context(), InvoicesWorker(func(ctx context.Context, _ *Job[Invoices]) error {
		<-ctx.Done()
		return ctx.Err()
	}))
	queue.timeout = was
	th.Advance(time.Minute)
	p, err := newProcess(t.Context(), th.Store, "stopping", InvoicesWorker(func(ctx context.Context, _ *Job[Invoices]) error {
		<-ctx.Done()
		return ctx.Err()
	}))
	if err != nil {
		t.Fatal(err)
	}
	_, jobs, err := th.finish(t.Context(), nil, []want{{queue.name, 1, queue.lease, false}}, p.token, p.name)
	if err != nil || len(jobs[0]) != 1 {
		t.Fatal(jobs, err)
	}
	p.start(p.lanes[0], jobs[0][0])
	p.stop(ErrStopped)
	p.collect(<-p.ended)
	p.turn(t.Context(), true)
	th.want("retryc_attempts_total",
		"retryc_attempts_total{class=interrupted,outcome=transient,queue=invoices} 1",
		"retryc_attempts_total{class=timeout,outcome=transient,queue=invoices} 1")
}
