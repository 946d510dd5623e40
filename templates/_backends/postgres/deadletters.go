//retryc:when redrive

package worker

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// DeadFilter says which dead jobs are meant. What is empty leaves it open, so that DeadFilter{} is all of them.
type DeadFilter struct {
	Queue       string `json:"queue,omitempty"`
	Class       string `json:"class,omitempty"`  // of the last error
	Reason      string `json:"reason,omitempty"` // why the job was given up, such as failures
	Fingerprint string `json:"fingerprint,omitempty"`
	Tenant      string `json:"tenant,omitempty"` // where retry.yaml has tenants; else it finds none

	// DeadFor is how long they have been dead at least, and DeadWithin at most.
	DeadFor    time.Duration `json:"dead_for_ns,omitempty"`
	DeadWithin time.Duration `json:"dead_within_ns,omitempty"`

	JobIDs []string `json:"job_ids,omitempty"`
}

// args are the first eight parameters of every statement that has a filter.
func (f DeadFilter) args() []any {
	text := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	wait := func(d time.Duration) *int64 {
		if d == 0 {
			return nil
		}
		ms := d.Milliseconds()
		return &ms
	}
	return []any{text(f.Queue), text(f.Class), text(f.Reason), text(f.Fingerprint), wait(f.DeadFor), wait(f.DeadWithin), f.JobIDs, text(f.Tenant)}
}

// DeadLetter is a job that was given up.
type DeadLetter struct {
	JobID          string
	Queue          string
	IdempotencyKey string // empty: it has none
	Tenant         string
	Generation     int // how often it has begun with fresh budgets: once, and each time that it was sent back
	Attempts       int // in all generations
	Class          string
	Error          string
	Fingerprint    string // the same for errors of one cause
	Reason         string
	CreatedAt      time.Time
	DeadAt         time.Time
}

// DeadPage is a part of the dead letters, the latest first. Next asks for those behind it; empty: there are none.
type DeadPage struct {
	Letters []DeadLetter
	Next    string
}

// DeadLetters are those of a filter, at most limit of them, behind the page whose Next is after; empty: the first. Reading
// changes nothing, and a page takes as long whatever lies before it.
func (s *Store) DeadLetters(ctx context.Context, f DeadFilter, after string, limit int) (DeadPage, error) {
	at, id, err := cursor(after)
	if err != nil {
		return DeadPage{}, fmt.Errorf("dead letters: %w", err)
	}
	limit = max(1, limit)
	var page DeadPage
	err = s.look(ctx, redriving.deadPage, append(f.args(), at, id, limit+1), func(rows dbRows) error {
		d, err := scanDeadLetter(rows)
		page.Letters = append(page.Letters, d)
		return err
	})
	if err != nil {
		return DeadPage{}, fmt.Errorf("dead letters: %w", err)
	}
	if len(page.Letters) > limit {
		page.Letters = page.Letters[:limit]
		last := page.Letters[limit-1]
		page.Next = cursorAt(last.DeadAt, last.JobID)
	}
	return page, nil
}

func scanDeadLetter(rows dbRows, more ...any) (d DeadLetter, err error) {
	var deadAt *time.Time
	err = rows.Scan(append([]any{&d.JobID, &d.Queue, &d.IdempotencyKey, &d.Tenant, &d.Generation, &d.Attempts, &d.Class, &d.Error, &d.Fingerprint, &d.Reason, &d.CreatedAt, &deadAt}, more...)...)
	if deadAt != nil {
		d.DeadAt = *deadAt
	}
	return d, err
}

// cursor is a place in a list that is ordered by a time and an id; cursorAt makes its text.
func cursor(text string) (at *time.Time, id *string, err error) {
	if text == "" {
		return nil, nil, nil
	}
	when, which, _ := strings.Cut(text, "/")
	t, err := time.Parse(time.RFC3339Nano, when)
	if err != nil || !isUUID(which) {
		return nil, nil, errors.New("this is not the Next of a page: " + text)
	}
	return &t, &which, nil
}

func cursorAt(at time.Time, id string) string { return at.UTC().Format(time.RFC3339Nano) + "/" + id }

// isUUID reports whether a text is one as the tables have it.
func isUUID(text string) bool {
	if len(text) != 36 {
		return false
	}
	for i, c := range text {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (c == '-') || !dash && !strings.ContainsRune("0123456789abcdefABCDEF", c) {
			return false
		}
	}
	return true
}

// plannedAnew makes the server plan for the filter that is given, and by index, until the transaction ends.
const plannedAnew = "select set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true), set_config('plan_cache_mode', 'force_custom_plan', true)"

// look runs a query that has a filter or asks for a page.
func (s *Store) look(ctx context.Context, query string, args []any, scan func(dbRows) error) error {
	return lookIn(ctx, s.pool, s.timed(query), args, scan)
}

func lookIn(ctx context.Context, db sender, query string, args []any, scan func(dbRows) error) error {
	var batch pgx.Batch
	batch.Queue(plannedAnew)
	batch.Queue(query, args...).Query(every(scan))
	return db.SendBatch(ctx, &batch).Close()
}

// timed is a statement with the time in it.
func (s *Store) timed(query string) string { return strings.ReplaceAll(query, "{now}", s.clock) }
