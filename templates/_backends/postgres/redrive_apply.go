//retryc:when redrive

package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// redriveLease is how long a plan stays with a process that is silent.
const redriveLease = 30 * time.Second

// redriveLook is how often a process that waits looks whether it has been stopped.
const redriveLook = time.Second

// ApplyRedrive does what was planned. The hash is that of the plan which the operator has seen. A redrive sends its canary and waits for
// how the first attempts end; then it sends a batch after the other, each spread over the time until the next one, and looks before
// each whether to stop, as retry.yaml says. What it answers says so: State is done, or stopped, with the reason in StoppedWhy. A plan that
// was stopped goes on when it is applied again, canary first; so does one whose process has died, once its lease of 30s is over. When
// ctx ends it returns at once, and anybody can go on. progress, where it is not nil, is called after each step.
func (s *Store) ApplyRedrive(ctx context.Context, id, planHash string, by Signed, progress func(Redrive)) (Redrive, error) {
	return s.apply(ctx, &redrive, id, planHash, by, progress)
}

func (s *Store) apply(ctx context.Context, rules *redriveTable, id, planHash string, by Signed, progress func(Redrive)) (Redrive, error) {
	by, err := by.check()
	if err != nil {
		return Redrive{}, fmt.Errorf("apply: %w", err)
	}
	a := &applier{store: s, rules: rules, token: randomID(), progress: progress}
	if err := a.take(ctx, id, planHash, by); err != nil {
		return Redrive{}, fmt.Errorf("apply: %w", err)
	}
	err = a.run(ctx)
	if err != nil && !errors.Is(err, errNotOurs) {
		rest, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_, _ = s.pool.Exec(rest, s.timed(redriving.letGo), id, a.token) // else the lease runs out
		return a.now, fmt.Errorf("apply: %w", err)
	}
	r, err := s.Redrive(ctx, id)
	if err == nil && r.State == "applying" {
		return r, fmt.Errorf("apply: this process was silent for too long, and %s has taken the plan %s over: %s", r.Operator, id, r.Reason)
	}
	return r, err
}

// errNotOurs is that a plan was stopped, or taken over from a process that had gone silent.
var errNotOurs = errors.New("the plan is not with this process any more")

// applier is one process that applies one plan.
type applier struct {
	store    *Store
	rules    *redriveTable
	token    string
	now      Redrive // as it stands
	queues   []string
	progress func(Redrive)
}

// take makes the plan this process's own, or says why it cannot be.
func (a *applier) take(ctx context.Context, id, planHash string, by Signed) error {
	was, err := a.store.Redrive(ctx, id)
	if err != nil {
		return err
	}
	if was.PlanHash != planHash {
		return fmt.Errorf("the plan %s has the hash %.12s…, and not %.12s…: look at it again", id, was.PlanHash, planHash)
	}
	args := []any{id, planHash, a.token, by.Operator, by.Reason, redriveLease.Milliseconds(), a.rules.canary, a.rules.batch, a.rules.every.Milliseconds()}
	taken, err := a.row(ctx, redriving.take, args)
	switch {
	case err == nil && taken:
		groups, err := a.store.planGroups(ctx, id)
		for _, g := range groups {
			if !slices.Contains(a.queues, g.Queue) {
				a.queues = append(a.queues, g.Queue)
			}
		}
		return err
	case err != nil:
		return err
	case was.State == "planned" || was.State == "stopped" || was.State == "applying":
		if was, err = a.store.Redrive(ctx, id); err != nil {
			return err
		}
		return fmt.Errorf("%s is applying the plan %s just now: %s", was.Operator, id, was.Reason)
	}
	return fmt.Errorf("the plan %s is %s", id, was.State)
}

// row runs a statement that answers with the plan as it stands, and reports whether it did.
func (a *applier) row(ctx context.Context, query string, args []any) (there bool, err error) {
	err = a.store.look(ctx, query, args, func(rows dbRows) error {
		r, err := scanRedrive(rows)
		a.now, there = r, true
		return err
	})
	return there, err
}

// run goes through the items. Where it is over, or has to stop, it says so on the row.
func (a *applier) run(ctx context.Context) error {
	for {
		if err := a.look(ctx); err != nil {
			return err
		}
		why, err := a.stops(ctx)
		switch {
		case err != nil:
			return err
		case why != "":
			return a.end(ctx, "stopped", why)
		case a.now.Handled >= a.now.Jobs:
			return a.end(ctx, "done", "")
		}
		n, spread := a.next()
		if n == 0 {
			if err := a.wait(ctx, min(redriveLook, max(a.rules.every, time.Millisecond))); err != nil {
				return err
			}
			continue
		}
		if err := a.batch(ctx, n, spread); err != nil {
			return err
		}
		if spread > 0 && a.now.Handled+n < a.now.Jobs {
			if err := a.wait(ctx, a.rules.every); err != nil {
				return err
			}
		}
	}
}

// next is how many jobs are sent now, and over which time: first the canary, of which every one has to be judged before more
// follow.
func (a *applier) next() (n int, spread time.Duration) {
	if a.now.Kind == "discard" {
		return discardBatch, 0
	}
	sent := a.now.Sent - a.now.fromSent
	switch {
	case sent < a.rules.canary:
		return a.rules.canary - sent, 0
	case a.now.Judged < a.rules.canary:
		return 0, 0
	}
	return a.rules.batch, a.rules.every
}

// discardBatch is how many jobs are discarded in a transaction: none of them runs, so that there is nothing to wait for.
const discardBatch = 1000

// look renews the lease, counts how first attempts have ended, and tells of it.
func (a *applier) look(ctx context.Context) error {
	if a.now.Kind == "redrive" {
		err := a.store.look(ctx, redriving.judge, []any{a.now.ID, a.now.fromSeq, judgeAtOnce + 2*a.rules.batch}, func(dbRows) error { return nil })
		if err != nil {
			return err
		}
	}
	held, err := a.row(ctx, redriving.hold, []any{a.now.ID, a.token, redriveLease.Milliseconds()})
	if err != nil {
		return err
	}
	if !held {
		return errNotOurs
	}
	if a.progress != nil {
		a.progress(a.now)
	}
	return nil
}

// judgeAtOnce is how many jobs are looked at beyond those of the last batches.
const judgeAtOnce = 1000

// wait lets a time go by, and looks in between whether the plan is still ours.
func (a *applier) wait(ctx context.Context, d time.Duration) error {
	for end := time.Now().Add(d); ; {
		select {
		case <-time.After(min(redriveLook, time.Until(end))):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if !time.Now().Before(end) {
			return nil
		}
		if err := a.look(ctx); err != nil {
			return err
		}
	}
}

func (a *applier) end(ctx context.Context, state, why string) error {
	_, err := a.store.pool.Exec(ctx, a.store.timed(redriving.endRedrive), a.now.ID, a.token, state, why)
	return err
}

// in runs fn in a transaction in which the plan is still this process's.
func (a *applier) in(ctx context.Context, fn func(Tx) error) error {
	return write(ctx, a.store.pool, func(tx Tx) error {
		held := false
		err := lookIn(ctx, tx, a.store.timed(redriving.hold), []any{a.now.ID, a.token, redriveLease.Milliseconds()}, func(rows dbRows) (err error) {
			held = true
			a.now, err = scanRedrive(rows)
			return err
		})
		if err == nil && !held {
			err = errNotOurs
		}
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, byIndex, pgx.QueryExecModeSimpleProtocol); err != nil {
			return err
		}
		return fn(tx)
	})
}
