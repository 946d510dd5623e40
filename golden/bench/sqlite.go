package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/riverqueue/river/riverdriver/riversqlite"
	_ "modernc.org/sqlite"

	"github.com/retryc/retryc/golden/bench/thumbnails/jobs"
)

var sqliteDialect = dialect{
	workers: "8,100", rate: 200, counts: []int{8, 100, 500}, names: []string{"river", "plain", "keyed"}, states: []string{"empty"},
	sides: map[string]func(context.Context, options, string, int) (side, error){
		"river": openRiverSQLite, "plain": openRetrycSQLite(sqlitePlain), "keyed": openRetrycSQLite(sqliteKeyed),
	},
	modules: []string{"github.com/riverqueue/river", "github.com/riverqueue/river/riverdriver/riversqlite", "modernc.org/sqlite"},
}

// openRiverSQLite has the same settings of the database as ours, and the one connection that River's documentation asks for.
func openRiverSQLite(ctx context.Context, _ options, dir string, workers int) (side, error) {
	file := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.Join(dir, "jobs.db")}).EscapedPath()}
	db, err := sql.Open("sqlite", file.String()+"?_txlock=immediate&_pragma=busy_timeout(10000)&_pragma=journal_mode(wal)&_pragma=synchronous(full)&_pragma=temp_store(memory)&_pragma=wal_autocheckpoint(4000)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	r := &riverSide[*sql.Tx]{
		database: sqliteFile{db, db.Close}, driver: riversqlite.New(db), workers: workers, cooldown: time.Millisecond, poll: 5 * time.Millisecond,
	}
	if err := r.migrate(ctx); err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

func openRetrycSQLite(queues map[int]sqliteQueue) func(context.Context, options, string, int) (side, error) {
	return func(ctx context.Context, _ options, dir string, workers int) (side, error) {
		store, err := jobs.Open(ctx, filepath.Join(dir, "jobs.db"))
		if err != nil {
			return nil, err
		}
		return &retrycSide[*jobs.Store, jobs.Worker]{sqliteFile{store.DB(), store.Close}, store, queues[workers], jobs.Run, "5ms"}, nil
	}
}

// sqliteFile is a database file that this process alone uses.
type sqliteFile struct {
	db   *sql.DB
	shut func() error
}

func (f sqliteFile) count(ctx context.Context, query string) (n int, err error) {
	err = f.db.QueryRowContext(ctx, query).Scan(&n)
	return n, err
}

func (f sqliteFile) ready(context.Context, string, options) error { return nil }

func (f sqliteFile) filled(context.Context) error { return nil }

func (f sqliteFile) meter(context.Context) (meter, error) { return readMeter(), nil }

func (f sqliteFile) close() error { return f.shut() }

func (f sqliteFile) durability(ctx context.Context) (string, error) {
	var version string
	err := f.db.QueryRowContext(ctx, "select sqlite_version()").Scan(&version)
	text := "SQLite " + version
	for _, name := range []string{"journal_mode", "synchronous", "busy_timeout", "temp_store", "wal_autocheckpoint"} {
		var value string
		err = errors.Join(err, f.db.QueryRowContext(ctx, "pragma "+name).Scan(&value))
		text += fmt.Sprintf(", %s=%s", name, value)
	}
	return strings.NewReplacer("synchronous=2", "synchronous=FULL", "temp_store=2", "temp_store=MEMORY").Replace(text), err
}
