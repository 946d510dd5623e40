package scratch

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Attempt is a row of the ledger.
type Attempt struct {
	Key      string // of its job
	Number   int
	BegunBy  string // message or poll
	Outcome  string
	Class    string
	Decision string
	Error    string
}

// Ledger is every attempt, job by job.
func Ledger(ctx context.Context, db *pgxpool.Pool) ([]Attempt, error) {
	rows, err := db.Query(ctx, `select j.idempotency_key, a.attempt, case when a.message_id is null then 'poll' else 'message' end, a.outcome, coalesce(a.class, ''),
		a.decision || coalesce(' in ' || a.delay_ms || ' ms', ': ' || a.dead_reason, ''), coalesce(a.error_detail, '')
		from job_attempt a join job j using (job_id) order by 1, 2`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Attempt])
}

// Print writes attempts as a table.
func Print(out io.Writer, ledger []Attempt) error {
	w := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	_, _ = fmt.Fprintln(w, "job\tattempt\tbegun by\toutcome\tclass\tdecision\terror")
	for _, a := range ledger {
		_, _ = fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t%s\t%s\n", a.Key, a.Number, a.BegunBy, a.Outcome, a.Class, a.Decision, a.Error)
	}
	return w.Flush()
}
