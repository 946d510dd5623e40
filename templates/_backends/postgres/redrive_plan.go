//retryc:when redrive

package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// RedrivePlan is what would be done: jobs that are named one by one, so that one which dies later is not among them.
type RedrivePlan struct {
	ID       string
	Hash     string // over the jobs and their generations: apply wants it
	Jobs     int
	Groups   []DeadGroup
	Warnings []string
}

// PlanRedrive freezes the dead jobs of a filter into a plan to send them back, and says what to think of first. Nothing happens to
// them before ApplyRedrive.
func (s *Store) PlanRedrive(ctx context.Context, f DeadFilter) (RedrivePlan, error) {
	return s.plan(ctx, &redrive, "redrive", f)
}

// PlanDiscard is PlanRedrive for jobs that are to be closed for good: they never run, and their keys stay taken.
func (s *Store) PlanDiscard(ctx context.Context, f DeadFilter) (RedrivePlan, error) {
	return s.plan(ctx, &redrive, "discard", f)
}

func (s *Store) plan(ctx context.Context, rules *redriveTable, kind string, f DeadFilter) (RedrivePlan, error) {
	for _, id := range f.JobIDs {
		if !isUUID(id) {
			return RedrivePlan{}, fmt.Errorf("plan: job %q: %w", id, ErrNoJob)
		}
	}
	selector, err := json.Marshal(f)
	if err != nil {
		return RedrivePlan{}, err
	}
	p := RedrivePlan{ID: randomID()}
	var old, spent int
	near := rules.keys / 10 * 9
	if rules.keys == 0 {
		near = forever
	}
	args := append(f.args(), p.ID, kind, string(selector), near.Milliseconds(), rules.maxGenerations)
	err = s.look(ctx, redriving.planned, args, func(rows dbRows) error {
		var g DeadGroup
		err := rows.Scan(&p.Jobs, &p.Hash, &old, &spent, &g.Queue, &g.Reason, &g.Fingerprint, &g.Jobs, &g.First, &g.Last)
		if g.Jobs > 0 {
			p.Groups = append(p.Groups, g)
		}
		return err
	})
	if err == nil && kind == "redrive" {
		p.Warnings, err = s.warnings(ctx, rules, p.Groups, old, spent)
	}
	if err != nil {
		return RedrivePlan{}, fmt.Errorf("plan: %w", err)
	}
	return p, nil
}

// forever is longer than any job is old.
const forever = 200 * 365 * 24 * time.Hour

// PlanGroups are the jobs of a plan by queue, reason and fingerprint, as they were when it was made.
func (s *Store) PlanGroups(ctx context.Context, id string) ([]DeadGroup, error) {
	if _, err := s.Redrive(ctx, id); err != nil {
		return nil, err
	}
	return s.planGroups(ctx, id)
}

func (s *Store) planGroups(ctx context.Context, id string) (groups []DeadGroup, err error) {
	err = s.look(ctx, redriving.planGroups, []any{id}, func(rows dbRows) error {
		var g DeadGroup
		err := rows.Scan(&g.Queue, &g.Reason, &g.Fingerprint, &g.Jobs, &g.First, &g.Last)
		groups = append(groups, g)
		return err
	})
	return groups, err
}

// warnings are what to think of before a plan is applied.
func (s *Store) warnings(ctx context.Context, rules *redriveTable, groups []DeadGroup, old, spent int) (all []string, err error) {
	say := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	jobs := map[string]int{}
	var queues []string
	for _, g := range groups {
		if jobs[g.Queue] == 0 {
			queues = append(queues, g.Queue)
		}
		jobs[g.Queue] += g.Jobs
	}
	slices.Sort(queues)
	if spent > 0 {
		say("%d of them have been through their budgets %d times, the most that there is, and are not sent", spent, rules.maxGenerations)
	}
	if old > 0 {
		say("%d of them have a key that is nearly as old as keys are kept (%s), or older: whoever they call may have forgotten it, and do again what was done", old, rules.keys)
	}
	for _, name := range queues {
		if q := rules.queue(name); q != nil {
			most := q.mostFailures()
			say("%s: %d jobs with at most %d attempts each that fail are %d", name, jobs[name], most, jobs[name]*most)
		} else {
			say("%s: this program has no such queue, so that it cannot say what its jobs cost", name)
		}
	}
	return all, s.ages(ctx, queues, func(name string, waited time.Duration, running bool) {
		if !running && waited > unworked {
			say("%s: the oldest of its due jobs has waited for %s and none is running: does anybody work on it?", name, waited.Round(time.Second))
		}
	})
}

// unworked is how long a job is due in a queue on which somebody works, at most, while none of its jobs runs.
const unworked = 30 * time.Second

// ages hands fn how long the oldest due job of each queue has waited, and whether any is running.
func (s *Store) ages(ctx context.Context, queues []string, fn func(queue string, waited time.Duration, running bool)) error {
	return s.look(ctx, redriving.queueAges, []any{queues}, func(rows dbRows) error {
		var name string
		var waited int64
		var running bool
		if err := rows.Scan(&name, &waited, &running); err != nil {
			return err
		}
		fn(name, milliseconds(waited), running)
		return nil
	})
}

func (r *redriveTable) queue(name string) *queueTable {
	for _, q := range r.queues {
		if q.name == name {
			return q
		}
	}
	return nil
}

// mostFailures is how many attempts of a job can fail in one generation, on the longest of the ladders that it can climb.
func (q *queueTable) mostFailures() int {
	rungs := len(q.ladder.rungs)
	for _, l := range q.policy.tiers {
		rungs = max(rungs, len(l.rungs))
	}
	for _, c := range q.policy.classes {
		if c.ladder != nil && c.budget == failures {
			rungs = max(rungs, len(c.ladder.rungs))
		}
	}
	return min(q.policy.caps.attempts, rungs+1)
}
