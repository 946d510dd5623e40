//retryc:when redrive

package worker

import (
	"context"
	"fmt"
	"math"
	"time"
)

// fewest is of how many first attempts a share says something. Of the canary any number does.
const fewest = 5

// stops says why the plan must not go on; "": it may.
func (a *applier) stops(ctx context.Context) (why string, err error) {
	r := a.now
	if r.Kind != "redrive" {
		return "", nil
	}
	err = a.store.ages(ctx, a.queues, func(name string, waited time.Duration, _ bool) {
		if waited >= a.rules.queueAge {
			why = fmt.Sprintf("the oldest due job of the queue %s has waited for %s, and %s are enough", name, waited.Round(time.Millisecond), a.rules.queueAge)
		}
	})
	whole := r.Judged >= min(a.rules.canary, r.Sent-r.fromSent) // no part of a canary is judged
	switch {
	case err != nil || why != "":
		return why, err
	case !whole:
		return "", nil
	case a.rules.sameError && r.SameError > 0:
		return fmt.Sprintf("the error is back: %d of the %d first attempts that have ended have the fingerprint that their job was dead of", r.SameError, r.Judged), nil
	case r.Failed > 0 && float64(r.Failed) >= a.rules.errorShare*float64(r.Judged) && (r.Judged >= fewest || r.Judged <= a.rules.canary):
		return fmt.Sprintf("%d of the %d first attempts that have ended have failed, and %d%% are enough", r.Failed, r.Judged, int(math.Round(100*a.rules.errorShare))), nil
	}
	return "", nil
}

// StopRedrive stops a plan that is being applied, by whom and wherever that may be: its process notices within a second and
// before its next batch. What was sent goes on, unless UndoRedrive takes it back.
func (s *Store) StopRedrive(ctx context.Context, id string, by Signed) error {
	by, err := by.check()
	if err != nil {
		return fmt.Errorf("stop: %w", err)
	}
	r, err := s.Redrive(ctx, id)
	if err != nil {
		return fmt.Errorf("stop: %w", err)
	}
	done, err := s.pool.Exec(ctx, s.timed(redriving.stopRedrive), id, by.Operator, by.Reason, "by "+by.Operator+": "+by.Reason)
	if err == nil && done.RowsAffected() == 0 {
		err = fmt.Errorf("the plan %s is %s", id, r.State)
	}
	if err != nil {
		return fmt.Errorf("stop: %w", err)
	}
	return nil
}
