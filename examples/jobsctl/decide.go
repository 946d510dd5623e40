package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/retryc/retryc/examples/jobsctl/internal/jobs"
)

func plan(ctx context.Context, store *jobs.Store, o *options) error {
	p, err := store.PlanRedrive(ctx, o.filter)
	return writeNewPlan(o, p, err)
}

func discard(ctx context.Context, store *jobs.Store, o *options) error {
	p, err := store.PlanDiscard(ctx, o.filter)
	return writeNewPlan(o, p, err)
}

func writeNewPlan(o *options, p jobs.RedrivePlan, err error) error {
	if err != nil || o.json {
		return orJSON(o, p, err)
	}
	if err := writeGroups(o, p.Groups); err != nil {
		return err
	}
	_, _ = fmt.Fprintln(o.out)
	for _, w := range p.Warnings {
		_, _ = fmt.Fprintln(o.out, "!", w)
	}
	_, err = fmt.Fprintf(o.out, "%d jobs are in the plan %s, and nothing has happened to them. To go on:\n\n  jobsctl apply %s --hash %s --by NAME --why REASON\n", p.Jobs, p.ID, p.ID, p.Hash)
	return err
}

// apply does what was planned, and tells of it as it goes.
func apply(ctx context.Context, store *jobs.Store, o *options) error {
	var last jobs.Redrive
	progress := func(r jobs.Redrive) {
		if r.Handled == last.Handled && r.Judged == last.Judged {
			return
		}
		last = r
		_, _ = fmt.Fprintf(o.errOut, "%s %d of %d, %d of them %s; %d first attempts ended, %d failed\n", bar(r.Handled, r.Jobs), r.Handled, r.Jobs, r.Sent, done[r.Kind], r.Judged, r.Failed)
	}
	r, err := store.ApplyRedrive(ctx, o.id, o.hash, o.by, progress)
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("it was cut off after %d of %d jobs: apply it again to go on, or undo it", r.Handled, r.Jobs)
	}
	if err != nil {
		return err
	}
	if o.json {
		err = orJSON(o, r, nil)
	} else {
		err = writePlan(o, r)
	}
	if err == nil && r.State != "done" {
		err = errUnwell
	}
	return err
}

var done = map[string]string{"redrive": "sent", "discard": "discarded", "amend": "sent"}

func writePlan(o *options, r jobs.Redrive) error {
	_, err := fmt.Fprintf(o.out, "the %s %s is %s: %d of %d jobs handled, %d %s\n", r.Kind, r.ID, r.State, r.Handled, r.Jobs, r.Sent, done[r.Kind])
	if r.StoppedWhy != "" {
		_, err = fmt.Fprintln(o.out, "stopped:", r.StoppedWhy)
	}
	return err
}

func stopPlan(ctx context.Context, store *jobs.Store, o *options) error {
	if err := store.StopRedrive(ctx, o.id, o.by); err != nil {
		return err
	}
	r, err := store.Redrive(ctx, o.id)
	if err != nil || o.json {
		return orJSON(o, r, err)
	}
	return writePlan(o, r)
}

func undo(ctx context.Context, store *jobs.Store, o *options) error {
	back, err := store.UndoRedrive(ctx, o.id, o.by)
	if err != nil || o.json {
		return orJSON(o, map[string]int{"Back": back}, err)
	}
	_, err = fmt.Fprintf(o.out, "%d jobs are dead again, as they were; the others had begun\n", back)
	return err
}

// amend sends one job back with the payload in a file. A product has a line here for each of its queues.
func amend(ctx context.Context, store *jobs.Store, o *options) error {
	h, err := store.History(ctx, o.id)
	if err != nil {
		return err
	}
	var text []byte
	if o.payload == "-" {
		text, err = io.ReadAll(os.Stdin)
	} else {
		text, err = os.ReadFile(o.payload)
	}
	if err != nil {
		return err
	}
	var r jobs.Redrive
	switch h.Queue {
	case "payout":
		r, err = amended(ctx, store, o, text, jobs.AmendPayout)
	case "receipt-email":
		r, err = amended(ctx, store, o, text, jobs.AmendReceiptEmail)
	default:
		err = fmt.Errorf("jobsctl knows no queue %s", h.Queue)
	}
	if err != nil || o.json {
		return orJSON(o, r, err)
	}
	return writePlan(o, r)
}

func amended[P any](ctx context.Context, store *jobs.Store, o *options, text []byte,
	send func(context.Context, *jobs.Store, string, P, jobs.Signed) (jobs.Redrive, error)) (jobs.Redrive, error) {
	var payload P
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&payload); err != nil {
		return jobs.Redrive{}, fmt.Errorf("the payload in %s: %w", o.payload, err)
	}
	return send(ctx, store, o.id, payload, o.by)
}
