package worker

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// errUnseen is an enqueue that the database neither took nor had.
var errUnseen = errors.New("a job with this key is in the way that this transaction cannot see: run it again, under read committed")

// enqueue inserts the jobs whose job_id is not taken, in tx or in a transaction of its own. It answers those that it
// made, and those that were there.
func (s *Store) enqueue(ctx context.Context, tx Tx, jobs []newJob) (fresh, there map[string]existing, err error) {
	fresh, there = map[string]existing{}, map[string]existing{}
	jobs = slices.Clone(jobs)
	slices.SortStableFunc(jobs, func(a, b newJob) int { return cmp.Compare(a.JobID, b.JobID) }) // those of one key as they came
	batches := slices.Collect(slices.Chunk(jobs, 1000))                                         // the document of a batch stays small
	insert := func(tx Tx) error {
		for _, batch := range batches {
			if err := s.insert(ctx, tx, batch, fresh, there); err != nil {
				return err
			}
		}
		return nil
	}
	switch {
	case tx != nil:
		return fresh, there, insert(tx)
	case len(batches) > 1:
		err = write(ctx, s.pool, insert)
	default: // a statement is a transaction
		err = insert(nil)
	}
	if err != nil {
		return nil, nil, err
	}
	if len(fresh) > 0 {
		s.Wake()
	}
	return fresh, there, nil
}

func (s *Store) insert(ctx context.Context, tx Tx, batch []newJob, fresh, there map[string]existing) error {
	doc, err := json.Marshal(batch)
	if err != nil {
		return err
	}
	if bytes.Contains(doc, []byte(`\u0000`)) {
		if err := withoutNUL(batch); err != nil {
			return err
		}
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
	if err := s.ask(ctx, tx, scan(fresh), s.text.enqueue, string(doc)); err != nil {
		return err
	}
	var taken []string
	for _, j := range batch {
		if _, isNew := fresh[j.JobID]; !isNew {
			taken = append(taken, j.JobID)
		}
	}
	if len(taken) == 0 {
		return nil
	}
	if doc, err = json.Marshal(taken); err != nil {
		return err
	}
	// Planned anew each time: a plan that was made for an empty table would read all of a large one.
	if err := s.ask(ctx, tx, scan(there), s.text.existing, pgx.QueryExecModeExec, string(doc)); err != nil {
		return err
	}
	for _, id := range taken {
		if _, found := there[id]; !found {
			return fmt.Errorf("job %s: %w", id, errUnseen)
		}
	}
	return nil
}

// ask runs a query in tx where it is not nil, which may be the product's: it changes no setting there.
func (s *Store) ask(ctx context.Context, tx Tx, scan func(dbRows) error, query string, args ...any) error {
	run := s.pool.Query
	if tx != nil {
		run = tx.Query
	}
	rows, err := run(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	return every(scan)(rows)
}

// withoutNUL names the first column whose text PostgreSQL cannot hold. A payload is bytes, and can hold anything.
func withoutNUL(batch []newJob) error {
	for _, j := range batch {
		columns := maps.Clone(j.Columns)
		if columns == nil {
			columns = map[string]any{}
		}
		columns["tenant_id"], columns["tier"] = j.Tenant, j.Tier
		for _, name := range slices.Sorted(maps.Keys(columns)) {
			var text string
			doc, err := json.Marshal(columns[name])
			if err == nil && json.Unmarshal(doc, &text) == nil && strings.Contains(text, "\x00") {
				return fmt.Errorf("the text for column %s has a NUL character in it, which PostgreSQL cannot store", name)
			}
		}
	}
	return nil
}
