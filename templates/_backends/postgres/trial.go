package worker

import (
	"context"
	"crypto/rand"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// trialServer is the environment variable with the URL of a server for tests.
const trialServer = "RETRYC_TEST_POSTGRES"

// NewTrial makes a Trial in a schema of its own, which is dropped when the test ends, on the server that the environment
// variable RETRYC_TEST_POSTGRES names, such as postgres://postgres@127.0.0.1/postgres. The role must be able to create
// schemas. Where it is not set, the test is skipped; in CI it fails.
func NewTrial(t TB) *Trial {
	t.Helper()
	store := storeOn(t, scratchSchema(t), "trial_clock", time.Now().UnixMilli())
	//retryc:if broker
	store.wakes.silent = true
	//retryc:end
	return &Trial{store, t}
}

// scratchSchema is how to connect to an empty schema, which is dropped when the test ends.
func scratchSchema(t TB) *pgxpool.Config {
	t.Helper()
	url := os.Getenv(trialServer)
	if url == "" {
		missing := "needs a PostgreSQL server: set " + trialServer + " to its URL, such as postgres://postgres@127.0.0.1/postgres"
		if os.Getenv("CI") == "true" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	schema := "retryc_trial_" + strings.ToLower(rand.Text())
	run := func(query string) error {
		pool, err := pgxpool.NewWithConfig(context.Background(), config)
		if err != nil {
			return err
		}
		defer pool.Close()
		_, err = pool.Exec(context.Background(), query)
		return err
	}
	if err := run("create schema " + schema); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = run("drop schema " + schema + " cascade") })
	scratch := config.Copy()
	scratch.ConnConfig.RuntimeParams["search_path"] = schema
	return scratch
}

// storeOn is a store on new tables, by a clock that is a row of the table clock and begins at ms milliseconds.
func storeOn(t TB, config *pgxpool.Config, clock string, ms int64) *Store {
	t.Helper()
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	store := newStore(pool, statements, "(select to_timestamp(ms / 1000.0) from "+clock+")")
	t.Cleanup(func() { _ = store.Close() })
	_, err = pool.Exec(context.Background(), "create table "+clock+" as select $1::bigint as ms", ms)
	if err == nil {
		err = store.migrate(context.Background())
	}
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// Advance moves the clock.
func (t *Trial) Advance(d time.Duration) {
	t.t.Helper()
	if _, err := t.pool.Exec(context.Background(), "update trial_clock set ms = ms + $1", d.Milliseconds()); err != nil {
		t.t.Fatal(err)
	}
}
