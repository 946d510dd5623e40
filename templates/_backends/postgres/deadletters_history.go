//retryc:when redrive

package worker

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// ErrNoJob is that neither the job table nor the ledger has a job of this id.
var ErrNoJob = errors.New("there is no such job")

// JobHistory is a job with all that the tables know of it.
type JobHistory struct {
	DeadLetter           // as it stands now, dead or not; Reason and DeadAt are empty where it is not
	State         string // gone: it had no key and has ended well, so that the ledger alone has it
	NextRunAt     time.Time
	Payload       []byte // empty once it is done
	PayloadSHA256 string
	Ledger        []Attempt
	Redrives      []JobRedrive
}

// Attempt is a row of the ledger.
type Attempt struct {
	Number, Generation int
	Outcome            string // ok, transient or permanent
	Class              string
	Decision           string // done, retry or dead
	DeadReason         string
	Error              string
	Fingerprint        string
	Delay              time.Duration // until the next attempt was due
	StartedAt, EndedAt time.Time
	Worker             string
	PolicyHash         string
	PayloadSHA256      string
}

// JobRedrive is what a plan has made of a job.
type JobRedrive struct {
	RedriveItem
	Kind  string
	State string // of the whole plan

	// Who has sent or discarded it, or asked for that, and why; and who has undone it.
	By, UndoneBy Signed
}

// History is a job, dead or not, with its payload, its whole ledger, and every plan that has handled it. It changes nothing.
func (s *Store) History(ctx context.Context, jobID string) (JobHistory, error) {
	if !isUUID(jobID) {
		return JobHistory{}, fmt.Errorf("job %q: %w", jobID, ErrNoJob)
	}
	var h JobHistory
	err := s.look(ctx, redriving.jobRow, []any{jobID}, func(rows dbRows) (err error) {
		h.DeadLetter, err = scanDeadLetter(rows, &h.State, &h.NextRunAt, &h.Payload, &h.PayloadSHA256)
		return err
	})
	queue := ""
	if err == nil {
		err = s.look(ctx, redriving.jobAttempts, []any{jobID}, func(rows dbRows) error {
			var a Attempt
			var delay int64
			err := rows.Scan(&queue, &a.Number, &a.Generation, &a.Outcome, &a.Class, &a.Decision, &a.DeadReason, &a.Error, &a.Fingerprint, &delay, &a.StartedAt, &a.EndedAt,
				&a.Worker, &a.PolicyHash, &a.PayloadSHA256)
			a.Delay = milliseconds(delay)
			h.Ledger = append(h.Ledger, a)
			return err
		})
	}
	if err == nil {
		err = s.look(ctx, redriving.jobItems, []any{jobID}, func(rows dbRows) (err error) {
			var r JobRedrive
			var doc []byte
			var decisions []RedriveDecision
			if r.RedriveItem, err = scanItem(rows, &r.Kind, &r.State, &doc); err == nil {
				err = json.Unmarshal(doc, &decisions)
			}
			r.By, r.UndoneBy = signedBefore(decisions, r.At, "apply", "resume", "amend"), signedBefore(decisions, r.UndoneAt, "undo")
			h.Redrives = append(h.Redrives, r)
			return err
		})
	}
	switch last := len(h.Ledger) - 1; {
	case err != nil:
		return JobHistory{}, fmt.Errorf("job %s: %w", jobID, err)
	case h.JobID == "" && last < 0:
		return JobHistory{}, fmt.Errorf("job %s: %w", jobID, ErrNoJob)
	case h.JobID == "":
		end := h.Ledger[last]
		h.State, h.JobID, h.Queue = "gone", jobID, queue
		h.Generation, h.Attempts, h.PayloadSHA256 = end.Generation, end.Number, end.PayloadSHA256
	}
	return h, nil
}

// signedBefore is who has taken the last of some decisions before a time.
func signedBefore(decisions []RedriveDecision, at time.Time, whats ...string) (by Signed) {
	for _, d := range decisions {
		if slices.Contains(whats, d.What) && !d.At.After(at) {
			by = Signed{d.Operator, d.Reason}
		}
	}
	return by
}

// TimelineEntry is one thing that happened to a job.
type TimelineEntry struct {
	At   time.Time
	What string // enqueued, attempt, sent, discarded, changed, generations or undone
	Text string
}

// Timeline is a history in the order of time.
func (h *JobHistory) Timeline() (all []TimelineEntry) {
	if !h.CreatedAt.IsZero() {
		all = append(all, TimelineEntry{h.CreatedAt, "enqueued", "into the queue " + h.Queue})
	}
	for _, a := range h.Ledger {
		text := fmt.Sprintf("%d, generation %d: %s", a.Number, a.Generation, a.Outcome)
		if a.Class != "" {
			text += ", " + a.Class
		}
		switch a.Decision {
		case "retry":
			text += fmt.Sprintf("; again in %s", a.Delay)
		case "dead":
			text += "; dead: " + a.DeadReason
		}
		if a.Error != "" {
			text += "; " + a.Error
		}
		all = append(all, TimelineEntry{a.EndedAt, "attempt", text})
	}
	for _, r := range h.Redrives {
		if r.Result == "" {
			continue
		}
		what, text := r.Result, fmt.Sprintf("by %s in %s: %s", r.By.Operator, r.RedriveID, r.By.Reason)
		switch {
		case r.Result == "undone" && r.Kind == "discard":
			what = "discarded"
		case r.Result == "undone":
			what = "sent"
		case r.Detail != "":
			text = "in " + r.RedriveID + ": " + r.Detail
		}
		if r.PayloadBefore != "" {
			text += fmt.Sprintf("; payload %.12s became %.12s", r.PayloadBefore, r.PayloadAfter)
		}
		all = append(all, TimelineEntry{r.At, what, text})
		if !r.UndoneAt.IsZero() {
			all = append(all, TimelineEntry{r.UndoneAt, "undone", fmt.Sprintf("by %s in %s: %s", r.UndoneBy.Operator, r.RedriveID, r.UndoneBy.Reason)})
		}
	}
	slices.SortStableFunc(all, func(a, b TimelineEntry) int { return cmp.Compare(a.At.UnixNano(), b.At.UnixNano()) })
	return all
}
