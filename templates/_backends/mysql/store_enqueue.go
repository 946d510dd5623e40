package worker

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"
)

// longestText is how many bytes a column of type text holds. Of a longer text in a document MariaDB keeps a piece, and says
// nothing.
const longestText = 1<<16 - 1

// enqueue inserts the jobs whose job_id is not taken, in tx or in a transaction of its own. It answers those that it
// made, and those that were there.
func (s *Store) enqueue(ctx context.Context, tx Tx, jobs []newJob) (fresh, there map[string]existing, err error) {
	for _, j := range jobs {
		if n := max(len(j.Tenant), len(j.Tier)); n > longestText {
			return nil, nil, fmt.Errorf("a tenant or tier of %d bytes: a column holds %d", n, longestText)
		}
	}
	jobs = slices.Clone(jobs)
	slices.SortStableFunc(jobs, func(a, b newJob) int { return cmp.Compare(a.JobID, b.JobID) }) // those of one key as they came
	jobs = slices.CompactFunc(jobs, func(a, b newJob) bool { return a.JobID == b.JobID })
	insert := func(tx Tx) error {
		fresh, there = map[string]existing{}, map[string]existing{}
		for _, batch := range batches(jobs) {
			if err := s.insert(ctx, tx, batch, fresh, there); err != nil {
				return err
			}
		}
		return nil
	}
	if tx != nil {
		return fresh, there, insert(tx)
	}
	err = retried(ctx, func() error { return write(ctx, s.db, insert) }, deadlock, duplicateEntry)
	if err != nil {
		return nil, nil, err
	}
	if len(fresh) > 0 {
		s.Wake()
	}
	return fresh, there, nil
}

// batches are parts whose document is far from what a server takes at once (max_allowed_packet), if no payload is near it.
func batches(jobs []newJob) (all [][]newJob) {
	begin, size := 0, 0
	for i, j := range jobs {
		if size += len(j.Payload); i > begin && (i-begin == 1000 || size > 1<<20) {
			all = append(all, jobs[begin:i])
			begin, size = i, len(j.Payload)
		}
	}
	if len(jobs) > begin {
		all = append(all, jobs[begin:])
	}
	return all
}

// insert asks before it writes, since an insert that meets a row of its key locks it until the transaction ends. What
// comes in between makes the insert fail, and only the insert.
func (s *Store) insert(ctx context.Context, tx Tx, batch []newJob, fresh, there map[string]existing) error {
	ask := func(query string) error {
		err := s.each(ctx, tx, query, []any{document{idsOf(batch)}}, func(rows dbRows) error {
			var id string
			var e existing
			err := rows.Scan(&id, &e.state, &e.payloadSHA256)
			there[id] = e
			return err
		})
		batch = slices.DeleteFunc(slices.Clone(batch), func(j newJob) bool { _, found := there[j.JobID]; return found })
		return err
	}
	if slices.ContainsFunc(batch, func(j newJob) bool { return j.Key != "" }) {
		if err := ask(s.text.existing); err != nil {
			return err
		}
	}
	for len(batch) > 0 {
		_, err := tx.ExecContext(ctx, s.text.enqueue, document{withTimes(batch)})
		if err == nil {
			for _, j := range batch {
				fresh[j.JobID] = existing{"scheduled", j.PayloadSHA256}
			}
			return nil
		}
		before := len(batch)
		if number(err) != duplicateEntry {
			return err
		}
		if askErr := ask(s.text.existingNow); askErr != nil {
			return askErr
		}
		if len(batch) == before { // it is another index of the table that refuses the row
			return err
		}
	}
	return nil
}

func idsOf(jobs []newJob) []string {
	ids := make([]string, len(jobs))
	for i, j := range jobs {
		ids[i] = j.JobID
	}
	return ids
}

// withTimes writes the times among the columns as the database reads them, in UTC.
func withTimes(batch []newJob) []newJob {
	batch = slices.Clone(batch)
	for i := range batch {
		batch[i].Columns = maps.Clone(batch[i].Columns)
		for name, value := range batch[i].Columns {
			if at, is := value.(*time.Time); is && at != nil {
				value = *at
			}
			if at, is := value.(time.Time); is {
				batch[i].Columns[name] = at.UTC().Format("2006-01-02 15:04:05.000000")
			}
		}
	}
	return batch
}
