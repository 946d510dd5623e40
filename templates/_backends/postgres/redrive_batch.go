//retryc:when redrive

package worker

import (
	"context"
	"math/rand/v2"
	"time"
)

// sentJob is a job that is scheduled again.
type sentJob struct {
	jobID, queue        string
	generation, attempt int
	delay               time.Duration
}

// batch handles the next n items in one transaction: each has its result when it commits, and none before. A job that somebody
// else has sent meanwhile is passed over, and says so.
func (a *applier) batch(ctx context.Context, n int, spread time.Duration) error {
	var sent []sentJob
	err := a.in(ctx, func(tx Tx) error {
		var items openItems
		if err := items.read(ctx, tx, redriving.nextItems, a.now.ID, a.now.Handled, n); err != nil {
			return err
		}
		if len(items.seqs) == 0 {
			return nil
		}
		if err := items.lock(ctx, tx); err != nil {
			return err
		}
		results, err := a.change(ctx, tx, items, spread)
		if err != nil {
			return err
		}
		sent = results
		if _, err := tx.Exec(ctx, a.store.timed(redriving.passOver), a.now.ID, items.seqs); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, redriving.handled, a.now.ID, items.seqs[len(items.seqs)-1], len(sent))
		return err
	})
	if err == nil && a.now.Kind == "redrive" {
		a.store.tellOf(sent)
	}
	return err
}

// change does to the jobs what the plan is for. Those that were not as planned are not among the answers.
func (a *applier) change(ctx context.Context, tx Tx, items openItems, spread time.Duration) (changed []sentJob, err error) {
	args := []any{a.now.ID, items.seqs, items.jobIDs, items.generations}
	if a.now.Kind == "discard" {
		return changed, each(ctx, tx, a.store.timed(redriving.discard), args, func(rows dbRows) error {
			var j sentJob
			err := rows.Scan(&j.jobID)
			changed = append(changed, j)
			return err
		})
	}
	delays := make([]int64, len(items.seqs))
	for i := range delays {
		if spread > 0 {
			delays[i] = rand.Int64N(spread.Milliseconds() + 1)
		}
	}
	return changed, each(ctx, tx, a.store.timed(redriving.send), append(args, delays, a.rules.maxGenerations), func(rows dbRows) error {
		var j sentJob
		var ms int64
		err := rows.Scan(&j.jobID, &j.queue, &j.generation, &j.attempt, &ms)
		j.delay = milliseconds(ms)
		changed = append(changed, j)
		return err
	})
}

// openItems are items of a plan, as the statements take them.
type openItems struct {
	seqs        []int
	jobIDs      []string
	generations []int
}

// read adds the items behind a seq, at most n.
func (o *openItems) read(ctx context.Context, tx Tx, query, id string, afterSeq, n int) error {
	return each(ctx, tx, query, []any{id, afterSeq, n}, func(rows dbRows) error {
		var seq, generation int
		var jobID string
		err := rows.Scan(&seq, &jobID, &generation)
		o.seqs, o.jobIDs, o.generations = append(o.seqs, seq), append(o.jobIDs, jobID), append(o.generations, generation)
		return err
	})
}

// lock waits for whoever has the rows of the jobs. The statements that follow see what they have become.
func (o *openItems) lock(ctx context.Context, tx Tx) error {
	return each(ctx, tx, redriving.lockJobs, []any{o.jobIDs}, func(dbRows) error { return nil })
}

// tellOf tells brokers of jobs that are scheduled again, and wakes workers. What is not told costs only time, for the poll finds every
// job.
func (s *Store) tellOf(sent []sentJob) {
	//retryc:if broker
	for _, j := range sent {
		if a := s.wakes.announcer(j.queue); a != nil {
			a.announce(announcement{1, j.queue, j.jobID, j.generation, j.attempt + 1}.message(a.broker, j.delay))
		}
	}
	//retryc:end
	if len(sent) > 0 {
		s.Wake()
	}
}
