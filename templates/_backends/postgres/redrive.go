//retryc:when redrive

package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// redriveTable is the section redrive of retry.yaml.
type redriveTable struct {
	batch          int           // jobs that are sent at a time
	every          time.Duration // from one batch to the next
	canary         int           // jobs that are sent first, and judged
	sameError      bool          // stop where the error is back that a job was dead of
	errorShare     float64       // stop where so many of the first attempts have failed
	queueAge       time.Duration // stop where the oldest due job of the queue has waited for so long
	maxGenerations int
	keys           time.Duration // how long a key is kept after its job's end; 0: for ever
	queues         []*queueTable
}

// redriveText is the statements of dead letters and redrives.
type redriveText struct {
	deadPage, deadGroups                                      string
	jobRow, jobAttempts, jobItems                             string
	planned, planGroups, queueAges                            string
	redriveRow, redrivePage, itemPage                         string
	take, hold, letGo                                         string
	nextItems, lockJobs, send, discard, passOver, handled     string
	judge, endRedrive, stopRedrive, beginUndo, undoable, undo string
	amendable, amend                                          string
}

// Redrive is a plan to send dead jobs back or to discard them, and what became of it: a row of its table.
type Redrive struct {
	ID               string
	Kind             string // redrive, discard or amend
	State            string // planned, applying, stopped, done or undone
	CreatedAt        time.Time
	PlannedBy        string // the database's role
	Filter           DeadFilter
	PlanHash         string
	Jobs             int
	Operator, Reason string // who applied it last, and why
	Decisions        []RedriveDecision
	Canary, Batch    int // as they were in force
	Every            time.Duration
	StoppedWhy       string
	StartedAt        time.Time // zero: it has not
	EndedAt          time.Time
	Handled, Sent    int // jobs that have a result, and those which were sent back or discarded

	// Since a person has begun it: first attempts that have ended, those that failed, and those with the error that the
	// job was dead of.
	Judged, Failed, SameError int

	Busy bool // a process is applying it now

	fromSeq, fromSent int
}

// RedriveDecision is one of those which a person has taken about a plan.
type RedriveDecision struct {
	What     string    `json:"what"` // apply, resume, stop, undo or amend
	Operator string    `json:"operator"`
	Reason   string    `json:"reason"`
	At       time.Time `json:"at"`
}

// RedriveItem is one job of a plan.
type RedriveItem struct {
	RedriveID      string
	Seq            int // the order in which they go
	JobID          string
	FromGeneration int
	Queue          string
	Fingerprint    string
	DeadReason     string
	DeadAt         time.Time
	Result         string // empty: not yet; sent, discarded, undone, changed (it is not as it was planned), generations (it was sent back too often)
	Detail         string
	At             time.Time // of the result, or of what was undone
	UndoneAt       time.Time
	FirstAttempt   string // of what was sent, as far as it is judged: ok, failed or same_error
	PayloadBefore  string // hashes, where it was amended
	PayloadAfter   string
}

// ErrNoRedrive is that there is no plan of this id.
var ErrNoRedrive = errors.New("there is no such plan")

// Redrive is the plan of an id, as it stands.
func (s *Store) Redrive(ctx context.Context, id string) (r Redrive, err error) {
	if !isUUID(id) {
		return Redrive{}, fmt.Errorf("redrive %q: %w", id, ErrNoRedrive)
	}
	err = s.look(ctx, redriving.redriveRow, []any{id}, func(rows dbRows) (err error) {
		r, err = scanRedrive(rows)
		return err
	})
	if err == nil && r.ID == "" {
		err = ErrNoRedrive
	}
	if err != nil {
		return Redrive{}, fmt.Errorf("redrive %s: %w", id, err)
	}
	return r, nil
}

// Redrives are all plans, the latest first: at most limit, behind the page whose next is after; empty: the first.
func (s *Store) Redrives(ctx context.Context, after string, limit int) (all []Redrive, next string, err error) {
	at, id, err := cursor(after)
	if err != nil {
		return nil, "", fmt.Errorf("redrives: %w", err)
	}
	limit = max(1, limit)
	err = s.look(ctx, redriving.redrivePage, []any{at, id, limit + 1}, func(rows dbRows) error {
		r, err := scanRedrive(rows)
		all = append(all, r)
		return err
	})
	if err != nil {
		return nil, "", fmt.Errorf("redrives: %w", err)
	}
	if len(all) > limit {
		all = all[:limit]
		next = cursorAt(all[limit-1].CreatedAt, all[limit-1].ID)
	}
	return all, next, nil
}

// RedriveItems are the jobs of a plan in their order, at most limit behind a Seq; result, where it is not empty, is what they
// have to have.
func (s *Store) RedriveItems(ctx context.Context, id, result string, afterSeq, limit int) (items []RedriveItem, err error) {
	if !isUUID(id) {
		return nil, fmt.Errorf("redrive %q: %w", id, ErrNoRedrive)
	}
	var wanted *string
	if result != "" {
		wanted = &result
	}
	err = s.look(ctx, redriving.itemPage, []any{id, afterSeq, max(1, limit), wanted}, func(rows dbRows) error {
		i, err := scanItem(rows)
		items = append(items, i)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("the jobs of redrive %s: %w", id, err)
	}
	return items, nil
}

func scanRedrive(rows dbRows) (r Redrive, err error) {
	var selector, decisions []byte
	var everyMS int64
	var started, ended *time.Time
	var busy *bool
	err = rows.Scan(&r.ID, &r.Kind, &r.State, &r.CreatedAt, &r.PlannedBy, &selector, &r.PlanHash, &r.Jobs, &r.Operator, &r.Reason, &decisions,
		&r.Canary, &r.Batch, &everyMS, &r.StoppedWhy, &started, &ended, &r.Handled, &r.Sent, &r.Judged, &r.Failed, &r.SameError, &r.fromSeq, &r.fromSent, &busy)
	if err != nil {
		return Redrive{}, err
	}
	r.Every, r.StartedAt, r.EndedAt, r.Busy = milliseconds(everyMS), given(started), given(ended), busy != nil && *busy
	return r, errors.Join(json.Unmarshal(selector, &r.Filter), json.Unmarshal(decisions, &r.Decisions))
}

func scanItem(rows dbRows, more ...any) (i RedriveItem, err error) {
	var at, undone *time.Time
	err = rows.Scan(append([]any{&i.RedriveID, &i.Seq, &i.JobID, &i.FromGeneration, &i.Queue, &i.Fingerprint, &i.DeadReason, &i.DeadAt, &i.Result, &i.Detail, &at, &undone,
		&i.FirstAttempt, &i.PayloadBefore, &i.PayloadAfter}, more...)...)
	i.At, i.UndoneAt = given(at), given(undone)
	return i, err
}

func given(at *time.Time) time.Time {
	if at == nil {
		return time.Time{}
	}
	return *at
}
