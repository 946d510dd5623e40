package worker

import (
	"context"
	"crypto/rand"
	"database/sql"
	"os"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
)

// trialServer is the environment variable with the data source name of a server for tests.
const trialServer = "RETRYC_TEST_MYSQL"

// NewTrial makes a Trial in a database of its own, which is dropped when the test ends, on the server that the environment
// variable RETRYC_TEST_MYSQL names, such as root@tcp(127.0.0.1:3306)/. The role must be able to create databases and
// triggers. Where it is not set, the test is skipped; in CI it fails.
func NewTrial(t TB) *Trial {
	t.Helper()
	return &Trial{storeOn(t, scratchDatabase(t), "trial_clock", time.Now().UnixMilli()), t}
}

// scratchDatabase is how to connect to an empty database, which is dropped when the test ends.
func scratchDatabase(t TB) *mysql.Config {
	t.Helper()
	dsn := os.Getenv(trialServer)
	if dsn == "" {
		missing := "needs a MySQL or MariaDB server: set " + trialServer + " to its data source name, such as root@tcp(127.0.0.1:3306)/"
		if os.Getenv("CI") == "true" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	config, err := mysql.ParseDSN(dsn)
	if err != nil {
		t.Fatal(err)
	}
	name := "retryc_trial_" + strings.ToLower(rand.Text())
	run := func(query string) error {
		db, err := sql.Open("mysql", dsn)
		if err != nil {
			return err
		}
		defer func() { _ = db.Close() }()
		_, err = db.Exec(query)
		return err
	}
	if err := run("create database " + name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = run("drop database " + name) })
	config.DBName = name
	return config
}

// storeOn is a store on new tables, by a clock that is a row of the table clock and begins at ms milliseconds.
func storeOn(t TB, config *mysql.Config, clock string, ms int64) *Store {
	t.Helper()
	db, err := openMySQL(config)
	if err != nil {
		t.Fatal(err)
	}
	store := newStore(db, statements, clockIn(clock))
	t.Cleanup(func() { _ = store.Close() })
	_, err = db.Exec("create table " + clock + " (ms bigint not null)")
	if err == nil {
		_, err = db.Exec("insert into "+clock+" values (?)", ms)
	}
	if err == nil {
		err = store.migrate(context.Background())
	}
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// clockIn tells the time of a table's only row.
func clockIn(table string) string {
	return "(select timestampadd(microsecond, ms * 1000, timestamp'1970-01-01 00:00:00') from " + table + ")"
}

// Advance moves the clock.
func (t *Trial) Advance(d time.Duration) {
	t.t.Helper()
	if _, err := t.db.Exec("update trial_clock set ms = ms + ?", d.Milliseconds()); err != nil {
		t.t.Fatal(err)
	}
}
