package worker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

var (
	errBroken = errors.New("broken")
	errNever  = errors.New("never")
)

func fails(err error) func(context.Context, *Job[note]) error {
	return func(context.Context, *Job[note]) error { return err }
}

func TestTransientErrorClimbsItsLadderAndStopsAtItsEnd(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(errBroken))
	id := h.enqueue(note{}).JobID
	for attempt, wait := range []time.Duration{0, 30 * time.Second, 2 * time.Minute} {
		if wait > 0 {
			h.advance(wait - time.Millisecond)
			if n := h.runDue(); n != 0 {
				t.Fatalf("attempt %d ran before its time", attempt+1)
			}
			h.advance(time.Millisecond)
		}
		if n := h.runDue(); n != 1 {
			t.Fatalf("attempt %d: %d ran", attempt+1, n)
		}
	}
	h.advance(24 * time.Hour)
	if n := h.runDue(); n != 0 {
		t.Error("a dead job ran")
	}
	h.wantLedger(id, "1 transient unmatched retry", "2 transient unmatched retry", "3 transient unmatched dead failures")
	h.wantState(id, "dead")
}

func TestPermanentErrorRunsOnce(t *testing.T) {
	p := notePolicy()
	p.classes = []errorClass{{name: "never", outcome: permanent, when: []condition{is(errNever)}}}
	h := newHarness(t, p, fails(fmt.Errorf("wrapped: %w", errNever)))
	id := h.enqueue(note{}).JobID
	h.runDue()
	h.advance(24 * time.Hour)
	h.runDue()
	h.wantLedger(id, "1 permanent never dead permanent")
}

func TestSuccessIsARowAndOnlyAKeyKeepsTheJob(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	keyed, plain := h.enqueue(note{Key: "k"}).JobID, h.enqueue(note{}).JobID
	h.runDue()
	h.wantLedger(keyed, "1 ok done")
	h.wantLedger(plain, "1 ok done")
	h.wantState(keyed, "done")
	h.wantState(plain, "")
	if left := h.payload(keyed); len(left) != 0 {
		t.Errorf("a done job still has %d bytes of payload", len(left))
	}
}

func TestSameKeyFiftyTimesIsOneJob(t *testing.T) {
	runs := 0
	h := newHarness(t, notePolicy(), func(context.Context, *Job[note]) error { runs++; return nil })
	first := h.enqueue(note{Key: "k", Text: "a"})
	if first.Duplicate || !first.SamePayload || first.State != "scheduled" {
		t.Errorf("first: %+v", first)
	}
	for i := range 50 {
		r := h.enqueue(note{Key: "k", Text: strings.Repeat("a", 1+i%2)})
		want := Receipt{JobID: first.JobID, Duplicate: true, State: "done", SamePayload: i%2 == 0}
		if i == 0 {
			want.State = "scheduled"
		}
		if r != want {
			t.Errorf("enqueue %d: %+v, want %+v", i, r, want)
		}
		h.runDue()
	}
	if runs != 1 {
		t.Errorf("%d runs", runs)
	}
}

func TestManyAreAllThereOrNoneAndKnowTheirDuplicates(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	h.enqueue(note{Key: "b"})
	receipts, err := enqueueMany(t.Context(), h.store, nil, h.queue, []note{{Key: "a"}, {Key: "b"}, {Key: "a", Text: "x"}, {}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range receipts {
		got = append(got, fmt.Sprintf("%t %t %s", r.Duplicate, r.SamePayload, r.State))
	}
	if want := "[false true scheduled true true scheduled true false scheduled false true scheduled]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %v", got, want)
	}
	if _, err := enqueueMany(t.Context(), h.store, nil, h.queue, []note{}); err != nil {
		t.Errorf("none at all: %v", err)
	}
}

func TestEnqueueInTheCallersTransactionGoesWithIt(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	tx, rollBack := h.beginTx()
	if _, err := enqueueOne(t.Context(), h.store, tx, h.queue, note{Key: "k"}); err != nil {
		t.Fatal(err)
	}
	rollBack()
	if n := h.runDue(); n != 0 {
		t.Error("a job of a transaction that was rolled back ran")
	}
}

func TestLateResultOfALostLeaseChangesNothing(t *testing.T) {
	var h *harness
	h = newHarness(t, notePolicy(), func(ctx context.Context, job *Job[note]) error {
		job.OnCommit(insertsEffect)
		h.advance(h.queue.lease + time.Millisecond) // this process stalls
		other := h.another(h.store, "process-2", fails(errBroken))
		if err := other.reap(ctx); err != nil {
			return err
		}
		h.advance(time.Hour)
		for _, c := range h.begin(other.token) {
			h.end(other, c)
		}
		return nil
	})
	h.exec("create table effect (attempt integer)")
	id := h.enqueue(note{Key: "k"}).JobID
	h.runDue()
	h.wantLedger(id, "1 transient crashed retry", "2 transient unmatched retry")
	h.wantState(id, "scheduled")
	if got := h.strings("select attempt from effect"); len(got) != 0 {
		t.Error("the effect of the lost attempt stayed")
	}
}

// The token is the same for all attempts of a process: it is the attempt's number that tells them apart.
func TestLateResultOfAnEarlierAttemptInOneProcessChangesNothing(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	id := h.enqueue(note{Key: "k"}).JobID
	first := h.begin(h.token)[0]
	h.advance(h.queue.lease + time.Millisecond)
	if err := h.another(h.store, "process-2", fails(nil)).reap(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.advance(time.Hour)
	second := h.begin(h.token)[0]
	for attempt, c := range []claimed{first, second} {
		accepted, _, err := h.store.finish(t.Context(), []result{h.queue.judge(c, nil, nil)}, nil, h.token, h.name)
		if err != nil || accepted[id] != (attempt == 1) {
			t.Errorf("attempt %d: accepted %t (%v)", attempt+1, accepted[id], err)
		}
	}
	h.wantLedger(id, "1 transient crashed retry", "2 ok done")
}

func TestRenewedLeaseIsNotReaped(t *testing.T) {
	var h *harness
	h = newHarness(t, notePolicy(), func(ctx context.Context, job *Job[note]) error {
		now := time.Now()
		for range 10 {
			h.advance(h.queue.lease / 2)
			now = now.Add(h.queue.lease / 2)
			if err := h.renew(ctx, now); err != nil {
				return err
			}
			if err := h.another(h.store, "process-2", fails(nil)).reap(ctx); err != nil {
				return err
			}
		}
		return ctx.Err()
	})
	id := h.enqueue(note{}).JobID
	h.runDue()
	h.wantLedger(id, "1 ok done")
}

func TestLostLeaseEndsTheHandlersContext(t *testing.T) {
	var h *harness
	h = newHarness(t, notePolicy(), func(ctx context.Context, job *Job[note]) error {
		h.advance(h.queue.lease + time.Millisecond)
		err := errors.Join(h.another(h.store, "process-2", fails(nil)).reap(ctx), h.renew(ctx, time.Now().Add(h.queue.lease/2)))
		if err != nil {
			return err
		}
		<-ctx.Done()
		if cause := context.Cause(ctx); !errors.Is(cause, ErrLeaseLost) || !errors.Is(cause, context.Canceled) {
			t.Errorf("cause %v", cause)
		}
		return ctx.Err()
	})
	id := h.enqueue(note{}).JobID
	h.runDue()
	h.wantLedger(id, "1 transient crashed retry")
}

// A handler that cannot be told whether its lease holds is stopped before it can run out. If it turns out that nobody
// else took the job, the run is recorded, and cost the job no failure.
func TestLeaseThatCannotBeRenewedEndsTheHandlersContextBeforeItIsOver(t *testing.T) {
	var h *harness
	h = newHarness(t, notePolicy(), func(ctx context.Context, job *Job[note]) error {
		unlock := h.lock()
		defer unlock()
		for _, passed := range []time.Duration{h.queue.lease / 2, h.queue.lease * 9 / 10} {
			if ctx.Err() != nil {
				t.Errorf("stopped too early")
			}
			if err := h.renew(ctx, time.Now().Add(passed)); err == nil {
				t.Error("renewed in a database that is locked")
			}
		}
		<-ctx.Done()
		return ctx.Err()
	})
	id := h.enqueue(note{}).JobID
	h.runDue()
	h.wantLedger(id, "1 transient interrupted retry")
}

func TestJobThatKillsItsProcessStopsAtItsCrashBudget(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	id := h.enqueue(note{}).JobID
	for range 5 {
		h.crash()
		h.advance(time.Hour)
	}
	h.wantLedger(id, "1 transient crashed retry", "2 transient crashed dead crashes")
}

func TestCrashInCompanyIsCountedApartAndTheJobsRunAloneAfterIt(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	killer, innocent := h.enqueue(note{}).JobID, h.enqueue(note{}).JobID
	h.crash()
	if got := h.strings("select crashes || ' ' || shared_crashes from " + jobTable + " where run_alone"); fmt.Sprint(got) != "[0 1 0 1]" {
		t.Errorf("crashes and shared crashes of jobs that run alone are %q", got)
	}
	h.advance(time.Hour)
	if h.look(t.Context()); !h.loneDue {
		t.Fatal("due jobs that run alone are not seen")
	}
	plain := h.enqueue(note{}).JobID
	for _, want := range []string{min(killer, innocent), max(killer, innocent), plain} { // they are due at once
		jobs := h.begin(h.token)
		if len(jobs) != 1 || jobs[0].jobID != want {
			t.Fatalf("%d jobs begun, want %s alone", len(jobs), want)
		}
		h.end(h.process, jobs[0])
	}
	h.wantLedger(killer, "1 transient crashed retry", "2 ok done")
	h.wantLedger(innocent, "1 transient crashed retry", "2 ok done")
}

func TestCompanyIsKnownHoweverLateTheOthersLeasesEnd(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	first, second := h.enqueue(note{}).JobID, h.enqueue(note{}).JobID
	h.begin("a process that dies")
	h.extendLeases(time.Minute, "job_id = '"+second+"'")
	for range 2 {
		h.advance(h.queue.lease + time.Millisecond)
		if err := h.reap(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range []string{first, second} {
		if got := h.strings("select crashes || ' ' || shared_crashes from "+jobTable+" where job_id = ?", id); got[0] != "0 1" {
			t.Errorf("crashes and shared crashes are %s", got[0])
		}
	}
}

func TestNothingIsClaimedBesideAJobThatRunsAlone(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	lone := h.enqueue(note{}).JobID
	h.crash()
	h.advance(time.Hour)
	plain := h.enqueue(note{}).JobID
	h.look(t.Context())
	var order []string
	h.lanes[0].worker.run = func(_ context.Context, c claimed) ([]effect, error) { order = append(order, c.jobID); return nil, nil }
	h.turn(t.Context(), false)
	if n := h.running(); n != 1 {
		t.Fatalf("%d jobs begun", n)
	}
	h.turn(t.Context(), false)
	if n := h.running(); n != 1 {
		t.Fatalf("%d jobs run beside the one that runs alone", n-1)
	}
	for range 2 {
		h.collect(<-h.ended)
		h.turn(t.Context(), false)
	}
	if fmt.Sprint(order) != fmt.Sprint([]string{lone, plain}) {
		t.Errorf("ran %v", order)
	}
	if h.loneDue {
		t.Error("the lane is still kept free for a job that has run")
	}
}

func TestCrashCanBePermanent(t *testing.T) {
	p := notePolicy()
	p.classes = []errorClass{{name: "unsafe", outcome: permanent, on: []error{errCrashed}}}
	h := newHarness(t, p, fails(nil))
	id := h.enqueue(note{}).JobID
	h.crash()
	h.wantLedger(id, "1 permanent unsafe dead permanent")
}

func TestReaperLeavesQueuesThatItDoesNotKnow(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	id := h.enqueue(note{}).JobID
	h.begin("a process that dies")
	h.exec("update " + jobTable + " set queue = 'another program''s'")
	h.advance(h.queue.lease + time.Millisecond)
	if err := h.reap(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.wantLedger(id)
	h.wantState(id, "running")
}

func TestPanicAndGoexitAreEndsOfTheAttempt(t *testing.T) {
	for name, end := range map[string]func(){"panic": func() { panic("x") }, "panic nil": func() { panic(nil) }, "exited": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t, notePolicy(), func(context.Context, *Job[note]) error { end(); return nil })
			id := h.enqueue(note{}).JobID
			h.runDue()
			class, _, _ := strings.Cut(name, " ")
			h.wantLedger(id, "1 transient "+class+" retry")
		})
	}
}

func TestEffectCommitsWithItsAttemptOrNotAtAll(t *testing.T) {
	h := newHarness(t, notePolicy(), func(_ context.Context, job *Job[note]) error {
		job.OnCommit(func(ctx context.Context, tx Tx) error {
			if err := execTx(ctx, tx, "insert into effect values (?)", job.Attempt); err != nil {
				return err
			}
			if job.Attempt == 1 {
				return errBroken
			}
			return nil
		})
		return nil
	})
	h.exec("create table effect (attempt integer)")
	id := h.enqueue(note{}).JobID
	h.runDue()
	h.advance(time.Minute)
	h.runDue()
	h.wantLedger(id, "1 transient unmatched retry", "2 ok done")
	if got := h.strings("select attempt from effect"); fmt.Sprint(got) != "[2]" {
		t.Errorf("effects of attempts %v, want those of attempt 2 alone", got)
	}
}

func TestCodeOfTheProductThatPanicsHarmsNoWorker(t *testing.T) {
	var none *typedError
	for name, err := range map[string]error{"nil behind a type": none, "marked nil": Permanent(nil), "asked nil": RetryAfter(nil, time.Second)} {
		h := newHarness(t, notePolicy(), fails(err))
		id := h.enqueue(note{}).JobID
		h.runDue()
		if got := h.ledger(id); len(got) != 1 {
			t.Errorf("%s: ledger %q", name, got)
		}
	}
	for class, end := range map[string]func(){"panic": func() { panic("x") }, "exited": runtime.Goexit} {
		h := newHarness(t, notePolicy(), func(_ context.Context, job *Job[note]) error {
			job.OnCommit(func(context.Context, Tx) error { end(); return nil })
			return nil
		})
		id := h.enqueue(note{}).JobID
		h.runDue()
		h.wantLedger(id, "1 transient "+class+" retry")
		h.exec("create table free (a integer)") // the lock is given back
	}
}

type typedError struct{ text string }

func (e *typedError) Error() string { return e.text }

func TestEffectThatEndsItsTransactionIsAnEndOfTheAttempt(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(context.Context, Tx) error
		want string
	}{
		"commit":    {commitTx, "1 ok done"},
		"roll back": {rollBackTx, "1 transient unmatched retry"},
	} {
		h := newHarness(t, notePolicy(), func(_ context.Context, job *Job[note]) error {
			job.OnCommit(c.end)
			return nil
		})
		id := h.enqueue(note{}).JobID
		h.runDue()
		if got := h.ledger(id); fmt.Sprint(got) != "["+c.want+"]" || h.running() != 0 {
			t.Errorf("%s: ledger %q, %d running", name, got, h.running())
		}
	}
}

// What comes after such a commit cannot be undone, and must not pass in silence.
func TestEffectThatCommitsHidesNoErrorOfTheNext(t *testing.T) {
	var logged bytes.Buffer
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.NewTextHandler(&logged, nil)))
	for name, next := range map[string]func(context.Context, Tx) error{
		"none": nil, "an error": func(context.Context, Tx) error { return errBroken },
	} {
		logged.Reset()
		h := newHarness(t, notePolicy(), func(_ context.Context, job *Job[note]) error {
			job.OnCommit(commitTx)
			if next != nil {
				job.OnCommit(next)
			}
			return nil
		})
		id := h.enqueue(note{}).JobID
		h.runDue()
		h.wantLedger(id, "1 ok done")
		if !strings.Contains(logged.String(), "an effect committed the end of its attempt") {
			t.Errorf("%s: logged %s", name, logged.String())
		}
	}
}

func TestHandlerThatSucceedsLateKeepsItsEffects(t *testing.T) {
	h := newHarness(t, notePolicy(), func(ctx context.Context, job *Job[note]) error {
		<-ctx.Done() // the timeout, which this handler does not care for
		job.OnCommit(insertsEffect)
		return nil
	})
	h.queue.timeout = 50 * time.Millisecond
	h.exec("create table effect (attempt integer)")
	id := h.enqueue(note{}).JobID
	h.runDue()
	h.wantLedger(id, "1 ok done")
	if got := h.strings("select attempt from effect"); len(got) != 1 {
		t.Errorf("%d effects", len(got))
	}
}

func TestReaperGoesOnBehindARowThatIsRefused(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	bad, good := h.enqueue(note{}).JobID, h.enqueue(note{}).JobID
	h.refuse("new.job_id = '" + bad + "'")
	h.begin("a process that dies")
	h.advance(h.queue.lease + time.Millisecond)
	if err := h.reap(t.Context()); err == nil || !strings.Contains(err.Error(), bad) {
		t.Errorf("error %v", err)
	}
	h.wantLedger(bad)
	h.wantLedger(good, "1 transient crashed retry")
}

func TestStoppingAtAnyMomentLeavesNothingBegun(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	for i := range 50 {
		for range 5 {
			h.enqueue(note{})
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- Run(ctx, h.store, h.lanes[0].worker) }()
		for range i * 20 {
			runtime.Gosched()
		}
		stop()
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		if left := h.strings("select job_id from " + jobTable + " where state = 'running'"); len(left) != 0 {
			t.Fatalf("stop %d left %d jobs running", i, len(left))
		}
	}
}

func TestUndecodablePayloadIsDeadWithItsRawBytes(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	id := h.enqueue(note{}).JobID
	raw := "\xff{not json"
	h.exec("update "+jobTable+" set payload = ?", []byte(raw))
	h.runDue()
	h.wantLedger(id, "1 permanent undecodable dead undecodable")
	if got := h.payload(id); string(got) != raw {
		t.Errorf("payload %q", got)
	}
}

func TestBudgetsAreApart(t *testing.T) {
	p := notePolicy()
	p.classes = []errorClass{{name: "throttled", outcome: transient, when: []condition{is(errNever)}, budget: throttles}}
	ends := []error{errNever, errNever, Snooze(time.Second), Snooze(time.Second), errBroken, errBroken, nil}
	h := newHarness(t, p, func(_ context.Context, job *Job[note]) error { return ends[job.Attempt-1] })
	id := h.enqueue(note{}).JobID
	for range ends {
		h.runDue()
		h.advance(time.Hour)
	}
	h.wantLedger(id, "1 transient throttled retry", "2 transient throttled retry", "3 transient snoozed retry",
		"4 transient snoozed retry", "5 transient unmatched retry", "6 transient unmatched retry", "7 ok done")
}

func TestStoppingBurnsNoFailure(t *testing.T) {
	h := newHarness(t, notePolicy(), func(ctx context.Context, _ *Job[note]) error { <-ctx.Done(); return errors.New("signal: killed") })
	id := h.enqueue(note{}).JobID
	h.stop(ErrStopped)
	h.runDue()
	h.wantLedger(id, "1 transient interrupted retry")
	if got := h.strings("select failures || ' ' || interrupts from " + jobTable); got[0] != "0 1" {
		t.Errorf("failures and interrupts are %s", got[0])
	}
	h.advance(time.Millisecond)
	if n := len(h.begin("the next process")); n != 1 {
		t.Error("an interrupted job did not run again at once")
	}
}

func TestHandlerThatIgnoresItsContextIsGivenUpAndNeverOverlapped(t *testing.T) {
	release, started := make(chan struct{}), make(chan struct{}, 9)
	h := newHarness(t, notePolicy(), func(context.Context, *Job[note]) error { started <- struct{}{}; <-release; return nil })
	h.queue.timeout, h.queue.lease = time.Millisecond, 20*time.Millisecond
	go h.watch(t.Context())
	id := h.enqueue(note{}).JobID
	h.runDue()
	h.wantLedger(id, "1 transient timeout retry")
	h.advance(time.Minute)
	h.runDue() // its first run goes on: this one is put back
	h.wantLedger(id, "1 transient timeout retry")
	if len(started) != 1 {
		t.Errorf("%d runs at once", len(started))
	}
	close(release)
	for stuck := true; stuck; {
		runtime.Gosched()
		h.mu.Lock()
		stuck = h.stuck[id]
		h.mu.Unlock()
	}
	h.queue.timeout = time.Minute
	h.advance(time.Minute)
	h.runDue()
	h.wantLedger(id, "1 transient timeout retry", "2 ok done")
}

func TestRunSaysSoIfAHandlerIgnoresItsStop(t *testing.T) {
	release, started := make(chan struct{}), make(chan struct{})
	p := notePolicy()
	p.grace = 20 * time.Millisecond
	h := newHarness(t, p, func(context.Context, *Job[note]) error { close(started); <-release; return nil })
	id := h.enqueue(note{}).JobID
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- Run(ctx, h.store, h.lanes[0].worker) }()
	<-started
	stop()
	if err := <-ended; !errors.Is(err, ErrStuck) {
		t.Errorf("error %v", err)
	}
	close(release)
	h.wantLedger(id, "1 transient interrupted retry")
}

func TestRunWorksAndStopsCleanly(t *testing.T) {
	ran := make(chan struct{})
	h := newHarness(t, notePolicy(), func(context.Context, *Job[note]) error { close(ran); return nil })
	id := h.enqueue(note{}).JobID
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- Run(ctx, h.store, h.lanes[0].worker) }()
	<-ran
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	h.wantLedger(id, "1 ok done")
}

func TestEnqueueWakesTheWorkersOfItsProcess(t *testing.T) {
	p := notePolicy()
	p.poll = time.Hour
	ran := make(chan struct{})
	h := newHarness(t, p, func(context.Context, *Job[note]) error { ran <- struct{}{}; return nil })
	h.enqueue(note{})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- Run(ctx, h.store, h.lanes[0].worker) }()
	<-ran
	h.enqueue(note{})
	select {
	case <-ran:
	case <-time.After(10 * time.Second):
		t.Error("the job waits for the poll")
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestEnqueueWakesEveryRunOnItsStore(t *testing.T) {
	p := notePolicy()
	p.poll = time.Hour
	h := newHarness(t, p, fails(nil))
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	runs := map[string]chan struct{}{"one": make(chan struct{}), "two": make(chan struct{})}
	enqueue := func(name string) {
		q := *h.queue
		q.name = name
		if _, err := enqueueOne(t.Context(), h.store, nil, &q, note{}); err != nil {
			t.Fatal(err)
		}
		select {
		case <-runs[name]:
		case <-time.After(10 * time.Second):
			t.Errorf("the job for %s waits for the poll", name)
		}
	}
	for name, ran := range runs {
		q := *h.queue
		q.name = name
		go func() {
			ended <- Run(ctx, h.store, newWorker(&q, func(context.Context, *Job[note]) error { ran <- struct{}{}; return nil }))
		}()
		enqueue(name)
	}
	for range 5 {
		enqueue("one")
		enqueue("two")
	}
	stop()
	for range runs {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

type traceKey struct{}

func TestHandlersAndEffectsSeeTheValuesOfTheContextOfRun(t *testing.T) {
	seen := make(chan any, 2)
	h := newHarness(t, notePolicy(), func(ctx context.Context, job *Job[note]) error {
		seen <- ctx.Value(traceKey{})
		job.OnCommit(func(ctx context.Context, _ Tx) error { seen <- ctx.Value(traceKey{}); return nil })
		return nil
	})
	h.enqueue(note{})
	ctx, stop := context.WithCancel(context.WithValue(t.Context(), traceKey{}, "trace"))
	ended := make(chan error)
	go func() { ended <- Run(ctx, h.store, h.lanes[0].worker) }()
	for range 2 {
		if got := <-seen; got != "trace" {
			t.Errorf("the context has %v", got)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestErrorTextOfAnyKindIsStored(t *testing.T) {
	for _, text := range []string{"nul \x00", "bad utf-8 \xff", strings.Repeat("é", 5<<20), "\xed\xa0\x80", ""} {
		h := newHarness(t, notePolicy(), fails(errors.New(text)))
		id := h.enqueue(note{}).JobID
		h.runDue()
		h.wantLedger(id, "1 transient unmatched retry")
		stored := h.strings("select coalesce(error_detail, '') from " + ledgerTable)[0]
		if strings.Contains(stored, "\x00") || !utf8.ValidString(stored) || len(stored) > 200 {
			t.Errorf("%.20q is stored as %q", text, stored)
		}
	}
}

func TestLedgerIsAppendOnly(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	h.enqueue(note{})
	h.runDue()
	if err := h.tryExec("update " + ledgerTable + " set outcome = 'transient'"); err == nil {
		t.Error("a row of the ledger was changed")
	}
}

func TestMissingTablesAreNamed(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	h.exec("alter table " + ledgerTable + " drop column fingerprint")
	if err := h.store.check(t.Context()); err == nil || !strings.Contains(err.Error(), "migrations") {
		t.Errorf("error %v", err)
	}
	if err := h.store.migrate(t.Context()); err == nil {
		t.Error("tables of another shape were taken for the right ones")
	}
}
