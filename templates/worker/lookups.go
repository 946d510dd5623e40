package worker

import (
	"context"
	"encoding/json"
	"time"
)

// jobs runs a statement that answers with attempts in flight.
func (s *Store) jobs(ctx context.Context, tx Tx, query string, args ...any) (all []claimed, err error) {
	err = s.each(ctx, tx, query, args, func(rows dbRows) error {
		c, err := scanClaimed(rows)
		all = append(all, c)
		return err
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

func scanClaimed(rows dbRows) (c claimed, err error) {
	var elapsed, age int64
	to := []any{
		&c.jobID, &c.queue, &c.generation, &c.attempt, &c.token, &c.key, &c.tenant, &c.tier, &c.payload, &c.schema, &elapsed, &age, &c.company,
		&c.used[failures], &c.used[throttles], &c.used[crashes], &c.used[sharedCrashes], &c.used[interrupts], &c.used[snoozes],
	}
	//retryc:if observed_otel
	to = append(to, &c.traceparent)
	//retryc:end
	err = rows.Scan(to...)
	c.elapsed, c.age = milliseconds(elapsed), milliseconds(age)
	return c, err
}

// recorded answers the jobs whose attempt is in the ledger under this token, with this end: the answer to their commit
// was lost. A row that a reaper wrote has another end.
func (s *Store) recorded(ctx context.Context, token string, results []result) (map[string]bool, error) {
	doc, err := json.Marshal(results)
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	err = s.each(ctx, nil, s.text.recorded, []any{string(doc), token}, func(rows dbRows) error {
		var id string
		err := rows.Scan(&id)
		found[id] = true
		return err
	})
	return found, err
}

// due says which queues have a job that is due, and whether one of them has to run alone. It only reads: a process with
// nothing to do never holds the database's lock.
func (s *Store) due(ctx context.Context, queues []string) (due map[string]bool, lone bool, err error) {
	doc, err := json.Marshal(queues)
	if err != nil {
		return nil, false, err
	}
	due = map[string]bool{}
	err = s.each(ctx, nil, s.text.due, []any{string(doc)}, func(rows dbRows) error {
		var queue string
		var plain, alone bool
		err := rows.Scan(&queue, &plain, &alone)
		due[queue] = plain
		lone = lone || alone
		return err
	})
	return due, lone, err
}

func milliseconds(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
