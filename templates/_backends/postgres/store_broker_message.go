//retryc:when broker_message

package worker

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// carryText is the statements of queues whose messages carry their jobs.
type carryText struct{ fill string }

// fill puts payloads on the rows of jobs whose messages have carried them so far.
func (s *Store) fill(ctx context.Context, jobs []newJob) error {
	var batch pgx.Batch
	batch.Queue(byIndex)
	queueFill(&batch, jobs)
	return s.pool.SendBatch(ctx, &batch).Close()
}

func queueFill(batch *pgx.Batch, jobs []newJob) {
	ids, payloads := make([]string, len(jobs)), make([][]byte, len(jobs))
	for i, j := range jobs {
		ids[i], payloads[i] = j.JobID, []byte(j.Payload)
	}
	batch.Queue(carrying.fill, ids, payloads)
}
