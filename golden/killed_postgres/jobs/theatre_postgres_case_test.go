//go:build unix

package jobs

import (
	"context"
	"os"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// databaseClock is the clock by which leases end.
const databaseClock = postgresClock

// open makes the tables in a schema of their own.
func (h *theatre) open() {
	h.Helper()
	h.openOn(scratchSchema(h))
}

func (h *theatre) openOn(config *pgxpool.Config) {
	h.Helper()
	pool, err := pgxpool.NewWithConfig(h.Context(), config)
	if err != nil {
		h.Fatal(err)
	}
	h.Cleanup(pool.Close)
	h.store = newStore(pool, statements, postgresClock)
	if err := h.store.migrate(h.Context()); err != nil {
		h.Fatal(err)
	}
	h.env = []string{"DB=" + config.ConnString(), "SEARCH_PATH=" + config.ConnConfig.RuntimeParams["search_path"], "POOL=4"}
}

func (h *theatre) exec(query string, args ...any) {
	h.Helper()
	if _, err := h.store.DB().Exec(h.Context(), dollars(query), args...); err != nil {
		h.Fatal(err)
	}
}

// texts is the first column of a query's rows.
func texts(ctx context.Context, store *Store, query string, args ...any) ([]string, error) {
	rows, err := store.DB().Query(ctx, dollars(query), append([]any{pgx.QueryExecModeSimpleProtocol}, args...)...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// lock makes the database refuse to be written, until the answer is called.
func (h *theatre) lock() (unlock func()) {
	h.Helper()
	tx, err := h.store.DB().Begin(h.Context())
	if err != nil {
		h.Fatal(err)
	}
	if _, err := tx.Exec(h.Context(), "lock table "+jobTable+", "+ledgerTable+" in exclusive mode"); err != nil {
		h.Fatal(err)
	}
	return func() { _ = tx.Rollback(context.Background()) }
}

// openPausing is the store of a process that is to stop at one point.
func openPausing(ctx context.Context) (*Store, error) {
	config, err := pgxpool.ParseConfig(os.Getenv("DB"))
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(os.Getenv("POOL"))
	if err != nil {
		return nil, err
	}
	config.MaxConns = int32(n)
	text := newStore(nil, statements, postgresClock).text
	conn := config.ConnConfig
	conn.TLSConfig, conn.Fallbacks = nil, nil // what travels is read along
	conn.DialFunc = dialWire(map[string]string{
		text.claim: "claim", text.claimAlone: "claim alone", text.finishGone: "finish", text.finishDone: "finish", text.finish: "finish", text.expired: "expired", text.company: "company",
		text.renew: "renew", text.enqueue: "enqueue", dollars(insertEffect): "effect",
	}, conn.DialFunc)
	conn.RuntimeParams["search_path"] = os.Getenv("SEARCH_PATH")
	conn.RuntimeParams["application_name"] = os.Getenv("SEARCH_PATH")
	conn.RuntimeParams["lock_timeout"] = os.Getenv("BUSY")
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	return New(ctx, pool)
}
