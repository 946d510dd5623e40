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

// errNUL is a text that the database would refuse.
var errNUL = errors.New("has a NUL character in it, which PostgreSQL cannot store")

// enqueue inserts the jobs of a queue whose job_id is not taken, in tx or in a transaction of its own. It answers those that it
// made, and those that were there.
func (s *Store) enqueue(ctx context.Context, tx Tx, jobs []newJob) (fresh, there map[string]existing, err error) {
	fresh, there = map[string]existing{}, map[string]existing{}
	jobs = slices.Clone(jobs)
	slices.SortStableFunc(jobs, func(a, b newJob) int { return cmp.Compare(a.JobID, b.JobID) }) // those of one key as they came
	batches := slices.Collect(slices.Chunk(jobs, 1000))                                         // a statement stays small
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
		//retryc:if broker
		if s.wakes.announcer(jobs[0].Queue) != nil { // its messages wake
			return fresh, there, nil
		}
		//retryc:end
		s.Wake()
	}
	return fresh, there, nil
}

// jobColumns are new jobs as the statement takes them: an array a column.
type jobColumns struct {
	ids, keys, sums, tenants, tiers, columns []string
	payloads                                 [][]byte

	//retryc:if observed_otel
	traceparents []string
	//retryc:end
}

// of are the arguments of a statement that adds the jobs of a queue.
func (c jobColumns) of(queue, schema, policy string) []any {
	all := []any{queue, schema, policy, c.ids, c.keys, c.payloads, c.sums, c.tenants, c.tiers, c.columns}
	//retryc:if observed_otel
	all = append(all, c.traceparents)
	//retryc:end
	return all
}

func columnsOf(batch []newJob) (c jobColumns, err error) {
	n := len(batch)
	c.ids, c.keys, c.sums, c.payloads = make([]string, n), make([]string, n), make([]string, n), make([][]byte, n)
	c.tenants, c.tiers, c.columns = make([]string, n), make([]string, n), make([]string, n)
	for i, j := range batch {
		values, err := json.Marshal(j.Columns)
		if err != nil {
			return c, err
		}
		if bytes.Contains(values, []byte(`\u0000`)) || strings.Contains(j.Tenant+j.Tier, "\x00") {
			if err := withoutNUL(j); err != nil {
				return c, err
			}
		}
		c.ids[i], c.keys[i], c.payloads[i], c.sums[i] = j.JobID, j.Key, []byte(j.Payload), j.PayloadSHA256
		c.tenants[i], c.tiers[i], c.columns[i] = j.Tenant, j.Tier, string(values)
		//retryc:if observed_otel
		c.traceparents = append(c.traceparents, j.Traceparent)
		//retryc:end
	}
	return c, nil
}

// insert adds jobs of one queue.
func (s *Store) insert(ctx context.Context, tx Tx, batch []newJob, fresh, there map[string]existing) error {
	c, err := columnsOf(batch)
	if err != nil {
		return err
	}
	inserted := map[string]bool{}
	scanID := func(rows dbRows) error {
		var id string
		err := rows.Scan(&id)
		inserted[id] = true
		return err
	}
	err = s.ask(ctx, tx, scanID, s.text.enqueue, c.of(batch[0].Queue, batch[0].SchemaHash, batch[0].PolicyHash)...)
	if err != nil {
		return err
	}
	for _, j := range batch {
		if _, known := fresh[j.JobID]; inserted[j.JobID] && !known { // the first of those with one key
			fresh[j.JobID] = existing{"scheduled", j.PayloadSHA256}
		}
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
	scan := func(rows dbRows) error {
		var id string
		var e existing
		err := rows.Scan(&id, &e.state, &e.payloadSHA256)
		there[id] = e
		return err
	}
	// Planned anew each time: a plan that was made for an empty table would read all of a large one.
	if err := s.ask(ctx, tx, scan, s.text.existing, pgx.QueryExecModeExec, taken); err != nil {
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
func withoutNUL(j newJob) error {
	columns := maps.Clone(j.Columns)
	if columns == nil {
		columns = map[string]any{}
	}
	columns["tenant_id"], columns["tier"] = j.Tenant, j.Tier
	for _, name := range slices.Sorted(maps.Keys(columns)) {
		var text string
		doc, err := json.Marshal(columns[name])
		if err == nil && json.Unmarshal(doc, &text) == nil && strings.Contains(text, "\x00") {
			return fmt.Errorf("the text for column %s %w", name, errNUL)
		}
	}
	return nil
}
