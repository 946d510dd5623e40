package main

import (
	"context"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/retryc/retryc/examples/digest/internal/jobs"
)

// play runs the trigger, then a worker that is killed half-way, then another, until nothing is left to send.
func play(ctx context.Context, out io.Writer, n int) error {
	dir, err := os.MkdirTemp("", "digest")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "jobs.db")
	post := newMailer(n / 2)
	server := httptest.NewServer(post)
	defer server.Close()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := trigger(ctx, path, n); err != nil {
		return err
	}

	begun := time.Now()
	first := exec.CommandContext(ctx, self, "work", path, server.URL)
	if err := first.Start(); err != nil {
		return err
	}
	select {
	case <-post.reached:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if err := first.Process.Kill(); err != nil { // kill -9: it gets no chance to tidy up
		return err
	}
	_ = first.Wait()
	arrived, _ := post.counts()
	_, _ = fmt.Fprintf(out, "%4.1fs  the worker was killed with %d digests sent\n", time.Since(begun).Seconds(), arrived)

	second := exec.CommandContext(ctx, self, "work", path, server.URL)
	if err := second.Start(); err != nil {
		return err
	}
	store, err := jobs.Open(ctx, path)
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	if err := untilNothingIsLeft(ctx, store); err != nil {
		return err
	}
	if err := second.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	if err := second.Wait(); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "%4.1fs  the second worker has sent the rest and was stopped\n", time.Since(begun).Seconds())
	return summarise(ctx, out, store, post)
}

func untilNothingIsLeft(ctx context.Context, store *jobs.Store) error {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		stats, err := store.Stats(ctx)
		if err != nil {
			return err
		}
		left := 0
		for _, q := range stats {
			left += q.Due + q.Scheduled + q.Running
		}
		if left == 0 {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func summarise(ctx context.Context, out io.Writer, store *jobs.Store, post *mailer) error {
	arrived, requests := post.counts()
	var attempts, crashed, uncounted int
	err := store.DB().QueryRowContext(ctx, `select count(*), sum(class is 'crashed'),
		(select count(*) from job j where attempt <> (select count(*) from job_attempt a where a.job_id = j.job_id)) from job_attempt`).Scan(&attempts, &crashed, &uncounted)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "\n%d digests arrived, by %d requests; the mailer dropped repeats by their key.\n", arrived, requests)
	_, _ = fmt.Fprintf(out, "%d attempts are in the ledger, %d of them crashes; %d jobs have an attempt that is not.\n\nDead letters:\n\n", attempts, crashed, uncounted)
	rows, err := store.DB().QueryContext(ctx, "select idempotency_key, last_class, dead_reason, attempt, fingerprint, last_error from dead_letter")
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var key, class, reason, fingerprint, text string
		var attempt int
		if err := rows.Scan(&key, &class, &reason, &attempt, &fingerprint, &text); err != nil {
			return err
		}
		_, _ = fmt.Fprintf(out, "  key          %s\n  class        %s (%s, after attempt %d)\n  fingerprint  %s\n  error        %s\n", key, class, reason, attempt, fingerprint, text)
	}
	return rows.Err()
}
