package main

import (
	"context"
	"crypto/rand"
	_ "embed"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"
)

//go:embed db/0001_retryc.sql
var migration string

// scratch makes a schema with tables, and answers the URL by which it is the one in use.
func scratch(ctx context.Context, postgres string) (scratchURL string, drop func() error, err error) {
	u, err := url.Parse(postgres)
	if err != nil {
		return "", nil, err
	}
	name := "retryc_bench_" + strings.ToLower(rand.Text())
	query := u.Query()
	query.Set("search_path", name)
	u.RawQuery = query.Encode()
	run := func(ctx context.Context, statements string) error {
		conn, err := pgx.Connect(ctx, u.String())
		if err != nil {
			return err
		}
		defer func() { _ = conn.Close(ctx) }()
		_, err = conn.Exec(ctx, statements)
		return err
	}
	drop = func() error { return run(context.WithoutCancel(ctx), "drop schema "+name+" cascade") }
	return u.String(), drop, run(ctx, "create schema "+name+";\n"+migration)
}
