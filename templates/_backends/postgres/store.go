package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Tx is the transaction in which effects and enqueues run.
type Tx = pgx.Tx

// dbRows is the answer to a query.
type dbRows = pgx.Rows

// Store is the product's database with the job tables in it. One Store serves any number of goroutines.
type Store struct {
	pool  *pgxpool.Pool
	text  sqlText
	clock string // the time, as SQL
	wakes wakes

	//retryc:if observed
	seen observed
	//retryc:end

	mu      sync.Mutex
	working int           // processes that listen
	kept    *pgxpool.Pool // connections for leases alone, while a process works
	deaf    func()        // ends the listening
	untold  bool          // something was enqueued here since the last NOTIFY
	telling bool
	tellers sync.WaitGroup
}

// sqlText is the statements, with the names of this product's tables. {now} stands for the database's clock.
type sqlText struct {
	migration, tables, present, channel string
	enqueue, existing                   string
	due, claim, claimAlone              string
	finishGone, finishDone, finish      string
	recorded, renew                     string
	held, company, expired              string
	stats, dead                         string
	ledger, nextRun                     string
}

// postgresClock is how PostgreSQL tells the time. Due and lease times are reckoned by it alone, never by this process.
const postgresClock = "now()"

// turnsAtOnce is how many turns are on their way beside each other: while the server works on one, this process works on the
// jobs of the other.
const turnsAtOnce = 2

func newStore(pool *pgxpool.Pool, text sqlText, clock string) *Store {
	for _, s := range []*string{
		&text.enqueue, &text.due, &text.claim, &text.claimAlone, &text.finishGone, &text.finishDone, &text.finish, &text.renew, &text.held, &text.company, &text.expired, &text.stats, &text.nextRun,
	} {
		*s = strings.ReplaceAll(*s, "{now}", clock)
	}
	return &Store{pool: pool, text: text, clock: clock}
}

// DB is the database that the store is on, for the product's own queries and transactions.
func (s *Store) DB() *pgxpool.Pool { return s.pool }

// Close waits for the connections that are in use, and closes the pool.
func (s *Store) Close() error {
	//retryc:if observed
	s.unobserve()
	//retryc:end
	s.tellers.Wait()
	//retryc:if broker
	s.disconnect()
	//retryc:end
	s.pool.Close()
	return nil
}

// migrate creates the tables where they are missing, and says so where other ones are there.
func (s *Store) migrate(ctx context.Context) error {
	err := write(ctx, s.pool, func(tx Tx) error {
		var n int
		if err := tx.QueryRow(ctx, s.text.present).Scan(&n); err != nil || n > 0 {
			return err
		}
		_, err := tx.Exec(ctx, s.text.migration)
		return err
	})
	if err != nil {
		return fmt.Errorf("create the job tables: %w", err)
	}
	return s.check(ctx)
}

// check reads no row; it fails where a table or a column is missing, or where the server would break what the workers
// promise.
func (s *Store) check(ctx context.Context) error {
	var version int
	var isolation, encoding string
	var standby, readOnly bool
	err := s.pool.QueryRow(ctx, "select current_setting('server_version_num')::int, current_setting('default_transaction_isolation'), current_setting('server_encoding'), "+
		"pg_is_in_recovery(), current_setting('default_transaction_read_only')::bool").Scan(&version, &isolation, &encoding, &standby, &readOnly)
	switch {
	case err != nil:
		return fmt.Errorf("the database cannot be asked what it is: %w", err)
	case version < 130000:
		return fmt.Errorf("the server is PostgreSQL %d; the jobs need version 13 or later", version/10000)
	case standby:
		return errors.New("the server is a standby, which cannot be written; connect to the primary, such as with target_session_attrs=read-write in the URL")
	case readOnly:
		return errors.New("the sessions are read-only; connect as a role whose default_transaction_read_only is off")
	case isolation != "read committed":
		return fmt.Errorf("the sessions begin transactions as %s, under which a job can fail that another transaction has touched; "+
			"add default_transaction_isolation=read%%20committed to the URL, or set it for the role", isolation)
	case encoding != "UTF8":
		return fmt.Errorf("the database has the encoding %s, which cannot hold every error text; the jobs need a database in UTF8", encoding)
	}
	_, err = s.pool.Exec(ctx, s.text.tables)
	var refused *pgconn.PgError
	switch {
	case errors.As(err, &refused) && refused.Code == "42501":
		return fmt.Errorf("the role may not read the job tables; grants_gen.sql gives it what it needs: %w", err)
	case err != nil:
		return fmt.Errorf("the job tables are not those that this package was generated for; apply its migrations, and let search_path name their schema: %w", err)
	}
	return nil
}

// write runs fn in a transaction of its own.
func write(ctx context.Context, db interface {
	BeginTx(context.Context, pgx.TxOptions) (pgx.Tx, error)
}, fn func(Tx) error) error {
	return pgx.BeginTxFunc(ctx, db, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, fn)
}

// byIndex keeps the planner from reading whole tables, until the transaction ends; asPlanned gives it its freedom back.
// A queue is empty one day and has a million jobs the next: a plan made for the empty table would be used until the
// statistics follow. So a statement names its rows by an array, which an index takes, and joins what it found to the
// document by hash. One plan serves all: planning anew, or compiling, what takes a millisecond is never worth it.
const (
	byIndex = "select set_config('enable_seqscan', 'off', true), set_config('enable_nestloop', 'off', true), set_config('jit', 'off', true), " +
		"set_config('plan_cache_mode', 'force_generic_plan', true)"
	asPlanned = "select set_config('enable_seqscan', null, true), set_config('enable_nestloop', null, true), set_config('jit', null, true), " +
		"set_config('plan_cache_mode', null, true)"
)

// sender is a pool, a connection or a transaction.
type sender interface {
	SendBatch(context.Context, *pgx.Batch) pgx.BatchResults
}

// each runs a query, in tx where it is not nil, and hands every row to scan.
func (s *Store) each(ctx context.Context, tx Tx, query string, args []any, scan func(dbRows) error) error {
	if tx == nil {
		return each(ctx, s.pool, query, args, scan)
	}
	return each(ctx, tx, query, args, scan)
}

// each goes to the database and back once. Outside a transaction, what it sends is one.
func each(ctx context.Context, db sender, query string, args []any, scan func(dbRows) error) error {
	var batch pgx.Batch
	batch.Queue(byIndex)
	batch.Queue(query, args...).Query(every(scan))
	return db.SendBatch(ctx, &batch).Close()
}

// every hands the rows of an answer to scan.
func every(scan func(dbRows) error) func(dbRows) error {
	return func(rows dbRows) error {
		for rows.Next() {
			if err := scan(rows); err != nil {
				return err
			}
		}
		return rows.Err()
	}
}

// away says that err is the database's, such as one that is not there, read-only, full, or in a deadlock. Any other
// error may come from a row that was written.
func away(err error) bool {
	var refused *pgconn.ConnectError // such as a wrong password, or a database that is not there
	var e *pgconn.PgError
	switch {
	case errors.Is(err, errNUL):
		return false
	case errors.As(err, &refused) || !errors.As(err, &e):
		return true
	}
	return slices.ContainsFunc([]string{"08", "25", "40", "53", "55", "57", "58", "XX"}, func(class string) bool { return strings.HasPrefix(e.Code, class) })
}
