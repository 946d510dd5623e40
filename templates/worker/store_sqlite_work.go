package worker

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// finish writes the ends of attempts, and claims jobs for each want, in one transaction. It answers the jobs whose end
// was taken: an attempt that is no longer the holder's leaves nothing behind. Wants behind a job that has to run alone
// are not looked at, and have no answer.
func (s *Store) finish(ctx context.Context, results []result, wants []want, token, worker string) (accepted map[string]bool, jobs [][]claimed, err error) {
	err = s.write(ctx, func(tx Tx) error {
		accepted, jobs = map[string]bool{}, nil
		if err := s.end(ctx, tx, results, accepted); err != nil {
			return err
		}
		for _, w := range wants {
			query := s.text.claim
			if w.alone {
				query = s.text.claimAlone
			}
			began, err := s.jobs(ctx, tx, query, w.queue, w.n, token, worker, w.lease.Milliseconds())
			if err != nil {
				return err
			}
			jobs = append(jobs, began)
			if w.alone && len(began) > 0 {
				break
			}
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return accepted, jobs, nil
}

// finishWith writes the end of one attempt together with its effects: both commit, or neither.
func (s *Store) finishWith(ctx context.Context, r result, effects func(Tx) error) (accepted bool, err error) {
	ran := false
	err = s.write(ctx, func(tx Tx) error {
		ended := map[string]bool{}
		if err := s.end(ctx, tx, []result{r}, ended); err != nil || !ended[r.JobID] {
			return err
		}
		accepted, ran = true, true
		return effects(tx)
	})
	switch {
	case ran && err != nil && ctx.Err() != nil:
		err = &effectError{context.Cause(ctx)}
	case ran && errors.Is(err, sql.ErrTxDone):
		err = &effectError{errEffectEndedTx}
	}
	return accepted && err == nil, err
}

// success is what the successes have in common that one statement writes.
type success struct{ next, token, policyHash string }

// end is fenced by job, attempt and lease token in every statement. Its statements are short, and end with their
// transaction: each that can be cancelled by itself would cost a goroutine.
func (s *Store) end(ctx context.Context, tx Tx, results []result, accepted map[string]bool) error {
	ctx = context.WithoutCancel(ctx)
	successes := map[success]map[string]int{} // attempts by job
	exec := s.executor(ctx, tx)
	for i := range results {
		r := &results[i]
		if r.Outcome == ok {
			kind := success{r.Next, r.Token, r.PolicyHash}
			if successes[kind] == nil {
				successes[kind] = map[string]int{}
			}
			successes[kind][r.JobID] = r.Attempt
			continue
		}
		taken, err := s.endOne(exec, r)
		if err != nil {
			return err
		}
		if taken {
			accepted[r.JobID] = true
		}
	}
	for kind, attempts := range successes {
		if err := s.succeed(ctx, tx, kind, attempts, accepted); err != nil {
			return err
		}
	}
	return nil
}

// succeed writes the ledger rows and then the job rows of all successes of a kind.
func (s *Store) succeed(ctx context.Context, tx Tx, kind success, attempts map[string]int, accepted map[string]bool) error {
	doc, err := json.Marshal(attempts)
	if err != nil {
		return err
	}
	taken := 0
	err = s.each(ctx, tx, s.text.finishOK, []any{string(doc), kind.token, kind.policyHash}, func(rows dbRows) error {
		var id string
		err := rows.Scan(&id)
		accepted[id] = true
		taken++
		return err
	})
	if err != nil {
		return err
	}
	moving := s.text.finishDelete
	if kind.next == "done" {
		moving = s.text.finishDone
	}
	moved, err := affected(tx.StmtContext(ctx, s.prepared[moving]).ExecContext(ctx, string(doc), kind.token))
	if err == nil && moved != taken {
		err = fmt.Errorf("the ledger took the success of %d jobs, but %d rows follow it", taken, moved)
	}
	return err
}

// endOne writes an end that is no success. In one process that costs less, row by row, than a document that SQLite has
// to take apart.
func (s *Store) endOne(exec func(query string, r *result, args ...any) (int, error), r *result) (taken bool, err error) {
	if r.PutBack {
		n, err := exec(s.text.finishBack, r, r.DelayMS)
		return n > 0, err
	}
	n, err := exec(s.text.finishLedger, r,
		r.Reaped, string(r.Outcome), null(r.Detail), null(r.Class), r.Decision, null(r.DeadReason),
		sql.NullInt64{Int64: r.DelayMS, Valid: r.Decision == "retry"}, sql.NullInt64{Int64: r.RetryAfterMS, Valid: r.RetryAfterMS != 0}, null(r.Fingerprint), r.PolicyHash)
	if err != nil || n == 0 {
		return false, err
	}
	n, err = exec(s.text.finishJob, r, r.Next, r.RunAlone, r.DelayMS, r.Budget, null(r.Class), null(r.Detail), null(r.Fingerprint), null(r.DeadReason))
	if err == nil && n == 0 {
		err = fmt.Errorf("the row of job %s does not follow its ledger", r.JobID)
	}
	return true, err
}

// executor runs statements whose first parameters are the fence, and says how many rows were still the holder's.
func (s *Store) executor(ctx context.Context, tx Tx) func(query string, r *result, args ...any) (int, error) {
	bound := map[string]*sql.Stmt{} // to tx
	return func(query string, r *result, args ...any) (int, error) {
		if bound[query] == nil {
			bound[query] = tx.StmtContext(ctx, s.prepared[query])
		}
		return affected(bound[query].ExecContext(ctx, append([]any{r.JobID, r.Attempt, r.Token}, args...)...))
	}
}

// null is NULL for an empty text.
func null(s string) sql.NullString { return sql.NullString{String: s, Valid: s != ""} }

// renew extends leases. SQLite has no busy rows: a job without an answer is lost.
func (s *Store) renew(ctx context.Context, patience time.Duration, leases []leased, token string) (map[string]renewal, error) {
	doc, err := json.Marshal(leases)
	if err != nil {
		return nil, err
	}
	answers := map[string]renewal{}
	err = s.writeNext(ctx, patience, func(tx Tx) error {
		return s.each(ctx, tx, s.text.renew, []any{string(doc), token}, func(rows dbRows) error {
			var id string
			r := renewal{renewed: true}
			err := rows.Scan(&id, &r.attempt)
			answers[id] = r
			return err
		})
	})
	return answers, err
}

// reap ends attempts whose lease is over, as decide says. Before, it marks the other jobs that the same processes
// were running: whichever of them brought the process down, they had company.
func (s *Store) reap(ctx context.Context, patience time.Duration, queues []string, decide func(claimed) result) (ended map[*claimed]result, err error) {
	doc, err := json.Marshal(queues)
	if err != nil {
		return nil, err
	}
	over, err := s.jobs(ctx, nil, s.text.expired, string(doc))
	if err != nil || len(over) == 0 {
		return nil, err
	}
	var refused error
	err = s.writeNext(ctx, patience, func(tx Tx) error {
		if _, err := tx.ExecContext(ctx, s.text.company, string(doc)); err != nil {
			return err
		}
		over, err := s.jobs(ctx, tx, s.text.expired, string(doc))
		if err == nil {
			ended, refused, err = judged(over, decide, func(results []result) (map[string]bool, error) { return s.endInside(ctx, tx, results) })
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return ended, refused
}
