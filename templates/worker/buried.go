//retryc:when broker_dead

package worker

import (
	"context"
	"fmt"
	"log/slog"
)

// deadLetter moves the message of a dead job to the broker's own dead letters, under the job's id: from there it may come
// again as another message.
func (p *process) deadLetter(l *lane, m delivery, j newJob) {
	ctx, cancel := context.WithTimeout(p.writing, announceTime)
	defer cancel()
	letter := m
	if named, err := j.message(l.broker, 1); err == nil {
		letter.body = named.body
	}
	if err := l.broker.deadLetter(ctx, letter); err != nil {
		slog.Warn("a message could not be dead-lettered: it comes again", "queue", l.queue.name, "job_id", j.JobID, "error", err)
		p.putBack(l, m, l.queue.lease)
		return
	}
	l.custody.release(m)
}

// redriveMessages moves messages that are the broker's own dead letters back into a queue.
func (s *Store) redriveMessages(ctx context.Context, q *queueTable, limit int) (moved int, err error) {
	a := s.wakes.announcer(q.name)
	if a == nil {
		return 0, fmt.Errorf("the queue %s has no connection to its broker: call %s first", q.name, q.connect)
	}
	return a.broker.redrive(ctx, limit)
}
