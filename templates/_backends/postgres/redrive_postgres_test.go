//retryc:when redrive

package worker

import (
	"context"
	"strings"
	"testing"
	"time"
)

var decided = Signed{Operator: "ann", Reason: "what they call is well again"}

// sendBack plans all dead jobs and sends them at once; nothing is judged.
func (h *harness) sendBack() (RedrivePlan, Redrive) {
	h.Helper()
	rules := redrive
	rules.canary, rules.batch, rules.every, rules.maxGenerations, rules.queueAge = 0, 1000, time.Millisecond, 2, forever
	p, err := h.store.plan(h.Context(), &rules, "redrive", DeadFilter{})
	if err != nil {
		h.Fatal(err)
	}
	r, err := h.store.apply(h.Context(), &rules, p.ID, p.Hash, decided, nil)
	if err != nil {
		h.Fatal(err)
	}
	h.advance(time.Millisecond)
	return p, r
}

func TestDeadJobGoesBackUnderItsKeyWithFreshBudgetsAndAtMostSoOften(t *testing.T) {
	h := newHarness(t, notePolicy(), func(context.Context, *Job[note]) error { return Permanent(errBroken) })
	r := h.enqueue(note{Key: "k", Text: "a"})
	h.runDue()
	h.wantState(r.JobID, "dead")
	if _, sent := h.sendBack(); sent.State != "done" || sent.Sent != 1 {
		t.Errorf("%+v", sent)
	}
	if again := h.enqueue(note{Key: "k", Text: "a"}); !again.Duplicate || again.State != "scheduled" {
		t.Errorf("%+v", again)
	}
	h.runDue()
	h.wantLedger(r.JobID, "1 permanent marked dead permanent", "2 permanent marked dead permanent")
	if _, sent := h.sendBack(); sent.Sent != 0 {
		t.Errorf("%+v", sent)
	}
	history, err := h.store.History(t.Context(), r.JobID)
	if err != nil || history.State != "dead" || history.Generation != 2 || len(history.Redrives) != 2 || history.Redrives[1].Result != "generations" || history.Redrives[0].By != decided {
		t.Errorf("%+v %v", history, err)
	}
}

func TestUndoneAndDiscardedJobsNeverRun(t *testing.T) {
	h := newHarness(t, notePolicy(), func(context.Context, *Job[note]) error { return Permanent(errBroken) })
	r := h.enqueue(note{Key: "k", Text: "a"})
	h.runDue()
	row := "select j::text from " + jobTable + " j"
	before := h.strings(row)
	p, _ := h.sendBack()
	if back, err := h.store.UndoRedrive(t.Context(), p.ID, decided); err != nil || back != 1 || h.strings(row)[0] != before[0] {
		t.Errorf("%d are back: %v; %s, and was %s", back, err, h.strings(row), before)
	}
	p, err := h.store.PlanDiscard(t.Context(), DeadFilter{JobIDs: []string{r.JobID}})
	if err != nil {
		t.Fatal(err)
	}
	for _, by := range []Signed{{}, {Operator: "ann", Reason: "retry"}} {
		if _, err := h.store.ApplyRedrive(t.Context(), p.ID, p.Hash, by, nil); err == nil {
			t.Errorf("%+v is taken", by)
		}
	}
	if _, err := h.store.ApplyRedrive(t.Context(), p.ID, strings.Repeat("0", 64), decided, nil); err == nil {
		t.Error("another hash is taken")
	}
	if _, err := h.store.ApplyRedrive(t.Context(), p.ID, p.Hash, decided, nil); err != nil {
		t.Fatal(err)
	}
	h.wantState(r.JobID, "cancelled")
	if again := h.enqueue(note{Key: "k", Text: "a"}); !again.Duplicate || h.runDue() != 0 {
		t.Errorf("%+v", again)
	}
	if back, err := h.store.UndoRedrive(t.Context(), p.ID, decided); err != nil || back != 1 || h.strings(row)[0] != before[0] {
		t.Errorf("%d are back: %v", back, err)
	}
	h.wantLedger(r.JobID, "1 permanent marked dead permanent")
}
