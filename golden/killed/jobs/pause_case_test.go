//go:build unix

package jobs

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"slices"
)

// points are the moments at which the storm kills a process, in this order. A name is a statement and a moment around
// it, except for those that handlers report: handler comes again where the next one needs jobs of a process that died.
var points = []string{
	"claim before commit", "claim after commit", "handler", "finish before", "finish before commit", "finish after commit",
	"effect before", "effect after", "effect before commit", "effect after commit",
	"renew after", "renew after commit", "handler",
	"expired after", "company before commit", "handler", "reap before", "reap before commit", "handler", "reap after commit",
	"claim alone before commit", "claim alone after commit", "draining",
	"enqueue before commit", "enqueue after commit",
}

// pauser is the driver of a process that is to stop at one point: there it says so, and waits to be killed.
type pauser struct {
	driver.Driver
	at    string
	kinds map[string]string // of statements, by their text
}

func newPauser(at string) *pauser {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		panic(err)
	}
	text := newStore(db, statements, sqliteClock).text
	return &pauser{db.Driver(), at, map[string]string{
		text.claim: "claim", text.claimAlone: "claim alone", text.finishLedger: "finish", text.expired: "expired", text.company: "company",
		text.renew: "renew", text.enqueue: "enqueue", insertEffect: "effect",
	}}
}

// pause never returns at the point that it is made for.
func (p *pauser) pause(point string) {
	if point == p.at {
		fmt.Println("at", point)
		select {}
	}
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
	c.pauser.pause(kind + " before")
	err := run()
	if err == nil {
		c.ran = append(c.ran, kind)
		c.pauser.pause(kind + " after")
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
		t.conn.pauser.pause(kind + " before commit")
	}
	err := t.Tx.Commit()
	for _, kind := range ran {
		t.conn.pauser.pause(kind + " after commit")
	}
	return err
}
