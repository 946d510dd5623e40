package worker

import (
	"context"
	"database/sql"
	"errors"
	"net/url"

	_ "modernc.org/sqlite" // the driver, without cgo
)

// Open opens the SQLite file at path, and creates it and its job tables where they are missing. A commit waits
// for the disk (synchronous=FULL), and one transaction writes at a time; others wait for it up to ten seconds. For a
// program that opens the database itself, New takes any *sql.DB whose connections have a busy_timeout.
func Open(ctx context.Context, path string) (*Store, error) {
	if path == "" || path == ":memory:" {
		return nil, errors.New("the jobs need a database in a file: every connection to one in memory has tables of its own")
	}
	db, err := openSQLite(path)
	if err != nil {
		return nil, err
	}
	store := newStore(db, statements, sqliteClock)
	if err := store.migrate(ctx); err != nil {
		_ = db.Close()
		return nil, err
	}
	return store, nil
}

// New is the store on a database that the program has opened itself, best with the pragmas that Open sets. The migrations
// must have been applied: New says so where they are not.
func New(ctx context.Context, db *sql.DB) (*Store, error) {
	store := newStore(db, statements, sqliteClock)
	if err := store.check(ctx); err != nil {
		return nil, err
	}
	return store, nil
}

// openSQLite keeps what undoes one statement in memory, and lets the log grow to 16 MB before it goes into the file: both
// save writes, and neither is waited for by what is committed.
func openSQLite(path string) (*sql.DB, error) {
	file := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath()}
	return sql.Open("sqlite", file.String()+"?_txlock=immediate&_pragma=busy_timeout(10000)&_pragma=journal_mode(wal)&_pragma=synchronous(full)&_pragma=temp_store(memory)&_pragma=wal_autocheckpoint(4000)")
}
