//go:build unix

package jobs

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/retryc/retryc/golden/audit"
)

// fireQueue has leases that are over soon.
func fireQueue() *queueTable {
	q := stationQueue()
	q.lease, q.policy.poll, q.policy.grace = time.Second, 200*time.Millisecond, 3*time.Second
	q.ladder.rungs = []time.Duration{time.Second, time.Second}
	return q
}

// TestWorkerUnderFire is the worker of the test below, which starts it as a process of its own.
func TestWorkerUnderFire(t *testing.T) {
	at := strings.Fields(os.Getenv("FIRE_AT"))
	if len(at) == 0 {
		t.Skip("it is a part of another test")
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	config, err := pgxpool.ParseConfig(os.Getenv("RETRYC_TEST_POSTGRES"))
	if err != nil {
		t.Fatal(err)
	}
	config.ConnConfig.RuntimeParams["search_path"] = os.Getenv("SCHEMA")
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		t.Fatal(err)
	}
	queue, store := fireQueue(), newStore(pool, statements, postgresClock)
	b, err := place{at[0], at[1], at[2]}.connect(ctx)
	if err := store.attach(queue, b, err); err != nil {
		t.Fatal(err)
	}
	runs, err := os.OpenFile(os.Getenv("RUNS"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	go func() { // ends with its parent
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(3)
	}()
	fmt.Println("ready")
	if err := Run(ctx, store, newWorker(queue, witnessed{runs}.handle)); err != nil {
		t.Error(err)
	}
	if err := store.Close(); err != nil {
		t.Error(err)
	}
}

// witnessed is a handler that writes down, on the disk, that it began and how it ended.
type witnessed struct{ runs *os.File }

func (w witnessed) handle(ctx context.Context, job *Job[note]) error {
	if err := w.record(job, "begin"); err != nil {
		return err
	}
	err := w.meet(ctx, job)
	return errors.Join(err, w.record(job, fmt.Sprint("end ", err == nil)))
}

func (w witnessed) record(job *Job[note], what string) error {
	if _, err := fmt.Fprintln(w.runs, job.ID, job.Attempt, what); err != nil {
		return err
	}
	return w.runs.Sync()
}

// meet is the fate of a job.
func (w witnessed) meet(ctx context.Context, job *Job[note]) error {
	switch job.Payload.Text {
	case "once":
		if job.Attempt == 1 {
			return errors.New("broken")
		}
	case "always":
		return errors.New("broken")
	case "refuse":
		return Permanent(errors.New("refused"))
	case "snooze":
		if job.Attempt == 1 {
			return Snooze(300 * time.Millisecond)
		}
	case "slow":
		select {
		case <-time.After(1500 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	case "killer":
		return syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "effect":
		job.OnCommit(func(ctx context.Context, tx Tx) error {
			return execTx(ctx, tx, "insert into effect (job_id, attempt) values (?, ?)", job.ID, job.Attempt)
		})
	}
	return nil
}

var fates = []string{"fine", "effect", "once", "fine", "always", "effect", "refuse", "snooze", "fine", "slow"}

// fire is a queue with processes that are killed.
type fire struct {
	*station
	at       place
	runs     string
	workers  []*exec.Cmd
	enqueued map[string]bool
}

func (f *fire) start() *exec.Cmd {
	f.Helper()
	c := exec.Command(os.Args[0], "-test.run=^TestWorkerUnderFire$")
	c.Env = append(os.Environ(), "FIRE_AT="+f.at.broker+" "+f.at.server+" "+f.at.queue, "SCHEMA="+f.config.ConnConfig.RuntimeParams["search_path"], "RUNS="+f.runs)
	out, err := c.StdoutPipe()
	if err == nil {
		_, err = c.StdinPipe() // open for as long as this process is there
	}
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = c.Process.Kill() })
	says := bufio.NewScanner(out)
	if !says.Scan() || says.Text() != "ready" {
		f.Fatalf("a worker says %q", says.Text())
	}
	go func() { // until it ends
		for says.Scan() {
		}
	}()
	return c
}

// add enqueues jobs of every fate, half of them with a key, and those twice.
func (f *fire) add(n int) {
	f.Helper()
	var notes []note
	for i := range n {
		n := note{Text: fates[rand.N(len(fates))]}
		if i%2 == 0 {
			n.Key = fmt.Sprint("key ", len(f.enqueued), " ", i)
		}
		notes = append(notes, n)
	}
	for range 2 {
		receipts, err := enqueueMany(f.Context(), f.store, nil, f.queue, notes)
		if err != nil {
			f.Fatal(err)
		}
		var keyed []note
		for i, r := range receipts {
			f.enqueued[r.JobID] = true
			if notes[i].Key != "" {
				keyed = append(keyed, notes[i])
			}
		}
		notes = keyed
	}
}

// trouble kills a process, or lets one stand still for longer than a lease.
func (f *fire) trouble() {
	f.Helper()
	i := rand.N(len(f.workers))
	w := f.workers[i]
	if rand.N(3) == 0 {
		_ = w.Process.Signal(syscall.SIGSTOP)
		time.AfterFunc(time.Second+rand.N(1500*time.Millisecond), func() { _ = w.Process.Signal(syscall.SIGCONT) })
		return
	}
	_ = w.Process.Kill()
	_ = w.Wait()
	f.workers[i] = f.start()
}

// replace starts anew the processes that a job has killed.
func (f *fire) replace() {
	for i, w := range f.workers {
		var status syscall.WaitStatus
		if ended, err := syscall.Wait4(w.Process.Pid, &status, syscall.WNOHANG, nil); err == nil && ended == w.Process.Pid {
			f.workers[i] = f.start()
		}
	}
}

func (f *fire) settled() (left string) {
	f.Helper()
	if rows := f.texts("select state || ' ' || count(*) from " + jobTable + " where state not in ('done', 'dead') group by state"); len(rows) > 0 {
		return fmt.Sprint(rows)
	}
	if ended := f.texts("select job_id::text from " + ledgerTable + " where decision in ('done', 'dead')"); len(ended) < len(f.enqueued) {
		return fmt.Sprint(len(ended), " of ", len(f.enqueued), " jobs are over")
	}
	if bare := f.texts("select job_id::text from " + jobTable + " where state = 'dead' and octet_length(payload) = 0"); len(bare) > 0 {
		return fmt.Sprint(len(bare), " dead jobs have no payload")
	}
	if d := f.left(); d != (depth{}) {
		return fmt.Sprintf("the broker has %+v", d)
	}
	return ""
}

func (f *fire) left() depth {
	f.Helper()
	d, err := f.store.wakes.announcer(f.queue.name).broker.depth(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	return d
}

func TestWorkersThatAreKilledAndStandStillLoseNoMessageThatCarriesAJob(t *testing.T) {
	for _, name := range []string{"rabbitmq", "sqs"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := brokers[name](t)
			b, err := at.connect(t.Context())
			f := &fire{station: newStation(t, b, err), at: at, runs: filepath.Join(t.TempDir(), "runs"), enqueued: map[string]bool{}}
			if _, err := f.store.pool.Exec(t.Context(), "create table effect (job_id uuid not null, attempt integer not null)"); err != nil {
				t.Fatal(err)
			}
			for range 3 {
				f.workers = append(f.workers, f.start())
			}
			killer, err := enqueueOne(t.Context(), f.store, nil, f.queue, note{Text: "killer"})
			if err != nil {
				t.Fatal(err)
			}
			f.enqueued[killer.JobID] = true
			for range 10 {
				f.add(25)
				f.trouble()
				f.replace()
				time.Sleep(400 * time.Millisecond)
			}
			for end := time.Now().Add(40 * time.Second); f.settled() != ""; time.Sleep(100 * time.Millisecond) {
				f.replace()
				if time.Now().After(end) {
					t.Fatal(f.settled())
				}
			}
			for _, w := range f.workers {
				_ = w.Process.Signal(syscall.SIGTERM)
				if err := w.Wait(); err != nil {
					t.Error("a worker ended with ", err)
				}
			}
			if d := f.left(); d != (depth{}) {
				t.Errorf("the broker has %+v in the end", d)
			}
			found, err := audit.Compare(audit.Evidence{
				Query:    func(sql string) ([]string, error) { return f.texts(sql), nil },
				Runs:     []string{f.runs},
				Enqueued: f.enqueued,
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, fault := range found.Faults {
				t.Error(fault)
			}
			t.Log(found)
		})
	}
}
