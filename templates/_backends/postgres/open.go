package worker

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Open connects to the PostgreSQL database that url names, such as postgres://user@host/product?search_path=jobs. The
// migrations must have been applied: Open says so where they are not. For a program that has a pool of its own, New
// takes it.
func Open(ctx context.Context, url string) (*Store, error) {
	if url == "" {
		return nil, errors.New("the database has no URL: give one such as postgres://user@host/product")
	}
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("the database's URL cannot be read: %w", err)
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	store, err := New(ctx, pool)
	if err != nil {
		pool.Close()
		return nil, err
	}
	return store, nil
}

// New is the store on a pool that the program has made itself. The migrations must have been applied: New says so where
// they are not. A process that works opens up to two connections more, with the settings of the pool, for its leases,
// and one to be woken.
func New(ctx context.Context, pool *pgxpool.Pool) (*Store, error) {
	store := newStore(pool, statements, postgresClock)
	if err := store.check(ctx); err != nil {
		return nil, err
	}
	return store, nil
}
