package main

import (
	"context"
	"database/sql"
)

// feeCents is what a merchant pays for a thumbnail.
const feeCents = 3

// createFees makes the product's own table, in the database that the jobs are in. A fee names the attempt that posted
// it, and a job has at most one.
func createFees(ctx context.Context, db *sql.DB) error {
	_, err := db.ExecContext(ctx, `create table if not exists fee (
		job_id text primary key, attempt integer not null, merchant_id text not null, cents integer not null
	) strict`)
	return err
}

func postFee(ctx context.Context, tx *sql.Tx, merchantID, jobID string, attempt int) error {
	_, err := tx.ExecContext(ctx, "insert into fee (job_id, attempt, merchant_id, cents) values (?, ?, ?, ?)", jobID, attempt, merchantID, feeCents)
	return err
}
