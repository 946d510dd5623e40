package worker

import (
	"context"
	"time"
)

// QueueStats is how a queue stands.
type QueueStats struct {
	Queue     string
	Due       int           // jobs that could run now
	OldestDue time.Duration // how long the first of them has been waiting
	Scheduled int           // jobs that wait for their time
	Running   int
	Overdue   int // running, with a lease that is over: no process has taken them up yet
	Dead      []DeadStats

	//retryc:if broker_message
	// Messages is about how many messages the broker has of a queue whose messages carry its jobs: those of Scheduled and Running
	// are among them, and those of jobs that no worker has seen. -1: the broker does not say.
	Messages int
	//retryc:end
}

// DeadStats counts dead jobs of one class and reason.
type DeadStats struct {
	Class, Reason string
	Jobs          int
}

// Stats counts the jobs of every queue in the database that has any, in the order of their names. Done jobs are not
// counted: the ledger has them.
func (s *Store) Stats(ctx context.Context) (all []QueueStats, err error) {
	err = s.each(ctx, nil, s.text.stats, nil, func(rows dbRows) error {
		var q QueueStats
		var oldest int64
		err := rows.Scan(&q.Queue, &q.Due, &oldest, &q.Scheduled, &q.Running, &q.Overdue)
		q.OldestDue = milliseconds(oldest)
		all = append(all, q)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = s.each(ctx, nil, s.text.dead, nil, func(rows dbRows) error {
		var queue string
		var d DeadStats
		err := rows.Scan(&queue, &d.Class, &d.Reason, &d.Jobs)
		for i := range all {
			if all[i].Queue == queue {
				all[i].Dead = append(all[i].Dead, d)
			}
		}
		return err
	})
	//retryc:if broker_message
	if err == nil {
		all = s.withMessages(ctx, all)
	}
	//retryc:end
	return all, err
}
