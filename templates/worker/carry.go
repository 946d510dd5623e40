//retryc:when broker_message

package worker

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
)

// carrier is the announcer of a queue whose messages carry its jobs; nil: the jobs are added to the table.
func (s *Store) carrier(q *queueTable) *announcer {
	if !q.carried {
		return nil
	}
	return s.wakes.announcer(q.name)
}

// carry publishes jobs. They are added to the table once they have come.
func (a *announcer) carry(ctx context.Context, jobs []newJob) ([]Receipt, error) {
	receipts := make([]Receipt, len(jobs))
	sums := map[string]string{}
	var messages []message
	for i, j := range jobs {
		first, twice := sums[j.JobID]
		receipts[i] = Receipt{JobID: j.JobID, Duplicate: twice, State: "scheduled", SamePayload: !twice || first == j.PayloadSHA256}
		if twice {
			continue
		}
		sums[j.JobID] = j.PayloadSHA256
		m, err := j.message(a.broker, 1)
		if err != nil {
			return nil, err
		}
		messages = append(messages, m)
	}
	for len(messages) > 0 {
		batch := messages[:min(len(messages), announceBatch)]
		messages = messages[len(batch):]
		limited, cancel := context.WithTimeout(ctx, announceTime)
		err := a.broker.publish(limited, batch)
		cancel()
		if err != nil {
			return nil, fmt.Errorf("some of the jobs may have been sent: %w", err)
		}
	}
	return receipts, nil
}

// message is what carries a job.
func (j newJob) message(b broker, generation int) (message, error) {
	p := parcel{announcement: announcement{1, j.Queue, j.JobID, generation, 1}, Key: j.Key, Schema: j.SchemaHash, Payload: json.RawMessage(j.Payload)}
	//retryc:if observed_otel
	p.Traceparent = j.Traceparent
	//retryc:end
	body, err := json.Marshal(p)
	if err != nil {
		return message{}, fmt.Errorf("the payload is no JSON: %w", err)
	}
	return message{id: randomID(), body: body}, nil
}

// depth counts messages: those that can be received, those that are held back, and those that were received and are not
// answered yet.
type depth struct{ ready, delayed, received int }

// withMessages adds what brokers say of the queues whose messages carry their jobs.
func (s *Store) withMessages(ctx context.Context, all []QueueStats) []QueueStats {
	s.wakes.mu.Lock()
	carriers := map[string]*announcer{}
	for name, a := range s.wakes.announcers {
		if a.carries {
			carriers[name] = a
		}
	}
	s.wakes.mu.Unlock()
	for name, a := range carriers {
		asked, cancel := context.WithTimeout(ctx, announceTime)
		d, err := a.broker.depth(asked)
		cancel()
		n := d.ready + d.delayed + d.received
		if err != nil {
			n = -1
		}
		i, there := slices.BinarySearchFunc(all, name, func(q QueueStats, name string) int { return cmp.Compare(q.Queue, name) })
		if !there {
			all = slices.Insert(all, i, QueueStats{Queue: name})
		}
		all[i].Messages = n
	}
	return all
}

// identify sends a job again that nobody could tell from another one, under its job_id. What is no JSON can be told by its
// bytes.
func (p *process) identify(ctx context.Context, l *lane, m delivery, j newJob) (again bool) {
	next, err := j.message(l.broker, 1)
	if err != nil {
		return false
	}
	asked, cancel := context.WithTimeout(p.writing, announceTime)
	err = l.broker.publish(asked, []message{next})
	cancel()
	if err != nil {
		slog.ErrorContext(ctx, "a message without an id could not be given one", "queue", l.queue.name, "error", err)
		p.putBack(l, m, l.queue.lease)
		return true
	}
	p.acknowledge(l, m)
	return true
}
