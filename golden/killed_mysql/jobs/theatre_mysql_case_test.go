//go:build unix

package jobs

import (
	"context"
	"database/sql"
	"os"
	"strconv"

	"github.com/go-sql-driver/mysql"
)

// databaseClock is the clock by which leases end.
const databaseClock = mysqlClock

// open makes the tables in a database of their own.
func (h *theatre) open() {
	h.Helper()
	h.openOn(scratchDatabase(h))
}

// openOn makes the tables. The test's sessions join texts by ||.
func (h *theatre) openOn(config *mysql.Config) {
	h.Helper()
	h.env = []string{"DB=" + config.FormatDSN(), "POOL=4"}
	config.Params = map[string]string{"sql_mode": "concat(@@sql_mode, ',STRICT_TRANS_TABLES,PIPES_AS_CONCAT')"}
	db, err := openMySQL(config)
	if err != nil {
		h.Fatal(err)
	}
	h.Cleanup(func() { _ = db.Close() })
	db.SetMaxIdleConns(1)
	h.store = newStore(db, statements, mysqlClock)
	if err := h.store.migrate(h.Context()); err != nil {
		h.Fatal(err)
	}
}

func (h *theatre) exec(query string, args ...any) {
	h.Helper()
	if _, err := h.store.DB().ExecContext(h.Context(), query, args...); err != nil {
		h.Fatal(err)
	}
}

// texts is the first column of a query's rows.
func texts(ctx context.Context, store *Store, query string, args ...any) (all []string, err error) {
	err = store.each(ctx, nil, query, args, func(rows *sql.Rows) error {
		var s string
		err := rows.Scan(&s)
		all = append(all, s)
		return err
	})
	return all, err
}

// lock makes the database refuse to be written, until the answer is called.
func (h *theatre) lock() (unlock func()) {
	h.Helper()
	conn, err := h.store.DB().Conn(context.Background())
	if err == nil {
		_, err = conn.ExecContext(context.Background(), "lock tables "+jobTable+" read, "+ledgerTable+" read")
	}
	if err != nil {
		h.Fatal(err)
	}
	return func() {
		_, _ = conn.ExecContext(context.Background(), "unlock tables")
		_ = conn.Close()
	}
}

// openPausing is the store of a process that is to stop at one point. POOL are its connections beside the one that is
// kept back for its leases, and BUSY is how long it waits for a locked table: a part of a second is not at all on MariaDB,
// and a second on MySQL.
func openPausing(ctx context.Context) (*Store, error) {
	config, err := mysql.ParseDSN(os.Getenv("DB"))
	if err != nil {
		return nil, err
	}
	pool, err := strconv.Atoi(os.Getenv("POOL"))
	if err != nil {
		return nil, err
	}
	busy, err := strconv.Atoi(os.Getenv("BUSY"))
	if err != nil {
		return nil, err
	}
	config.InterpolateParams, config.RejectReadOnly = true, true
	config.Params = map[string]string{
		"sql_mode": "concat(@@sql_mode, ',STRICT_TRANS_TABLES')", "innodb_lock_wait_timeout": "10", "wait_timeout": "300",
		"lock_wait_timeout": "greatest(if(version() like '%MariaDB%', 0, 1), " + strconv.Itoa(busy/1000) + ")",
	}
	_ = mysql.SetLogger(&mysql.NopLogger{}) // what becomes of a connection is in the errors too
	sql.Register("pausing", newPauser())
	db, err := sql.Open("pausing", config.FormatDSN())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(pool + 1)
	db.SetMaxIdleConns(pool + 1)
	return New(ctx, db)
}
