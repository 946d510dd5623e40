// Package scratch is what the examples with a broker have in common: tables in a schema of a run's own, the wait until its
// jobs have ended, and its ledger in print.
package scratch

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Name is for what a run makes for itself.
func Name() string { return "retryc_example_" + strings.ToLower(rand.Text()) }

// Schema makes a schema with tables in the database that databaseURL names, and answers the URL by which it is the one in
// use. drop removes it. A product applies db/migrations with its migration tool instead.
func Schema(ctx context.Context, databaseURL, migration string) (scratchURL string, drop func() error, err error) {
	const want = "DATABASE_URL has to name a PostgreSQL database, such as postgres://postgres@127.0.0.1/postgres"
	if databaseURL == "" {
		return "", nil, errors.New(want)
	}
	u, err := url.Parse(databaseURL)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return "", nil, errors.New(want) // without what is there: it may hold a password
	}
	name := Name()
	query := u.Query()
	query.Set("search_path", name)
	u.RawQuery = query.Encode()
	drop = func() error {
		return execute(context.WithoutCancel(ctx), u.String(), "drop schema "+name+" cascade")
	}
	if err := execute(ctx, u.String(), "create schema "+name+";\n"+migration); err != nil { // sent together, all of it or nothing is done
		return "", nil, fmt.Errorf("make the tables in the database of DATABASE_URL: %w", err)
	}
	return u.String(), drop, nil
}

func execute(ctx context.Context, databaseURL, statements string) error {
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	_, err = conn.Exec(ctx, statements)
	return err
}

// UntilEnded waits until every job is done or dead.
func UntilEnded(ctx context.Context, db *pgxpool.Pool) error {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		var open int
		if err := db.QueryRow(ctx, "select count(*) from job where state in ('scheduled', 'running')").Scan(&open); err != nil {
			return err
		}
		if open == 0 {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
