//retryc:when broker

package worker

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"
)

// brokerText is the statements of queues with a broker.
type brokerText struct{ claimNamed, named, admit, late string }

// claimNamed claims the jobs that are announced and due, alone or not, and looks at the others, in one transaction.
func (s *Store) claimNamed(ctx context.Context, q *queueTable, token, worker string, alone bool, now []announced) (jobs []claimed, others map[string]found, err error) {
	n := len(now)
	ids, generations, attempts := make([]string, n), make([]int, n), make([]int, n)
	messages, counts, sums := make([]string, n), make([]int, n), make([]string, n)
	for i, a := range now {
		ids[i], generations[i], attempts[i], messages[i], counts[i] = a.JobID, a.Generation, a.Attempt, a.messageID, a.count
		if a.job != nil {
			sums[i] = a.job.PayloadSHA256
		}
	}
	others = map[string]found{}
	var batch pgx.Batch
	batch.Queue(byIndex)
	claim := strings.ReplaceAll(announcing.claimNamed, "{now}", s.clock)
	batch.Queue(claim, q.name, ids, token, worker, q.lease.Milliseconds(), generations, attempts, messages, counts, sums, alone).Query(every(func(rows dbRows) error {
		c, err := scanClaimed(rows)
		jobs = append(jobs, c)
		return err
	}))
	batch.Queue(strings.ReplaceAll(announcing.named, "{now}", s.clock), ids).Query(every(func(rows dbRows) error {
		var id string
		var f found
		var in int64
		err := rows.Scan(&id, &f.generation, &f.attempt, &f.state, &f.alone, &f.whole, &f.sum, &in)
		f.in = milliseconds(in)
		others[id] = f
		return err
	}))
	if err := s.pool.SendBatch(ctx, &batch).Close(); err != nil {
		return nil, nil, err
	}
	//retryc:if broker_message
	for i := range jobs {
		jobs[i].sum = others[jobs[i].jobID].sum
	}
	//retryc:end
	for _, c := range jobs {
		delete(others, c.jobID)
	}
	return jobs, others, nil
}

// admit adds jobs of one queue that came with messages, where neither the table nor the ledger has them.
func (s *Store) admit(ctx context.Context, q *queueTable, jobs []newJob) error {
	var batch pgx.Batch
	batch.Queue(byIndex)
	bySchema := map[string][]newJob{}
	for _, j := range jobs {
		bySchema[j.SchemaHash] = append(bySchema[j.SchemaHash], j)
	}
	for schema, jobs := range bySchema {
		c, err := columnsOf(jobs)
		if err != nil {
			return err
		}
		admit := strings.ReplaceAll(announcing.admit, "{now}", s.clock)
		batch.Queue(admit, c.of(q.name, schema, q.policy.hash)...)
		batch.Queue(announcing.late, c.ids)
	}
	//retryc:if broker_message
	queueFill(&batch, jobs) // of those that were carried so far
	//retryc:end
	return s.pool.SendBatch(ctx, &batch).Close()
}
