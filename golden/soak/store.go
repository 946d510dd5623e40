//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// store is what a soak needs of an emitted package, in any dialect.
type store struct {
	enqueuePlain func(ctx context.Context, does []string) ([]receipt, error)
	enqueuePaid  func(ctx context.Context, orders []order) ([]receipt, error)
	run          func(ctx context.Context, handle handler) error
	query        func(sql string) ([]string, error)
	cutOff       func(ctx context.Context) error // ends the connections of all; nil: there are none
	refused      error
	snooze       func(time.Duration) error
	close        func()
}

type handler = func(ctx context.Context, id string, attempt int, does string) error

type order struct{ event, does string }

type receipt struct {
	id        string
	duplicate bool
}

func open(ctx context.Context, dialect, database string) (*store, error) {
	switch dialect {
	case "postgres":
		return openPostgres(ctx, database)
	case "sqlite":
		return openSQLite(ctx, database)
	}
	return nil, fmt.Errorf("no soak for the dialect %q: there are postgres and sqlite", dialect)
}

// stage is where a soak takes place.
type stage struct {
	database string
	restart  func() error // nil: the server is somebody else's, or there is none
	close    func() error
}

func newStage(o options, dir string) (*stage, error) {
	if o.dialect == "postgres" {
		return postgresStage(o)
	}
	return &stage{database: filepath.Join(dir, "jobs.db"), close: func() error { return nil }}, nil
}

const (
	createEffect = "create table if not exists effect (job_id text not null, attempt integer not null)"
	insertEffect = "insert into effect (job_id, attempt) values ($1, $2)"
)

// migration is the SQL of the tables.
func migration(of string) (string, error) {
	files, err := filepath.Glob(filepath.Join(of, "db", "*.sql"))
	if err != nil || len(files) == 0 {
		return "", fmt.Errorf("%s/db has no migration: run this in golden/", of)
	}
	text, err := os.ReadFile(files[0])
	return string(text), err
}
