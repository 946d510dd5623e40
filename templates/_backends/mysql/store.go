package worker

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-sql-driver/mysql"
)

// Store is the product's database with the job tables in it. One Store serves any number of goroutines.
type Store struct {
	db    *sql.DB
	text  sqlText
	clock string // the time, as SQL
	wakes wakes

	//retryc:if observed
	seen observed
	//retryc:end

	prepared map[string]*sql.Stmt // by text; each connection compiles them once

	leasing chan struct{} // who holds it may use kept
	kept    *sql.Conn     // for leases alone, while a process works
	working int           // processes that listen
}

// sqlText is the statements, with the names of this product's tables. {now} stands for the database's clock.
type sqlText struct {
	migration, tables, present     string
	enqueue, existing, existingNow string
	due, claim, begin              string
	fence                          string
	finishLedger, finishDelete     string
	finishJob, finishBack          string
	recorded, ours, lock, renew    string
	held, expired, leases, company string
	stats, dead                    string
	ledger, nextRun                string
}

// mysqlClock is how MySQL and MariaDB tell the time, whatever time zone a session has. Due and lease times are reckoned by
// it alone, never by this process.
const mysqlClock = "utc_timestamp(6)"

// turnsAtOnce is how many turns are on their way beside each other.
const turnsAtOnce = 1

func newStore(db *sql.DB, text sqlText, clock string) *Store {
	for _, s := range []*string{
		&text.enqueue, &text.due, &text.claim, &text.begin, &text.fence, &text.renew, &text.held, &text.expired, &text.stats, &text.nextRun,
	} {
		*s = strings.ReplaceAll(*s, "{now}", clock)
	}
	return &Store{db: db, text: text, clock: clock, leasing: make(chan struct{}, 1)}
}

// migrate creates the tables where they are missing, and says so where other ones are there.
func (s *Store) migrate(ctx context.Context) error {
	var n int
	err := s.db.QueryRowContext(ctx, s.text.present).Scan(&n)
	if err == nil && n == 0 {
		err = s.execEach(ctx, s.text.migration)
	}
	if err != nil {
		return fmt.Errorf("create the job tables: %w", err)
	}
	return s.check(ctx)
}

// execEach runs statements that end with a semicolon at the end of a line.
func (s *Store) execEach(ctx context.Context, script string) error {
	for _, query := range strings.Split(strings.TrimSuffix(strings.TrimSpace(script), ";"), ";\n") {
		if _, err := s.db.ExecContext(ctx, query); err != nil {
			return err
		}
	}
	return nil
}

// check reads no row; it fails where a table or a column is missing, or where the server or its sessions would break what
// the workers promise.
func (s *Store) check(ctx context.Context) error {
	if s.db.Stats().MaxOpenConnections == 1 {
		return errors.New("the pool has one connection alone, and the jobs keep one back for their leases; let it have more")
	}
	vars := map[string]string{}
	err := s.each(ctx, nil, "show session variables where variable_name in ('version', 'sql_mode', 'character_set_client', 'read_only', 'log_bin', 'binlog_format')", nil, func(rows dbRows) error {
		var name, value string
		err := rows.Scan(&name, &value)
		vars[name] = value
		return err
	})
	switch {
	case err != nil:
		return fmt.Errorf("the database cannot be asked what it is: %w", err)
	case !recent(vars["version"]):
		return fmt.Errorf("the server is of version %s; the jobs need MySQL 8.0.16 or MariaDB 10.6, or later", vars["version"])
	case vars["read_only"] == "ON":
		return errors.New("the server is read-only, as a replica is; connect to the primary")
	case !strings.Contains(vars["sql_mode"], "STRICT_TRANS_TABLES") && !strings.Contains(vars["sql_mode"], "STRICT_ALL_TABLES"):
		return errors.New("the sessions store values that do not fit cut short; add sql_mode=concat(@@sql_mode,',STRICT_TRANS_TABLES'), with % escapes, to the data source name")
	case vars["character_set_client"] != "utf8mb4":
		return fmt.Errorf("the sessions speak %s, which cannot hold every error text; add charset=utf8mb4 to the data source name", vars["character_set_client"])
	case vars["log_bin"] == "ON" && vars["binlog_format"] == "STATEMENT":
		return errors.New("the server's binlog_format is STATEMENT, which refuses what is written under read committed; set it to ROW or MIXED")
	}
	switch err := s.execEach(ctx, s.text.tables); {
	case denied(err):
		return fmt.Errorf("the account may not read the job tables; grants_gen.sql gives it what it needs: %w", err)
	case err != nil:
		return fmt.Errorf("the job tables are not those that this package was generated for; apply the migrations that this database has not run: %w", err)
	}
	t := s.text
	err = s.prepare(ctx, t.begin, t.due, t.claim, t.fence, t.finishLedger, t.finishDelete, t.finishJob, t.finishBack, t.recorded, t.ours, t.lock, t.renew, t.expired)
	if denied(err) {
		return nil // an account that never works: the first statement has told, and none is left behind
	}
	return err
}

// versionText is that of a server, such as 8.4.3, 10.11.6-MariaDB or 5.5.5-10.6.12-MariaDB.
var versionText = regexp.MustCompile(`^(?:5\.5\.5-)?(\d+)\.(\d+)\.(\d+)(.*)`)

// recent says that a server has all that the statements need: SKIP LOCKED, JSON_TABLE, and checks that are enforced.
func recent(version string) bool {
	parts := versionText.FindStringSubmatch(version)
	if parts == nil {
		return false
	}
	have, least := make([]int, 3), []int{8, 0, 16}
	for i := range have {
		have[i], _ = strconv.Atoi(parts[i+1]) // digits, by the pattern
	}
	if strings.Contains(parts[4], "MariaDB") {
		least = []int{10, 6, 0}
	}
	return slices.Compare(have, least) >= 0
}

// write runs fn in a transaction of its own, of a connection or of any that is free. Under read committed no gap between
// rows is locked, and every statement sees what has been committed.
func write(ctx context.Context, db interface {
	BeginTx(context.Context, *sql.TxOptions) (*sql.Tx, error)
}, fn func(Tx) error) error {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	if err != nil {
		return err
	}
	err = fn(tx)
	end := tx.Commit
	if err != nil {
		end = tx.Rollback
	}
	ended := make(chan error, 1)
	go func() { ended <- end() }() // which has no context: on a dead connection it waits for the network
	select {
	case endErr := <-ended:
		if err == nil {
			err = endErr
		}
	case <-ctx.Done():
		if err == nil {
			err = context.Cause(ctx)
		}
	}
	return err
}

// tries is how often a transaction runs that the server rolls back because it stands in the way of others.
const tries = 10

// retried runs a transaction again while it fails with one of the server's numbers, or was cut off.
func retried(ctx context.Context, try func() error, numbers ...uint16) error {
	for n := 1; ; n++ {
		err := try()
		if err == nil || ctx.Err() != nil || n == tries || !errors.Is(err, errGone) && !slices.Contains(numbers, number(err)) {
			return err
		}
	}
}

// Numbers of the server's errors.
const (
	duplicateEntry  = 1062
	tableDenied     = 1142
	columnDenied    = 1143
	lockWaitTimeout = 1205
	deadlock        = 1213
)

// number is the server's for err, also behind an error of a function given to OnCommit; 0 is that of any other error.
func number(err error) uint16 {
	var failed *effectError
	if errors.As(err, &failed) {
		err = failed.err
	}
	var e *mysql.MySQLError
	if errors.As(err, &e) {
		return e.Number
	}
	return 0
}

// denied says that the account lacks a right.
func denied(err error) bool { return number(err) == tableDenied || number(err) == columnDenied }

// awayNumbers are of a server that is full, busy, shutting down or read-only, that gave up a wait or chose a victim, or
// that has ended the connection.
var awayNumbers = []uint16{
	1020, 1021, 1026, 1028, 1030, 1037, 1038, 1040, 1041, 1042, 1043, 1044, 1045, 1047, 1049, 1053, 1077, 1078, 1079, 1114, 1129, 1130, 1135, 1152, 1158, 1159, 1160, 1161,
	1180, 1181, 1184, 1189, 1190, 1203, lockWaitTimeout, 1206, deadlock, 1226, 1290, 1317, 1568, 1637, 1792, 1836, 1927, 1969, 2006, 2013, 3024, 3100, 3101, 3169, 4031,
}

// errAstray is a change of job rows that does not fit what the ledger took.
var errAstray = errors.New("the rows of the jobs do not follow their ledger")

// away says that err is the database's, such as one that is not there, read-only, full, or in a deadlock. Any other
// error may come from a row that was written.
func away(err error) bool {
	var e *mysql.MySQLError
	if errors.As(err, &e) {
		return slices.Contains(awayNumbers, e.Number)
	}
	return !errors.Is(err, errAstray) && !errors.Is(err, mysql.ErrPktTooLarge)
}
