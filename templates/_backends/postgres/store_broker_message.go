//retryc:when broker_message

package worker

import (
	"cmp"
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
	var ids, sums []string
	var payloads [][]byte
	for _, j := range jobs {
		if j.Payload != "" {
			ids, payloads, sums = append(ids, j.JobID), append(payloads, []byte(j.Payload)), append(sums, cmp.Or(j.carriedSHA256, j.PayloadSHA256))
		}
	}
	batch.Queue(carrying.fill, ids, payloads, sums)
}
