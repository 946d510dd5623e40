//retryc:when broker

package worker

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"
)

// brokerText is the statements of queues with a broker.
type brokerText struct{ claimNamed, named string }

// claimNamed claims the jobs that are announced and due, and looks at the others, in one transaction.
func (s *Store) claimNamed(ctx context.Context, q *queueTable, token, worker string, now []announced) (jobs []claimed, others map[string]found, err error) {
	n := len(now)
	ids, generations, attempts := make([]string, n), make([]int, n), make([]int, n)
	messages, counts := make([]string, n), make([]int, n)
	for i, a := range now {
		ids[i], generations[i], attempts[i], messages[i], counts[i] = a.JobID, a.Generation, a.Attempt, a.messageID, a.count
	}
	others = map[string]found{}
	var batch pgx.Batch
	batch.Queue(byIndex)
	claim := strings.ReplaceAll(announcing.claimNamed, "{now}", s.clock)
	batch.Queue(claim, q.name, ids, token, worker, q.lease.Milliseconds(), generations, attempts, messages, counts).Query(every(func(rows dbRows) error {
		c, err := scanClaimed(rows)
		jobs = append(jobs, c)
		return err
	}))
	batch.Queue(strings.ReplaceAll(announcing.named, "{now}", s.clock), ids).Query(every(func(rows dbRows) error {
		var id string
		var f found
		var dueIn int64
		err := rows.Scan(&id, &f.generation, &f.attempt, &f.scheduled, &f.alone, &dueIn)
		f.dueIn = milliseconds(dueIn)
		others[id] = f
		return err
	}))
	if err := s.pool.SendBatch(ctx, &batch).Close(); err != nil {
		return nil, nil, err
	}
	for _, c := range jobs {
		delete(others, c.jobID)
	}
	return jobs, others, nil
}
