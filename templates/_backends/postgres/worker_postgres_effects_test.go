package worker

import (
	"context"
	"strings"
	"testing"
)

func TestEffectsRunAgainWhereTheirTransactionCannotBeOrdered(t *testing.T) {
	runs := 0
	h := newHarness(t, notePolicy(), func(_ context.Context, job *Job[note]) error {
		job.OnCommit(func(ctx context.Context, tx Tx) error {
			if err := insertsEffect(ctx, tx); err != nil {
				return err
			}
			if runs++; runs < 3 {
				return execTx(ctx, tx, "do $$ begin raise exception 'deadlock' using errcode = '40P01'; end $$")
			}
			return nil
		})
		return nil
	})
	h.exec("create table effect (attempt integer)")
	id := h.enqueue(note{}).JobID
	h.runDue()
	h.wantLedger(id, "1 ok done")
	if got := h.strings("select attempt from effect"); len(got) != 1 || runs != 3 {
		t.Errorf("%d effects after %d runs", len(got), runs)
	}
}

func TestEffectWhoseConnectionIsLostRunsAgain(t *testing.T) {
	for lost, want := range map[int]string{2: "1 ok done", effectTries: "1 transient unmatched retry"} {
		runs := 0
		h := newHarness(t, notePolicy(), func(_ context.Context, job *Job[note]) error {
			job.OnCommit(func(ctx context.Context, tx Tx) error {
				if runs++; runs <= lost {
					return execTx(ctx, tx, "select pg_terminate_backend(pg_backend_pid())")
				}
				return insertsEffect(ctx, tx)
			})
			return nil
		})
		h.exec("create table effect (attempt integer)")
		id := h.enqueue(note{}).JobID
		h.runDue()
		h.wantLedger(id, want)
		if got := h.strings("select attempt from effect"); len(got) != min(1, effectTries-lost) || runs != min(lost+1, effectTries) {
			t.Errorf("%d effects after %d runs", len(got), runs)
		}
	}
}

func TestEffectThatEndsItsTransactionByAStatementIsAnEndOfTheAttempt(t *testing.T) {
	for statement, want := range map[string]string{"commit": "1 ok done", "rollback": "1 transient unmatched retry"} {
		h := newHarness(t, notePolicy(), func(_ context.Context, job *Job[note]) error {
			job.OnCommit(func(ctx context.Context, tx Tx) error { return execTx(ctx, tx, statement) })
			return nil
		})
		id := h.enqueue(note{}).JobID
		h.runDue()
		h.wantLedger(id, want)
	}
}

func TestEffectThatHidesAFailedStatementIsAnEndOfTheAttempt(t *testing.T) {
	h := newHarness(t, notePolicy(), func(_ context.Context, job *Job[note]) error {
		job.OnCommit(func(ctx context.Context, tx Tx) error {
			_ = execTx(ctx, tx, "insert into no_such_table values (1)")
			return nil
		})
		return nil
	})
	id := h.enqueue(note{}).JobID
	h.runDue()
	h.wantLedger(id, "1 transient unmatched retry")
	if got := h.strings("select error_detail from " + ledgerTable); !strings.Contains(got[0], "a statement of its transaction failed") {
		t.Errorf("detail %q", got)
	}
}
