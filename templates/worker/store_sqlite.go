package worker

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Store is the product's database with the job tables in it. One Store serves any number of goroutines.
type Store struct {
	db    *sql.DB
	text  sqlText
	clock string        // the time, as SQL
	gate  chan struct{} // one transaction of this process writes at a time: the others wait here, not inside SQLite
	line  chan struct{} // all but renewals stand here first, so that a renewal waits for one of them at most
	wakes wakes

	//retryc:if observed
	seen observed
	//retryc:end

	prepared map[string]*sql.Stmt // by text; each connection compiles them once
}

// sqlText is the statements, with the names of this product's tables. {now} stands for the database's clock in
// milliseconds.
type sqlText struct {
	migration, tables, present          string
	enqueue, existing                   string
	due, claim, claimAlone              string
	finishOK, finishDelete, finishDone  string
	finishLedger, finishJob, finishBack string
	recorded, renew                     string
	held, company, expired              string
	stats, dead                         string
	ledger, nextRun                     string
}

// sqliteClock is how SQLite tells the time. Due and lease times are reckoned by it alone, never by this process.
const sqliteClock = "cast(unixepoch('subsec')*1000 as integer)"

// turnsAtOnce is how many turns are on their way beside each other. SQLite has one writer.
const turnsAtOnce = 1

func newStore(db *sql.DB, text sqlText, clock string) *Store {
	for _, s := range []*string{
		&text.enqueue, &text.claim, &text.claimAlone, &text.due, &text.finishOK, &text.finishLedger, &text.finishJob, &text.finishBack, &text.renew, &text.held, &text.company, &text.expired, &text.stats, &text.nextRun,
	} {
		*s = strings.ReplaceAll(*s, "{now}", clock)
	}
	return &Store{db: db, text: text, clock: clock, gate: make(chan struct{}, 1), line: make(chan struct{}, 1)}
}

// migrate creates the tables where they are missing, and says so where other ones are there.
func (s *Store) migrate(ctx context.Context) error {
	err := s.write(ctx, func(tx Tx) error {
		var n int
		if err := tx.QueryRowContext(ctx, s.text.present).Scan(&n); err != nil || n > 0 {
			return err
		}
		_, err := tx.ExecContext(ctx, s.text.migration)
		return err
	})
	if err != nil {
		return fmt.Errorf("create the job tables: %w", err)
	}
	return s.check(ctx)
}

// check reads no row; it fails where a table or a column is missing, or where a busy database would be an error at once.
func (s *Store) check(ctx context.Context) error {
	var busy int
	if err := s.db.QueryRowContext(ctx, "pragma busy_timeout").Scan(&busy); err != nil || busy == 0 {
		return errors.Join(errors.New("the connections to the database have no busy_timeout; add _pragma=busy_timeout(10000) to the data source name"), err)
	}
	if _, err := s.db.ExecContext(ctx, s.text.tables); err != nil {
		return fmt.Errorf("the job tables are not those that this package was generated for; apply the migrations that this database has not run, or start with a new file: %w", err)
	}
	t := s.text // compiled before a transaction could hold the only connection
	return s.prepare(ctx, t.enqueue, t.existing, t.due, t.claim, t.claimAlone, t.finishOK, t.finishDelete, t.finishDone, t.finishLedger, t.finishJob, t.finishBack,
		t.recorded, t.renew, t.expired)
}

// errAway is an error of the database, and of nothing that it was asked to write.
var errAway = errors.New("the database cannot be written")

// write runs fn in a transaction of its own.
func (s *Store) write(ctx context.Context, fn func(Tx) error) error {
	select {
	case s.line <- struct{}{}:
		defer func() { <-s.line }()
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", errAway, context.Cause(ctx))
	}
	return s.writeNext(ctx, 0, fn)
}

// writeNext is write ahead of all that stand in line. It waits for the lock no longer than patience, if there is one.
func (s *Store) writeNext(ctx context.Context, patience time.Duration, fn func(Tx) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	waiting := func() bool { return true }
	if patience > 0 {
		waiting = time.AfterFunc(patience, cancel).Stop
		defer waiting()
	}
	select {
	case s.gate <- struct{}{}:
		defer func() { <-s.gate }()
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", errAway, context.Cause(ctx))
	}
	tx, err := s.db.BeginTx(ctx, nil)
	waiting()
	if err != nil {
		return fmt.Errorf("%w: %w", errAway, err)
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	if err := fn(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// away says that err is the database's, such as one that is locked, full or not there, or of a transaction whose time was
// over. Any other error may come from a row that was written. It knows the errors of drivers that tell SQLite's code by a
// method.
func away(err error) bool {
	var e interface{ Code() int }
	if errors.As(err, &e) && !slices.Contains([]int{1, 18, 19, 20}, e.Code()&0xff) { // error, too big, constraint, mismatch
		return true
	}
	return slices.ContainsFunc([]error{errAway, sql.ErrTxDone, context.DeadlineExceeded, context.Canceled}, func(a error) bool { return errors.Is(err, a) })
}
