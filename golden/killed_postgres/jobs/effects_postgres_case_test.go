//go:build unix

package jobs

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

func init() {
	effects["cross ab"] = crosses("a", "b")
	effects["cross ba"] = crosses("b", "a")
	effects["serialize"] = func(ctx context.Context, _ *actor, tx Tx, _ string) error {
		_, err := tx.Exec(ctx, "set transaction isolation level serializable")
		return err
	}
	effects["conflict twice"] = func(context.Context, *actor, Tx, string) error {
		if conflicts++; conflicts < 3 {
			return fmt.Errorf("the balance: %w", &pgconn.PgError{Code: "40001", Message: "could not serialize access"})
		}
		return nil
	}
	effects["end by hand"] = func(ctx context.Context, _ *actor, tx Tx, _ string) error {
		_, err := tx.Exec(ctx, "rollback")
		return err
	}
}

var conflicts = 0

// crosses updates two rows, and waits between them until the other effect has updated its first.
func crosses(first, second string) func(context.Context, *actor, Tx, string) error {
	runs := 0
	return func(ctx context.Context, _ *actor, tx Tx, _ string) error {
		update := func(name string) error {
			_, err := tx.Exec(ctx, "update account set n = n + 1 where name = $1", name)
			return err
		}
		if err := update(first); err != nil {
			return err
		}
		if runs++; runs == 1 {
			close(told.word("has " + first))
			select {
			case <-told.word("has " + second):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return update(second)
	}
}

func TestDeadlockBetweenEffectsEndsWithBothOnce(t *testing.T) {
	t.Parallel()
	h := newTheatre(t, "20s")
	h.exec("create table account (name text primary key, n integer not null)")
	h.exec("insert into account values ('a', 0), ('b', 0)")
	enqueued := map[string]bool{h.paid("ab", "cross ab effect"): true, h.paid("ba", "cross ba effect"): true}
	p := h.start("worker", "PGOPTIONS=-c deadlock_timeout=50ms")
	h.over()
	p.stop()
	h.audit(enqueued)
	for id := range enqueued {
		h.wantOnce(id)
	}
	if got := h.strings("select n from account"); fmt.Sprint(got) != "[2 2]" {
		t.Errorf("accounts %q", got)
	}
}

func TestEffectThatCannotBeSerializedRunsAgainAndItsHandlerDoesNot(t *testing.T) {
	t.Parallel()
	h := newTheatre(t, "20s")
	id := h.paid("e", "conflict twice effect")
	p := h.start("worker")
	h.over()
	p.stop()
	h.wantOnce(id)
	h.audit(map[string]bool{id: true})
}

// Its transaction is the worker's, and has begun: neither the level nor the end of it are the effect's to choose.
func TestEffectThatMeddlesWithItsTransactionIsAnEndOfTheAttempt(t *testing.T) {
	t.Parallel()
	h := newTheatre(t, "20s")
	want := map[string]string{h.paid("level", "serialize effect"): "before any query", h.paid("end", "end by hand effect"): "ended its transaction"}
	p := h.start("worker")
	h.over()
	p.stop()
	enqueued := map[string]bool{}
	for id, text := range want {
		enqueued[id] = true
		h.wantAttempts(id, "1 unmatched retry", "2 unmatched retry", "3 unmatched dead failures")
		if got := h.strings("select error_detail from "+ledgerTable+" where job_id = ?", id); !strings.Contains(strings.Join(got, "\n"), text) {
			t.Errorf("detail %q, want %q", got[0], text)
		}
	}
	h.audit(enqueued)
}
