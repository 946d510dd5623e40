package worker

import "context"

// execTx runs a statement with parameters written as ?.
func execTx(ctx context.Context, tx Tx, query string, args ...any) error {
	_, err := tx.ExecContext(ctx, query, args...)
	return err
}

// strings is the first column of a query's rows.
func (h *harness) strings(query string, args ...any) (all []string) {
	h.Helper()
	err := h.store.each(h.Context(), nil, query, args, func(rows dbRows) error {
		var s string
		err := rows.Scan(&s)
		all = append(all, s)
		return err
	})
	if err != nil {
		h.Fatal(err)
	}
	return all
}

// payload is the bytes on the row of a job.
func (h *harness) payload(jobID string) (payload []byte) {
	h.Helper()
	if err := h.store.db.QueryRowContext(h.Context(), "select payload from "+jobTable+" where job_id = ?", jobID).Scan(&payload); err != nil {
		h.Fatal(err)
	}
	return payload
}

// beginTx starts a transaction of the product's own, at the isolation that its sessions have.
func (h *harness) beginTx() (tx Tx, rollBack func()) {
	h.Helper()
	tx, err := h.store.db.BeginTx(context.Background(), nil)
	if err != nil {
		h.Fatal(err)
	}
	return tx, func() { _ = tx.Rollback() }
}

func commitTx(_ context.Context, tx Tx) error { return tx.Commit() }

func rollBackTx(_ context.Context, tx Tx) error { return tx.Rollback() }
