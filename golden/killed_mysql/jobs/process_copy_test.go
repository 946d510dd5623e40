// Code generated from golden/killed/jobs/process_case_test.go by go test ./generator -update. DO NOT EDIT.

//go:build unix

package jobs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// The test binary is the worker and the producer too: the variable role says which.
const role = "RETRYC_KILLED_ROLE"

func TestMain(m *testing.M) {
	if os.Getenv(role) == "" {
		os.Exit(m.Run())
	}
	if err := act(); err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
}

const insertEffect = "insert into effect (job_id, attempt) values (?, ?)"

// pause waits at the point where the process is to be killed, or is to be told to go on.
func pause(point string) {
	if point == os.Getenv("PAUSE") {
		fmt.Println("at", point)
		<-told.word("on")
	}
}

// told is what the process has been told on its standard input.
var told = words{said: map[string]chan struct{}{}}

type words struct {
	mu   sync.Mutex
	said map[string]chan struct{}
}

func (w *words) word(word string) chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.said[word] == nil {
		w.said[word] = make(chan struct{})
	}
	return w.said[word]
}

// listen ends the process with its parent.
func (w *words) listen() {
	for {
		var word string
		if _, err := fmt.Scanln(&word); errors.Is(err, io.EOF) {
			os.Exit(3)
		}
		close(w.word(word))
	}
}

// actor is a process of the test: what it is told comes on its standard input, what it does goes to its standard output,
// and each run of a handler to a file, flushed to the disk.
type actor struct {
	store *Store
	runs  *os.File
	ctx   context.Context // ends with SIGTERM
}

func act() error {
	a := &actor{}
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stdout, nil)))
	if lease, err := time.ParseDuration(os.Getenv("LEASE")); err == nil {
		plainQueue.lease, paidQueue.lease = lease, lease
	}
	if schema := os.Getenv("SCHEMA"); schema != "" {
		plainQueue.schema = schema
	}
	if timeout, err := time.ParseDuration(os.Getenv("TIMEOUT")); err == nil {
		plainQueue.timeout = timeout
	}
	if attempts, err := strconv.Atoi(os.Getenv("ATTEMPTS")); err == nil { // as another policy has it
		policy.caps.attempts, policy.hash = attempts, "allows "+os.Getenv("ATTEMPTS")
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	a.ctx = ctx
	var err error
	if a.store, err = openPausing(ctx); err != nil {
		return err
	}
	defer func() { _ = a.store.Close() }()
	if a.runs, err = os.OpenFile(os.Getenv("RUNS"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600); err != nil {
		return err
	}
	go told.listen()
	if os.Getenv(role) == "producer" {
		return a.produce()
	}
	fmt.Println("ready")
	workers := []Worker{PlainWorker(func(ctx context.Context, job *Job[Plain]) error {
		return handle(a, ctx, job.ID, job.Attempt, job.Payload.Does, job.OnCommit)
	})}
	if os.Getenv("ONLY_PLAIN") == "" {
		workers = append(workers, PaidWorker(func(ctx context.Context, job *Job[Paid]) error {
			return handle(a, ctx, job.ID, job.Attempt, job.Payload.Does, job.OnCommit)
		}))
	}
	return Run(ctx, a.store, workers...)
}

func (a *actor) record(jobID string, attempt int, what string) error {
	if _, err := fmt.Fprintln(a.runs, jobID, attempt, what); err != nil {
		return err
	}
	return a.runs.Sync()
}

// handle does what the payload says, step by step, and writes down that it began and how it ended.
func handle(a *actor, ctx context.Context, id string, attempt int, does string, onCommit func(func(context.Context, Tx) error)) error {
	if err := a.record(id, attempt, "begin"); err != nil {
		return err
	}
	pause("handler")
	err := a.do(ctx, id, attempt, does)
	if err == nil && strings.Contains(does, "effect") {
		onCommit(func(ctx context.Context, tx Tx) error {
			err := execTx(ctx, tx, insertEffect, id, attempt)
			if more := effects[strings.TrimSuffix(does, " effect")]; err == nil && more != nil {
				err = more(ctx, a, tx, id)
			}
			return err
		})
	}
	return errors.Join(err, a.record(id, attempt, "end "+strconv.FormatBool(err == nil)))
}

// effects are what the payload can say that an effect does beside its row.
var effects = map[string]func(ctx context.Context, a *actor, tx Tx, id string) error{
	"enqueue": func(ctx context.Context, a *actor, tx Tx, id string) error {
		_, err := EnqueuePaidTx(ctx, a.store, tx, Paid{Event: "of the effect of " + id, Does: "effect"})
		return err
	},
}

func (a *actor) do(ctx context.Context, id string, attempt int, does string) error {
	switch strings.TrimSuffix(does, " effect") {
	case "fail once":
		if attempt == 1 {
			return errors.New("the first attempt fails")
		}
	case "fail":
		return errors.New("every attempt fails")
	case "refuse":
		return ErrRefused
	case "text":
		return errors.New([]string{"nul \x00 in it", "no UTF-8 \xff", strings.Repeat("é", 5<<20)}[attempt-1])
	case "enqueue":
		_, err := EnqueuePaid(ctx, a.store, Paid{Event: "of the handler of " + id, Does: "effect"})
		return err
	case "ignore":
		if attempt == 1 {
			fmt.Println("in handler", id)
			<-told.word("go")
		}
	case "kill":
		return syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "last": // of three attempts, the third waits for its end unless it was interrupted before
		if attempt < 3 {
			return errors.New("not the last one")
		}
		if attempt == 3 {
			fmt.Println("in handler", id)
			<-ctx.Done()
			return errors.New("signal: killed")
		}
	case "drain":
		if attempt > 1 || os.Getenv("PAUSE") != "draining" {
			return nil
		}
		fmt.Println("in handler", id)
		<-a.ctx.Done()
		pause("draining")
	case "renew": // for as long as it takes to be renewed
		var first, now string
		for now == first {
			all, err := texts(ctx, a.store, "select lease_until from "+jobTable+" where job_id = ?", id)
			if err != nil {
				return err
			}
			if now = all[0]; first == "" {
				first = now
			}
		}
	case "wait": // for a word, whatever happens to its context
		if attempt == 1 {
			fmt.Println("in handler", id)
			<-told.word("go")
		}
	}
	return nil
}

// produce enqueues one key ten times at once, or jobs one after the other, and says which it made.
func (a *actor) produce() error {
	fmt.Println("ready")
	<-told.word("go")
	n, _ := strconv.Atoi(os.Getenv("JOBS"))
	var all sync.WaitGroup
	for i := range n {
		all.Add(1)
		go func() {
			defer all.Done()
			event := os.Getenv("EVENT")
			if os.Getenv("SAME") == "" {
				event += strconv.Itoa(i)
			}
			r, err := EnqueuePaid(context.Background(), a.store, Paid{Event: event, Does: "effect"})
			if err != nil {
				fmt.Println("failed:", err)
				return
			}
			fmt.Println("enqueued", r.JobID, r.Duplicate)
		}()
	}
	all.Wait()
	fmt.Println("produced")
	return nil
}
