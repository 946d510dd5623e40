//go:build unix

package jobs

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"slices"
)

// pauser is the driver of a process that is to stop at one point.
type pauser struct {
	driver.Driver
	kinds map[string]string // of statements, by their text
}

func newPauser() *pauser {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		panic(err)
	}
	text := newStore(db, statements, sqliteClock).text
	return &pauser{db.Driver(), map[string]string{
		text.claim: "claim", text.claimAlone: "claim alone", text.finishLedger: "finish", text.expired: "expired", text.company: "company",
		text.renew: "renew", text.enqueue: "enqueue", insertEffect: "effect",
	}}
}

func (p *pauser) Open(name string) (driver.Conn, error) {
	c, err := p.Driver.Open(name)
	if err != nil {
		return nil, err
	}
	return &pausingConn{sqliteConn: c.(sqliteConn), pauser: p}, nil
}

type sqliteConn interface {
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
	sqliteConn
	pauser *pauser
	ran    []string // kinds of statements in this transaction
}

func (c *pausingConn) kind(query string, args []driver.NamedValue) string {
	kind := c.pauser.kinds[query]
	if kind == "finish" && fmt.Sprint(args[3].Value) == "true" {
		return "reap"
	}
	return kind
}

func (c *pausingConn) around(query string, args []driver.NamedValue, run func() error) error {
	kind := c.kind(query, args)
	pause(kind + " before")
	err := run()
	if err == nil {
		c.ran = append(c.ran, kind)
		pause(kind + " after")
	}
	return err
}

func (c *pausingConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (rows driver.Rows, err error) {
	err = c.around(query, args, func() error {
		rows, err = c.sqliteConn.QueryContext(ctx, query, args)
		return err
	})
	return rows, err
}

func (c *pausingConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (r driver.Result, err error) {
	err = c.around(query, args, func() error {
		r, err = c.sqliteConn.ExecContext(ctx, query, args)
		return err
	})
	return r, err
}

// PrepareContext wraps what the store compiles once: most of its statements are run that way.
func (c *pausingConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	stmt, err := c.sqliteConn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	return &pausingStmt{stmt.(sqliteStmt), c, query}, nil
}

type sqliteStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

type pausingStmt struct {
	sqliteStmt
	conn  *pausingConn
	query string
}

func (s *pausingStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (rows driver.Rows, err error) {
	err = s.conn.around(s.query, args, func() error {
		rows, err = s.sqliteStmt.QueryContext(ctx, args)
		return err
	})
	return rows, err
}

func (s *pausingStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (r driver.Result, err error) {
	err = s.conn.around(s.query, args, func() error {
		r, err = s.sqliteStmt.ExecContext(ctx, args)
		return err
	})
	return r, err
}

func (c *pausingConn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	c.ran = nil
	tx, err := c.sqliteConn.BeginTx(ctx, opts)
	return &pausingTx{tx, c}, err
}

type pausingTx struct {
	driver.Tx
	conn *pausingConn
}

func (t *pausingTx) Commit() error {
	ran := slices.Compact(slices.Sorted(slices.Values(t.conn.ran)))
	for _, kind := range ran {
		pause(kind + " before commit")
	}
	err := t.Tx.Commit()
	for _, kind := range ran {
		pause(kind + " after commit")
	}
	return err
}
