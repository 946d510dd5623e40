package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"
)

func TestOneRowThatTheDatabaseRefusesHoldsBackNoOther(t *testing.T) {
	h := newHarness(t, notePolicy(), func(_ context.Context, job *Job[note]) error { return errors.New(job.Payload.Text) })
	h.refuse("new.error_detail = 'poison'")
	var ids []string
	for i := range 50 {
		ids = append(ids, h.enqueue(note{Text: []string{"plain", "poison"}[min(1, i/49)]}).JobID)
	}
	for _, c := range h.begin(h.token) {
		h.start(h.lanes[0], c)
	}
	for range ids {
		h.unwritten = append(h.unwritten, <-h.ended)
	}
	h.turn(t.Context(), true)
	for _, id := range ids[:49] {
		h.wantLedger(id, "1 transient unmatched retry")
	}
	h.wantLedger(ids[49], "1 transient unmatched retry")
	if got := h.strings("select error_detail from "+ledgerTable+" where job_id = ?", ids[49]); got[0] != "the database refused the error's text" {
		t.Errorf("detail %q", got[0])
	}
}

func TestLostAnswerToACommitIsFoundInTheLedger(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(errBroken))
	id := h.enqueue(note{}).JobID
	h.start(h.lanes[0], h.begin(h.token)[0])
	f := <-h.ended
	if _, _, err := h.store.finish(t.Context(), []result{f.result}, nil, h.token, h.name); err != nil {
		t.Fatal(err)
	}
	if left := h.salvage(t.Context(), []*flight{f}, errBroken); len(left) != 0 || h.running() != 0 {
		t.Errorf("%d left, %d running", len(left), h.running())
	}
	h.wantLedger(id, "1 transient unmatched retry")
}

func TestEndIsKeptWhileTheDatabaseIsLocked(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(errBroken))
	id := h.enqueue(note{}).JobID
	h.start(h.lanes[0], h.begin(h.token)[0])
	h.unwritten = append(h.unwritten, <-h.ended)
	unlock := h.lock()
	for range 3 {
		h.turn(t.Context(), true)
		h.unwritten, h.stubborn = append(h.unwritten, h.stubborn...), nil
	}
	h.wantLedger(id)
	if h.running() != 1 {
		t.Error("the slot was freed before the end was written")
	}
	unlock()
	h.turn(t.Context(), true)
	h.wantLedger(id, "1 transient unmatched retry")
	if got := h.strings("select error_detail from " + ledgerTable); got[0] != errBroken.Error() {
		t.Errorf("the lock cost the error its text: %q", got[0])
	}
}

func TestPayloadOfAnotherSchemaIsPutBackAndUsesNoAttempt(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	for name, payload := range map[string]string{"a new field": `{"key":"a","text":"","currency":"EUR"}`, "another type": `{"key":1}`} {
		id := h.enqueue(note{}).JobID
		h.exec("update "+jobTable+" set payload = ?, schema_hash = 's2' where job_id = ?", []byte(payload), id)
		if n := h.runDue(); n != 1 {
			t.Fatalf("%s: %d claimed", name, n)
		}
		h.wantLedger(id)
		h.wantState(id, "scheduled")
		if got := h.strings("select attempt from " + jobTable + " where first_attempt_at is null"); !slices.Equal(got, []string{"0"}) {
			t.Errorf("%s: attempts of the job that was never begun: %v", name, got)
		}
		h.exec("delete from " + jobTable)
	}
	id := h.enqueue(note{}).JobID
	h.exec("update "+jobTable+" set payload = ?, schema_hash = 's0'", []byte(`{"key":"a"}`))
	h.runDue()
	h.wantLedger(id, "1 ok done") // an older producer's: nothing in it is unknown here
}

func TestPayloadThatNobodyKnowsIsDeadOnceItsWindowIsOver(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	id := h.enqueue(note{}).JobID
	h.exec("update "+jobTable+" set payload = ?, schema_hash = 's2'", []byte(`{"currency":"EUR"}`))
	for range 3 {
		h.runDue()
		h.advance(h.queue.policy.caps.window)
	}
	h.wantLedger(id, "1 permanent undecodable dead undecodable")
}

func TestEnqueueInsideAnEffectIsRefusedWithoutItsTransaction(t *testing.T) {
	var h *harness
	h = newHarness(t, notePolicy(), func(_ context.Context, job *Job[note]) error {
		job.OnCommit(func(ctx context.Context, tx Tx) error {
			if job.Payload.Text == "tx" {
				_, err := enqueueOne(ctx, h.store, tx, h.queue, note{Key: "next"})
				return err
			}
			_, err := enqueueOne(ctx, h.store, nil, h.queue, note{Key: "never"})
			if !errors.Is(err, ErrInsideEffect) {
				t.Errorf("error %v", err)
			}
			return err
		})
		return nil
	})
	h.enqueue(note{Text: "tx"})
	h.enqueue(note{})
	h.runDue()
	if got := h.strings("select idempotency_key from " + jobTable + " where idempotency_key is not null"); fmt.Sprint(got) != `[["next"]]` {
		t.Errorf("enqueued %v", got)
	}
}

func TestManyCallersWithOneKeyMakeOneJob(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	fresh := make(chan int, 50)
	for range 50 {
		go func() {
			r, err := enqueueOne(context.Background(), h.store, nil, h.queue, note{Key: "k"})
			if err != nil {
				t.Error(err)
			}
			fresh <- map[bool]int{false: 1}[r.Duplicate]
		}()
	}
	n := 0
	for range 50 {
		n += <-fresh
	}
	if n != 1 || len(h.strings("select job_id from "+jobTable)) != 1 {
		t.Errorf("%d new jobs", n)
	}
}

func TestLargeBatchIsEnqueuedWhole(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	payloads := make([]note, 2500)
	for i := range payloads {
		payloads[i].Key = fmt.Sprint(i % 2400)
	}
	receipts, err := enqueueMany(t.Context(), h.store, nil, h.queue, payloads)
	if err != nil {
		t.Fatal(err)
	}
	duplicates := 0
	for i, r := range receipts {
		if r.Duplicate {
			duplicates++
		}
		if r.Duplicate != (i >= 2400) || r.State != "scheduled" || !r.SamePayload || r.JobID == "" {
			t.Fatalf("receipt %d: %+v", i, r)
		}
	}
	if got := h.strings("select count(*) from " + jobTable); got[0] != "2400" || duplicates != 100 {
		t.Errorf("%s jobs, %d duplicates", got[0], duplicates)
	}
}

func TestStatsCountWhatIsThere(t *testing.T) {
	p := notePolicy()
	p.classes = []errorClass{{name: "never", outcome: permanent, when: []condition{is(errNever)}}}
	h := newHarness(t, p, func(_ context.Context, job *Job[note]) error {
		if job.Payload.Text == "dead" {
			return errNever
		}
		return errBroken
	})
	h.enqueue(note{Text: "dead"})
	h.enqueue(note{})
	h.runDue()
	h.enqueue(note{})
	h.begin("a process that dies")
	h.advance(h.queue.lease + time.Millisecond)
	h.enqueue(note{})
	h.advance(time.Second)
	got, err := h.store.Stats(t.Context())
	want := []QueueStats{{Queue: "notes", Due: 2, OldestDue: 31*time.Second + time.Millisecond, Running: 1, Overdue: 1, Dead: []DeadStats{{"never", "permanent", 1}}}}
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%+v, want %+v (%v)", got, want, err)
	}
}
