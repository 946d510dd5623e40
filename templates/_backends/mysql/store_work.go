package worker

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// finish writes the ends of attempts, and claims jobs for each want, in one transaction. It answers the jobs whose end
// was taken: an attempt that is no longer the holder's leaves nothing behind. Wants behind a job that has to run alone
// are not looked at, and have no answer.
func (s *Store) finish(ctx context.Context, results []result, wants []want, token, worker string) (accepted map[string]bool, jobs [][]claimed, err error) {
	try := func(tx Tx) error {
		accepted, jobs = map[string]bool{}, nil
		if err := s.end(ctx, tx, results, accepted); err != nil {
			return err
		}
		for _, w := range wants {
			began, err := s.claim(ctx, tx, w, token, worker)
			if err != nil {
				return err
			}
			jobs = append(jobs, began)
			if w.alone && len(began) > 0 {
				break
			}
		}
		return nil
	}
	err = retried(ctx, func() error { return write(ctx, s.db, try) }, deadlock)
	if err != nil {
		return nil, nil, err
	}
	return accepted, jobs, nil
}

// claim locks due jobs that nobody else has locked, and begins them.
func (s *Store) claim(ctx context.Context, tx Tx, w want, token, worker string) ([]claimed, error) {
	jobs, err := s.jobs(ctx, tx, s.text.claim, w.alone, w.queue, w.n)
	if err != nil || len(jobs) == 0 {
		return nil, err
	}
	ids := make([]string, len(jobs))
	for i := range jobs {
		c := &jobs[i]
		c.attempt, c.token, c.company = c.attempt+1, token, false
		ids[i] = c.jobID
	}
	_, err = s.exec(ctx, tx, s.text.begin, document{ids}, token, worker, w.lease.Microseconds())
	return jobs, err
}

// document is a parameter that goes to the database as JSON.
type document struct{ of any }

func (d document) Value() (driver.Value, error) {
	text, err := json.Marshal(d.of)
	return string(text), err
}

// exec runs a statement and answers how many rows it has changed.
func (s *Store) exec(ctx context.Context, tx Tx, query string, args ...any) (int, error) {
	if stmt := s.prepared[query]; stmt != nil {
		return affected(tx.StmtContext(ctx, stmt).ExecContext(ctx, args...))
	}
	return affected(tx.ExecContext(ctx, query, args...))
}

// end fences every statement by job, attempt and lease token. The first locks the rows, in the order of their jobs, in
// which every transaction takes them, and tells which are still the holder's and when they end.
func (s *Store) end(ctx context.Context, tx Tx, results []result, accepted map[string]bool) error {
	if len(results) == 0 {
		return nil
	}
	ordered := slices.Clone(results)
	slices.SortFunc(ordered, func(a, b result) int { return cmp.Compare(a.JobID, b.JobID) })
	var now string
	ours := map[leased]bool{}
	err := s.each(ctx, tx, s.text.fence, []any{document{ordered}}, func(rows dbRows) error {
		var l leased
		err := rows.Scan(&l.JobID, &l.Attempt, &now)
		ours[l], accepted[l.JobID] = true, true
		return err
	})
	if err != nil || len(ours) == 0 {
		return err
	}
	ordered = slices.DeleteFunc(ordered, func(r result) bool { return !ours[leased{JobID: r.JobID, Attempt: r.Attempt}] })
	var back, gone, moved []result
	for _, r := range ordered {
		switch {
		case r.PutBack:
			back = append(back, r)
		case r.Next == "gone":
			gone = append(gone, r)
		default:
			moved = append(moved, r)
		}
	}
	ended := append(slices.Clone(gone), moved...)
	for _, step := range []struct {
		query   string
		results []result
		args    []any
	}{
		{s.text.finishLedger, ended, []any{now, document{ended}}},
		{s.text.finishDelete, gone, []any{document{gone}}},
		{s.text.finishJob, moved, []any{document{moved}, now, now}},
		{s.text.finishBack, back, []any{document{back}, now}},
	} {
		if len(step.results) == 0 {
			continue
		}
		n, err := s.exec(ctx, tx, step.query, step.args...)
		if err == nil && n != len(step.results) {
			err = fmt.Errorf("%w: %d of %d", errAstray, n, len(step.results))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// errEffectLostTx is the end of an attempt whose effect went on after the database had rolled its transaction back.
var errEffectLostTx = errors.New("a function given to OnCommit returned no error although its transaction was rolled back, as a deadlock does: nothing could be committed")

// errGone is an error of effects whose connection was lost while they ran: it is the database's, unless it is so each time.
var errGone = errors.New("the connection was lost")

// finishWith writes the end of one attempt together with its effects: both commit, or neither. The end comes first: it
// tells whether the attempt is still ours, and holds the row. After a deadlock or the like, all is done again. What a
// deadlock has rolled back can still be committed, as nothing: so the end is looked for before.
func (s *Store) finishWith(ctx context.Context, r result, effects func(Tx) error) (accepted bool, err error) {
	ran := false
	try := func(tx Tx) error {
		ended := map[string]bool{}
		err := s.end(ctx, tx, []result{r}, ended)
		accepted = ended[r.JobID]
		if err != nil || !accepted {
			return err
		}
		ran = true
		if err := effects(tx); err != nil {
			return err
		}
		lost := true
		err = s.each(ctx, tx, s.text.recorded, []any{document{[]result{r}}, r.Token}, func(dbRows) error { lost = false; return nil })
		if err == nil && lost {
			err = &effectError{errEffectLostTx}
		}
		return err
	}
	err = retried(ctx, func() error { return s.writeWith(ctx, try) }, deadlock, lockWaitTimeout)
	switch {
	case ran && err != nil && ctx.Err() != nil:
		err = &effectError{context.Cause(ctx)}
	case ran && errors.Is(err, sql.ErrTxDone):
		err = &effectError{errEffectEndedTx}
	}
	return accepted && err == nil, err
}

// writeWith is write for code of the product, and tells an error of its connection from the product's own. The error of a
// commit says nothing of what was written, and stays as it is.
func (s *Store) writeWith(ctx context.Context, fn func(Tx) error) error {
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { go func() { _ = conn.Close() }() }() // it waits for the end of a transaction that was cut off
	failed := false
	err = write(ctx, conn, func(tx Tx) error {
		err := fn(tx)
		failed = err != nil
		return err
	})
	if failed && ctx.Err() == nil && broken(conn) {
		return fmt.Errorf("%w: %w", errGone, err)
	}
	return err
}

func broken(conn *sql.Conn) bool {
	valid := false
	err := conn.Raw(func(c any) error {
		v, is := c.(driver.Validator)
		valid = !is || v.IsValid()
		return nil
	})
	return err != nil || !valid
}
