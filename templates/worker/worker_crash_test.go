package worker

import (
	"context"
	"fmt"
	"testing"
	"time"
)

func TestCrashCostsNoFailure(t *testing.T) {
	p := notePolicy()
	p.caps.attempts = 1
	h := newHarness(t, p, fails(nil))
	id := h.enqueue(note{}).JobID
	h.crash()
	h.advance(time.Hour)
	h.runDue()
	h.wantLedger(id, "1 transient crashed retry", "2 ok done")
}

func TestCrashClimbsTheLadderOfItsClass(t *testing.T) {
	p := notePolicy()
	p.classes = []errorClass{{name: "died", outcome: transient, on: []error{errCrashed}, ladder: &ladder{rungs: []time.Duration{time.Minute}, min: 1, max: 1}}}
	h := newHarness(t, p, fails(nil))
	id := h.enqueue(note{}).JobID
	h.crash()
	h.advance(time.Minute - time.Millisecond)
	if h.runDue() != 0 {
		t.Error("it ran before its time")
	}
	h.advance(time.Millisecond)
	h.runDue()
	h.wantLedger(id, "1 transient died retry", "2 ok done")
}

// Between the reaper's look and its write, the attempt ends in one case, and is renewed in the other.
func TestLeaseThatMovesWhileItIsJudgedIsLeftAlone(t *testing.T) {
	for name, c := range map[string]struct {
		meanwhile func(*harness, claimed)
		want      []string
	}{
		"ended":   {func(h *harness, c claimed) { h.end(h.process, c) }, []string{"1 ok done"}},
		"renewed": {func(h *harness, c claimed) { h.extendLeases(time.Minute, "true") }, nil},
	} {
		h := newHarness(t, notePolicy(), fails(nil))
		id := h.enqueue(note{Key: "k"}).JobID
		c1 := h.begin(h.token)[0]
		h.advance(h.queue.lease + time.Millisecond)
		judged := h.queue.rule(c1, h.queue.policy.crash(false), errCrashed)
		judged.Reaped = true
		c.meanwhile(h, c1)
		accepted, _, err := h.store.finish(t.Context(), []result{judged}, nil, "", "")
		if err != nil || len(accepted) != 0 {
			t.Errorf("%s: accepted %v (%v)", name, accepted, err)
		}
		h.wantLedger(id, c.want...)
	}
}

func TestShortWaitIsNotBehindALongOne(t *testing.T) {
	waits := map[string]time.Duration{"long": time.Hour, "short": time.Second}
	h := newHarness(t, notePolicy(), func(_ context.Context, job *Job[note]) error {
		if job.Attempt > 1 {
			return nil
		}
		return Snooze(waits[job.Payload.Text])
	})
	ids := map[string]string{}
	for _, text := range []string{"long", "short"} {
		ids[text] = h.enqueue(note{Text: text}).JobID
	}
	h.runDue()
	h.advance(time.Second)
	h.runDue()
	h.wantLedger(ids["short"], "1 transient snoozed retry", "2 ok done")
	h.wantLedger(ids["long"], "1 transient snoozed retry")
}

func TestKeyIsTakenWhileItsJobWaitsOnARung(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(errBroken))
	h.enqueue(note{Key: "k"})
	h.runDue()
	if r := h.enqueue(note{Key: "k"}); !r.Duplicate || r.State != "scheduled" {
		t.Errorf("%+v", r)
	}
}

func TestDeadJobsAreNeverTrimmed(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(Permanent(errBroken)))
	const many = 2050
	receipts, err := enqueueMany(t.Context(), h.store, nil, h.queue, make([]note, many))
	if err != nil {
		t.Fatal(err)
	}
	h.queue.concurrency = many
	h.exec("update "+jobTable+" set state = 'dead', dead_reason = 'permanent', dead_at = created_at, last_class = 'marked' where job_id <> ?", receipts[0].JobID)
	h.runDue()
	got, err := h.store.Stats(t.Context())
	if want := fmt.Sprint([]DeadStats{{"marked", "permanent", many}}); err != nil || len(got) != 1 || fmt.Sprint(got[0].Dead) != want {
		t.Errorf("%+v (%v)", got, err)
	}
}
