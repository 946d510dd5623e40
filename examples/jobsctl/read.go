package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/retryc/retryc/examples/jobsctl/internal/jobs"
)

// list writes a page of dead letters.
func list(ctx context.Context, store *jobs.Store, o *options) error {
	page, err := store.DeadLetters(ctx, o.filter, o.after, o.limit)
	if err != nil || o.json {
		return orJSON(o, page, err)
	}
	t := newTable(o.out, "JOB", "QUEUE", "KEY", "TENANT", "DEAD", "GENERATION", "REASON", "CLASS", "FINGERPRINT", "ERROR")
	for _, d := range page.Letters {
		t.row(d.JobID, d.Queue, d.IdempotencyKey, d.Tenant, clock(d.DeadAt), d.Generation, d.Reason, d.Class, d.Fingerprint, oneLine(d.Error, 60))
	}
	if err := t.end(); err != nil {
		return err
	}
	if page.Next != "" {
		_, err = fmt.Fprintf(o.out, "\nmore: --after %s\n", page.Next)
	}
	return err
}

// group writes dead letters by their cause.
func group(ctx context.Context, store *jobs.Store, o *options) error {
	groups, err := store.DeadGroups(ctx, o.filter)
	if err != nil || o.json {
		return orJSON(o, groups, err)
	}
	return writeGroups(o, groups)
}

func writeGroups(o *options, groups []jobs.DeadGroup) error {
	head := []string{"JOBS", "QUEUE", "REASON", "FINGERPRINT", "FIRST", "LAST"}
	texts := slices.ContainsFunc(groups, func(g jobs.DeadGroup) bool { return g.Error != "" }) // those of a plan have none
	if texts {
		head = append(head, "ERROR")
	}
	t := newTable(o.out, head...)
	for _, g := range groups {
		cells := []any{g.Jobs, g.Queue, g.Reason, g.Fingerprint, clock(g.First), clock(g.Last)}
		if texts {
			cells = append(cells, oneLine(g.Error, 60))
		}
		t.row(cells...)
	}
	return t.end()
}

// show writes one job with all that is known of it.
func show(ctx context.Context, store *jobs.Store, o *options) error {
	h, err := store.History(ctx, o.id)
	if err != nil || o.json {
		return orJSON(o, readable(h), err)
	}
	t := newTable(o.out)
	t.row("job", h.JobID)
	t.row("queue", h.Queue)
	t.row("key", h.IdempotencyKey)
	t.row("tenant", h.Tenant)
	t.row("state", strings.TrimSpace(h.State+" "+h.Reason))
	t.row("generation", h.Generation)
	t.row("error", oneLine(h.Error, 200))
	t.row("fingerprint", h.Fingerprint)
	t.row("payload", string(h.Payload))
	if err := t.end(); err != nil {
		return err
	}
	_, _ = fmt.Fprintln(o.out)
	t = newTable(o.out, "ATTEMPT", "GENERATION", "ENDED", "OUTCOME", "CLASS", "DECISION", "FINGERPRINT", "WORKER", "ERROR")
	for _, a := range h.Ledger {
		t.row(a.Number, a.Generation, clock(a.EndedAt), a.Outcome, a.Class, strings.TrimSpace(a.Decision+" "+a.DeadReason), a.Fingerprint, a.Worker, oneLine(a.Error, 60))
	}
	if err := t.end(); err != nil || len(h.Redrives) == 0 {
		return err
	}
	_, _ = fmt.Fprintln(o.out)
	t = newTable(o.out, "PLAN", "KIND", "FROM GENERATION", "RESULT", "AT", "BY", "DETAIL OR REASON")
	for _, r := range h.Redrives {
		t.row(r.RedriveID, r.Kind, r.FromGeneration, r.Result, clock(r.At), r.By.Operator, oneLine(first(r.Detail, r.By.Reason), 80))
	}
	return t.end()
}

// timeline writes what happened to a job.
func timeline(ctx context.Context, store *jobs.Store, o *options) error {
	h, err := store.History(ctx, o.id)
	if err != nil || o.json {
		return orJSON(o, h.Timeline(), err)
	}
	t := newTable(o.out)
	for _, e := range h.Timeline() {
		t.row(clock(e.At), e.What, oneLine(e.Text, 160))
	}
	return t.end()
}

// plans writes all plans, or one with its jobs.
func plans(ctx context.Context, store *jobs.Store, o *options) error {
	if o.id != "" {
		return onePlan(ctx, store, o)
	}
	all, next, err := store.Redrives(ctx, o.after, o.limit)
	if err != nil || o.json {
		return orJSON(o, map[string]any{"Plans": all, "Next": next}, err)
	}
	t := newTable(o.out, "PLAN", "KIND", "STATE", "MADE", "JOBS", "HANDLED", "SENT", "BY", "REASON, OR WHY IT STOPPED")
	for _, r := range all {
		t.row(r.ID, r.Kind, r.State, clock(r.CreatedAt), r.Jobs, r.Handled, r.Sent, r.Operator, oneLine(first(r.StoppedWhy, r.Reason), 80))
	}
	if err := t.end(); err != nil {
		return err
	}
	if next != "" {
		_, err = fmt.Fprintf(o.out, "\nmore: --after %s\n", next)
	}
	return err
}

func onePlan(ctx context.Context, store *jobs.Store, o *options) error {
	r, err := store.Redrive(ctx, o.id)
	if err != nil {
		return err
	}
	items, err := store.RedriveItems(ctx, o.id, "", 0, o.limit)
	if err != nil || o.json {
		return orJSON(o, map[string]any{"Plan": r, "Items": items}, err)
	}
	if err := writePlan(o, r); err != nil {
		return err
	}
	for _, d := range r.Decisions {
		_, _ = fmt.Fprintf(o.out, "%s  %s by %s: %s\n", clock(d.At), d.What, d.Operator, d.Reason)
	}
	_, _ = fmt.Fprintln(o.out)
	t := newTable(o.out, "SEQ", "JOB", "QUEUE", "FROM GENERATION", "RESULT", "FIRST ATTEMPT", "AT", "DETAIL")
	for _, i := range items {
		t.row(i.Seq, i.JobID, i.Queue, i.FromGeneration, i.Result, i.FirstAttempt, clock(i.At), oneLine(i.Detail, 100))
	}
	return t.end()
}
