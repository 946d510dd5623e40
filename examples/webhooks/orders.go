package main

import (
	"context"
	"database/sql"
	"fmt"
	"io"

	"github.com/retryc/retryc/examples/webhooks/internal/jobs"
)

// createOrders makes the product's own table, with an order that nobody has paid yet.
func createOrders(ctx context.Context, db *sql.DB) error {
	_, err := db.ExecContext(ctx, "create table shop_order (id text primary key, paid integer not null default 0); insert into shop_order (id) values ('o_1001')")
	return err
}

// markPaid runs in the transaction that adds the job of a payment: the order is paid with it, or not at all.
func markPaid(ctx context.Context, tx jobs.Tx, _ string, p jobs.SendReceipt) error {
	_, err := tx.ExecContext(ctx, "update shop_order set paid = paid + ? where id = ?", p.Amount, p.Order)
	return err
}

// summarise prints what is in the database at the end.
func summarise(ctx context.Context, out io.Writer, db *sql.DB) error {
	var paid, jobs, attempts int
	err := db.QueryRowContext(ctx, "select (select sum(paid) from shop_order), (select count(*) from job), (select count(*) from job_attempt)").Scan(&paid, &jobs, &attempts)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "paid: %d.%02d, jobs: %d, attempts: %d\n", paid/100, paid%100, jobs, attempts)
	return err
}
