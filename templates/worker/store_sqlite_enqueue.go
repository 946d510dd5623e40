package worker

import (
	"context"
	"encoding/json"
)

// enqueue inserts the jobs whose job_id is not taken, in tx or in a transaction of its own. It answers those that it
// made, and those that were there.
func (s *Store) enqueue(ctx context.Context, tx Tx, jobs []newJob) (fresh, there map[string]existing, err error) {
	fresh, there = map[string]existing{}, map[string]existing{}
	insert := func(tx Tx) error {
		for len(jobs) > 0 {
			batch := jobs[:min(1000, len(jobs))] // the document of a batch stays small
			jobs = jobs[len(batch):]
			if err := s.insert(ctx, tx, batch, fresh, there); err != nil {
				return err
			}
		}
		return nil
	}
	if tx != nil {
		return fresh, there, insert(tx)
	}
	if err := s.write(ctx, insert); err != nil {
		return nil, nil, err
	}
	s.Wake()
	return fresh, there, nil
}

// listen is where a working process waits for what is enqueued. Other processes wait for their poll: SQLite has no way
// to wake them.
func (s *Store) listen(ctx context.Context) <-chan struct{} { return s.wakes.add(ctx) }

func (s *Store) insert(ctx context.Context, tx Tx, batch []newJob, fresh, there map[string]existing) error {
	doc, err := json.Marshal(batch)
	if err != nil {
		return err
	}
	scan := func(into map[string]existing) func(dbRows) error {
		return func(rows dbRows) error {
			var id string
			var e existing
			err := rows.Scan(&id, &e.state, &e.payloadSHA256)
			into[id] = e
			return err
		}
	}
	before := len(fresh)
	if err := s.each(ctx, tx, s.text.enqueue, []any{string(doc)}, scan(fresh)); err != nil || len(fresh)-before == len(batch) {
		return err
	}
	return s.each(ctx, tx, s.text.existing, []any{string(doc)}, scan(there))
}
