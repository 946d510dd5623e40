package worker

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// finish writes the ends of attempts, and claims jobs for each want, in one transaction. It answers the jobs whose end
// was taken: an attempt that is no longer the holder's leaves nothing behind. Wants behind a job that has to run alone
// are not looked at, and have no answer.
func (s *Store) finish(ctx context.Context, results []result, wants []want, token, worker string) (accepted map[string]bool, jobs [][]claimed, err error) {
	accepted = map[string]bool{}
	if !slices.ContainsFunc(wants, func(w want) bool { return w.alone }) {
		jobs, err = s.cycle(ctx, s.pool, results, wants, token, worker, accepted)
	} else {
		err = write(ctx, s.pool, func(tx Tx) error {
			ends := results
			for _, w := range wants {
				began, err := s.cycle(ctx, tx, ends, []want{w}, token, worker, accepted)
				if err != nil {
					return err
				}
				ends = nil
				jobs = append(jobs, began...)
				if w.alone && len(began[0]) > 0 {
					break
				}
			}
			return nil
		})
	}
	if err != nil {
		return nil, nil, err
	}
	return accepted, jobs, nil
}

// cycle goes to the database and back once. Outside a transaction, its statements are one.
func (s *Store) cycle(ctx context.Context, db sender, results []result, wants []want, token, worker string, accepted map[string]bool) ([][]claimed, error) {
	var batch pgx.Batch
	batch.Queue(byIndex)
	if len(results) > 0 {
		if err := s.queueEnds(&batch, results, accepted); err != nil {
			return nil, err
		}
	}
	jobs := make([][]claimed, len(wants))
	for i, w := range wants {
		query := s.text.claim
		if w.alone {
			query = s.text.claimAlone
		}
		batch.Queue(query, w.queue, w.n, token, worker, w.lease.Milliseconds()).Query(every(func(rows dbRows) error {
			c, err := scanClaimed(rows)
			jobs[i] = append(jobs[i], c)
			return err
		}))
	}
	return jobs, db.SendBatch(ctx, &batch).Close()
}

// success is what the successes have in common that one statement writes.
type success struct{ next, token, policyHash string }

// queueEnds puts the statements that end attempts into a batch, each with its ends in the order of their jobs, in which
// every transaction takes the rows.
func (s *Store) queueEnds(batch *pgx.Batch, results []result, accepted map[string]bool) error {
	ordered := slices.Clone(results)
	slices.SortFunc(ordered, func(a, b result) int { return cmp.Compare(a.JobID, b.JobID) })
	var others []result
	ids, attempts := map[success][]string{}, map[success][]int{}
	for _, r := range ordered {
		if r.Outcome != ok {
			others = append(others, r)
			continue
		}
		kind := success{r.Next, r.Token, r.PolicyHash}
		ids[kind], attempts[kind] = append(ids[kind], r.JobID), append(attempts[kind], r.Attempt)
	}
	taken := every(func(rows dbRows) error {
		var id string
		err := rows.Scan(&id)
		accepted[id] = true
		return err
	})
	for kind := range ids {
		query := s.text.finishGone
		if kind.next == "done" {
			query = s.text.finishDone
		}
		batch.Queue(query, ids[kind], attempts[kind], kind.token, kind.policyHash).Query(taken)
	}
	if len(others) == 0 {
		return nil
	}
	doc, err := json.Marshal(others)
	if err != nil {
		return err
	}
	batch.Queue(s.text.finish, string(doc)).Query(taken)
	return nil
}

// effectTries is how often effects run where the database cannot order their transaction among others, or where their
// connection is lost.
const effectTries = 10

// endIdle makes the server end a transaction whose client has vanished without a word. It would else hold the job's row
// until the network says so, which may take hours.
const endIdle = "select set_config('idle_in_transaction_session_timeout', $1, true)"

// errGone is an error of effects whose connection was lost while they ran: it is the database's, unless it is so each time.
var errGone = errors.New("the connection was lost")

// errEffectFailedTx is the end of an attempt whose effect went on after the database had refused one of its statements.
var errEffectFailedTx = errors.New("a function given to OnCommit returned no error although a statement of its transaction failed: nothing could be committed")

// finishWith writes the end of one attempt together with its effects: both commit, or neither. The end comes first: it
// tells whether the attempt is still ours, and holds the row. After a deadlock or the like, all is done again.
func (s *Store) finishWith(ctx context.Context, r result, effects func(Tx) error) (accepted bool, err error) {
	ran := false
	try := func(tx Tx) error {
		ended := map[string]bool{}
		var batch pgx.Batch
		batch.Queue(byIndex)
		if err := s.queueEnds(&batch, []result{r}, ended); err != nil {
			return err
		}
		batch.Queue(asPlanned) // what follows is the product's
		if end, limited := ctx.Deadline(); limited {
			batch.Queue(endIdle, strconv.FormatInt(time.Until(end).Milliseconds()+1, 10))
		}
		err := tx.SendBatch(ctx, &batch).Close()
		accepted = ended[r.JobID]
		if err != nil || !accepted {
			return err
		}
		ran = true
		return effects(tx)
	}
	for n := 1; ; n++ {
		err = s.writeWith(ctx, try)
		if err == nil || ctx.Err() != nil || n == effectTries || !again(err) {
			break
		}
	}
	switch {
	case ran && err != nil && ctx.Err() != nil:
		err = &effectError{context.Cause(ctx)}
	case errors.Is(err, pgx.ErrTxClosed):
		err = &effectError{errEffectEndedTx}
	case errors.Is(err, pgx.ErrTxCommitRollback):
		err = &effectError{errEffectFailedTx}
	}
	return accepted && err == nil, err
}

// writeWith is write for code of the product, which may go on using the transaction after ctx has ended. The connection is
// then closed under it and touched no more: the server rolls back.
func (s *Store) writeWith(ctx context.Context, fn func(Tx) error) error {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted})
	if err != nil {
		conn.Release()
		return err
	}
	if err = fn(tx); err != nil && ctx.Err() != nil {
		_ = conn.Hijack().PgConn().Conn().Close()
		return err
	}
	defer conn.Release()
	if err != nil && conn.Conn().IsClosed() {
		return fmt.Errorf("%w: %w", errGone, err)
	}
	if err == nil && conn.Conn().PgConn().TxStatus() == 'I' { // such as by a statement of its own
		err = pgx.ErrTxClosed
	}
	if err != nil {
		_ = tx.Rollback(ctx)
		return err
	}
	return tx.Commit(ctx)
}

// again says that a transaction can succeed if it runs again: it was in a deadlock, or not serializable, or was cut off.
func again(err error) bool {
	if errors.Is(err, errGone) {
		return true
	}
	var failed *effectError
	if errors.As(err, &failed) {
		err = failed.err
	}
	var e *pgconn.PgError
	return errors.As(err, &e) && strings.HasPrefix(e.Code, "40")
}

// renew extends leases. A row that is locked just now is answered as ours and not renewed; a job without an answer is
// lost.
func (s *Store) renew(ctx context.Context, patience time.Duration, leases []leased, token string) (map[string]renewal, error) {
	byLength := map[int64][]string{}
	for _, l := range leases {
		byLength[l.LeaseMS] = append(byLength[l.LeaseMS], l.JobID)
	}
	answers := map[string]renewal{}
	var batch pgx.Batch
	batch.Queue(byIndex)
	for length, jobs := range byLength {
		doc, err := json.Marshal(jobs)
		if err != nil {
			return nil, err
		}
		batch.Queue(s.text.renew, string(doc), token, length).Query(every(func(rows dbRows) error {
			var id string
			var r renewal
			err := rows.Scan(&id, &r.attempt, &r.renewed)
			answers[id] = r
			return err
		}))
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	conn, err := s.keptBack(ctx, patience/2)
	if err != nil {
		return nil, err
	}
	defer conn.Release()
	return answers, conn.SendBatch(ctx, &batch).Close()
}

// reap ends attempts whose lease is over, as decide says. Before, it marks the other jobs that the same processes
// were running: whichever of them brought the process down, they had company. It waits for no row: one that is locked
// has a holder, or another reaper.
func (s *Store) reap(ctx context.Context, patience time.Duration, queues []string, decide func(claimed) result) (ended map[*claimed]result, err error) {
	doc, err := json.Marshal(queues)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	conn, err := s.keptBack(ctx, patience/2)
	if err != nil {
		return nil, err
	}
	defer conn.Release()
	var refused error
	err = write(ctx, conn, func(tx Tx) error {
		over, err := s.jobs(ctx, tx, s.text.expired, string(doc))
		if err != nil || len(over) == 0 {
			return err
		}
		if _, err := tx.Exec(ctx, s.text.company, string(doc)); err != nil {
			return err
		}
		if over, err = s.jobs(ctx, tx, s.text.expired, string(doc)); err != nil {
			return err
		}
		ended, refused, err = judged(over, decide, func(results []result) (map[string]bool, error) { return s.endInside(ctx, tx, results) })
		return err
	})
	if err != nil {
		return nil, err
	}
	return ended, refused
}

// endInside writes ends in a savepoint of tx, which goes on if they are refused.
func (s *Store) endInside(ctx context.Context, tx Tx, results []result) (accepted map[string]bool, err error) {
	accepted = map[string]bool{}
	err = pgx.BeginFunc(ctx, tx, func(inner Tx) error {
		_, err := s.cycle(ctx, inner, results, nil, "", "", accepted)
		return err
	})
	if err != nil {
		return nil, err
	}
	return accepted, nil
}
