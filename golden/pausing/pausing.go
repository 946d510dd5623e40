// Package pausing is a driver of database/sql that can be stopped around every statement of a product, and around the
// commits of their transactions, for tests that kill the process there.
package pausing

import (
	"context"
	"database/sql/driver"
	"errors"
	"slices"
)

// Driver is another driver that calls At at moments such as "claim before", "claim after", "claim before commit" and
// "claim after commit". An error of At is what the program gets instead of the answer, and the end of the connection.
type Driver struct {
	driver.Driver
	Kind func(query string, args []driver.NamedValue) string // of a statement; "" has no moments
	At   func(moment string) error
}

func (d *Driver) Open(name string) (driver.Conn, error) {
	c, err := d.Driver.Open(name)
	if err != nil {
		return nil, err
	}
	return &pausingConn{c.(conn), d, nil}, nil
}

// conn is what the drivers of SQLite and MySQL have.
type conn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

type pausingConn struct {
	conn
	driver *Driver
	ran    []string // kinds of statements in this transaction
}

func (c *pausingConn) at(kinds []string, moment string) error {
	for _, kind := range kinds {
		if err := c.driver.At(kind + " " + moment); err != nil {
			return errors.Join(err, c.Close())
		}
	}
	return nil
}

func around[T any](c *pausingConn, query string, args []driver.NamedValue, run func() (T, error)) (answer T, err error) {
	kind := c.driver.Kind(query, args)
	if kind == "" {
		return run()
	}
	if err := c.at([]string{kind}, "before"); err != nil {
		return answer, err
	}
	if answer, err = run(); err != nil {
		return answer, err
	}
	c.ran = append(c.ran, kind)
	return answer, c.at([]string{kind}, "after")
}

func (c *pausingConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	return around(c, query, args, func() (driver.Rows, error) { return c.conn.QueryContext(ctx, query, args) })
}

func (c *pausingConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	return around(c, query, args, func() (driver.Result, error) { return c.conn.ExecContext(ctx, query, args) })
}

// PrepareContext wraps what a store compiles once: most of its statements are run that way.
func (c *pausingConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	s, err := c.conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	return &pausingStmt{s.(stmt), c, query}, nil
}

type stmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

type pausingStmt struct {
	stmt
	conn  *pausingConn
	query string
}

func (s *pausingStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return around(s.conn, s.query, args, func() (driver.Rows, error) { return s.stmt.QueryContext(ctx, args) })
}

func (s *pausingStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	return around(s.conn, s.query, args, func() (driver.Result, error) { return s.stmt.ExecContext(ctx, args) })
}

func (c *pausingConn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	c.ran = nil
	tx, err := c.conn.BeginTx(ctx, opts)
	if err != nil {
		return nil, err
	}
	return &pausingTx{tx, c}, nil
}

type pausingTx struct {
	driver.Tx
	conn *pausingConn
}

func (t *pausingTx) Commit() error {
	kinds := slices.Compact(slices.Sorted(slices.Values(t.conn.ran)))
	if err := t.conn.at(kinds, "before commit"); err != nil {
		return err
	}
	if err := t.Tx.Commit(); err != nil {
		return err
	}
	return t.conn.at(kinds, "after commit")
}
