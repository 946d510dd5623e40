//retryc:when redrive

package worker

import (
	"context"
	"fmt"
)

// UndoRedrive takes back what a plan has done and nobody has begun: such jobs are dead as they were before, in their generation and
// with their payload. A job that has begun goes on. It answers how many are back, and can be called again where it was cut off. A
// plan that is being applied has to be stopped first.
func (s *Store) UndoRedrive(ctx context.Context, id string, by Signed) (back int, err error) {
	by, err = by.check()
	if err != nil {
		return 0, fmt.Errorf("undo: %w", err)
	}
	r, err := s.Redrive(ctx, id)
	if err != nil {
		return 0, fmt.Errorf("undo: %w", err)
	}
	begun, err := s.pool.Exec(ctx, s.timed(redriving.beginUndo), id, by.Operator, by.Reason)
	switch {
	case err != nil:
		return 0, fmt.Errorf("undo: %w", err)
	case begun.RowsAffected() == 0 && r.State == "planned":
		return 0, fmt.Errorf("undo: the plan %s was never applied", id)
	case begun.RowsAffected() == 0:
		return 0, fmt.Errorf("undo: %s is applying the plan %s just now: stop it first", r.Operator, id)
	}
	for after := 0; ; {
		n, last, err := s.undoBatch(ctx, id, after)
		if back += n; err != nil {
			return back, fmt.Errorf("undo: %w", err)
		}
		if last == 0 {
			return back, nil
		}
		after = last
	}
}

// undoBatch takes some of the items behind a seq back, and answers the last of them; 0: there are none.
func (s *Store) undoBatch(ctx context.Context, id string, after int) (back, last int, err error) {
	err = write(ctx, s.pool, func(tx Tx) error {
		var items openItems
		err := items.read(ctx, tx, redriving.undoable, id, after, undoAtOnce)
		if err != nil || len(items.seqs) == 0 {
			return err
		}
		if err := items.lock(ctx, tx); err != nil {
			return err
		}
		last = items.seqs[len(items.seqs)-1]
		return each(ctx, tx, s.timed(redriving.undo), []any{id, items.seqs, items.jobIDs}, func(dbRows) error {
			back++
			return nil
		})
	})
	if err != nil {
		return 0, 0, err
	}
	return back, last, nil
}

// undoAtOnce is how many jobs are taken back in a transaction.
const undoAtOnce = 1000
