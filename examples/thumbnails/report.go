package main

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/retryc/retryc/examples/thumbnails/internal/jobs"
)

// watch draws a progress line until every job is done or dead, or ctx ends.
func watch(ctx context.Context, out *os.File, store *jobs.Store) error {
	info, err := out.Stat()
	terminal := err == nil && info.Mode()&os.ModeCharDevice != 0
	begun := time.Now()
	tick := time.NewTicker(timing)
	defer tick.Stop()
	for last := ""; ; {
		done, waiting, running, dead, attempts, err := count(ctx, store.DB())
		if err != nil {
			return err
		}
		line := fmt.Sprintf("%2d done  %2d running  %2d waiting  %d dead  %d attempts", done, running, waiting, dead, attempts)
		switch {
		case terminal:
			_, _ = fmt.Fprintf(out, "\r%4.1fs  %s ", time.Since(begun).Seconds(), line)
		case line != last:
			_, _ = fmt.Fprintf(out, "%4.1fs  %s\n", time.Since(begun).Seconds(), line)
		}
		last = line
		if waiting+running == 0 {
			if terminal {
				_, _ = fmt.Fprintln(out)
			}
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
}

func count(ctx context.Context, db *sql.DB) (done, waiting, running, dead, attempts int, err error) {
	err = db.QueryRowContext(ctx, `select coalesce(sum(state = 'done'), 0), coalesce(sum(state = 'scheduled'), 0), coalesce(sum(state = 'running'), 0),
		coalesce(sum(state = 'dead'), 0), (select count(*) from job_attempt) from job`).Scan(&done, &waiting, &running, &dead, &attempts)
	return done, waiting, running, dead, attempts, err
}

// summarise shows the dead letters by what killed them, and the ledger of the one that tried longest.
func summarise(ctx context.Context, out io.Writer, store *jobs.Store, dir string) error {
	made, err := filepath.Glob(filepath.Join(dir, "*.png"))
	if err != nil {
		return err
	}
	var fees, cents, strays int
	err = store.DB().QueryRowContext(ctx, `select count(*), coalesce(sum(cents), 0), coalesce(sum(not exists (
		select 1 from job_attempt a where a.job_id = fee.job_id and a.attempt = fee.attempt and a.outcome = 'ok')), 0) from fee`).Scan(&fees, &cents, &strays)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "\n%d thumbnails made, %d fees posted (%d cents), %d of them without a successful attempt in the ledger.\n", len(made), fees, cents, strays)
	_, _ = fmt.Fprint(out, "\nDead letters, for a person to look at:\n\n")
	err = table(ctx, out, store.DB(), "class\twhy dead\tmerchant\tjobs\tattempts each\terror of one",
		`select last_class, dead_reason, merchant_id, count(*), max(attempt), max(last_error) from dead_letter
		group by fingerprint, merchant_id order by last_class, merchant_id`)
	if err != nil {
		return err
	}
	var jobID string
	if err := store.DB().QueryRowContext(ctx, "select job_id from dead_letter order by attempt desc, job_id limit 1").Scan(&jobID); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "\nThe ledger of job %s:\n\n", jobID)
	return table(ctx, out, store.DB(), "attempt\toutcome\tclass\tdecision\tnext in ms\terror",
		`select attempt, outcome, class, decision || coalesce(': ' || dead_reason, ''), coalesce(delay_ms, ''), error_detail
		from job_attempt where job_id = ? order by attempt`, jobID)
}

func table(ctx context.Context, out io.Writer, db *sql.DB, head, query string, args ...any) error {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	w := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	_, _ = fmt.Fprintln(w, head)
	cells := make([]string, strings.Count(head, "\t")+1)
	into := make([]any, len(cells))
	for i := range cells {
		into[i] = &cells[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		_, _ = fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return w.Flush()
}
