package worker

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/go-sql-driver/mysql"
)

// Open connects to the MySQL or MariaDB database that a data source name of github.com/go-sql-driver/mysql names, such as
// user:password@tcp(host:3306)/product. The migrations must have been applied: Open says so where they are not. Its
// sessions are strict, wait for a lock ten seconds, and end after five minutes in which nothing is asked, so that a client
// which has vanished holds no row for longer, unless the name says otherwise. For a program that has a pool of its own, New takes it.
func Open(ctx context.Context, dsn string) (*Store, error) {
	if dsn == "" {
		return nil, errors.New("the database has no data source name: give one such as user:password@tcp(host:3306)/product")
	}
	config, err := mysql.ParseDSN(dsn)
	if err != nil {
		return nil, fmt.Errorf("the data source name cannot be read: %w", err)
	}
	db, err := openMySQL(config)
	if err != nil {
		return nil, err
	}
	store, err := New(ctx, db)
	if err != nil {
		_ = db.Close()
		return nil, err
	}
	return store, nil
}

// New is the store on a pool that the program has opened itself, best with interpolateParams. The migrations must have
// been applied: New says so where they are not. A process that works keeps one of the pool's connections for its leases.
func New(ctx context.Context, db *sql.DB) (*Store, error) {
	store := newStore(db, statements, mysqlClock)
	if err := store.check(ctx); err != nil {
		return nil, err
	}
	return store, nil
}

// openMySQL makes a pool whose statements go to the server and back once.
func openMySQL(config *mysql.Config) (*sql.DB, error) {
	config = config.Clone()
	config.InterpolateParams, config.RejectReadOnly = true, true
	params := map[string]string{"sql_mode": "concat(@@sql_mode, ',STRICT_TRANS_TABLES')", "innodb_lock_wait_timeout": "10", "wait_timeout": "300"}
	for name, value := range config.Params {
		params[name] = value
	}
	config.Params = params
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(16)
	db.SetMaxIdleConns(16)
	db.SetConnMaxIdleTime(time.Minute)
	return db, nil
}
