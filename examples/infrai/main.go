// Command infrai pays merchants out. The bank does not answer for a while, and one account has been closed. Infrai wakes
// the worker; the jobs and every attempt are rows in PostgreSQL, and so is the posting that goes with a payout.
//
//	DATABASE_URL=postgres://postgres@127.0.0.1/postgres go run ./infrai
//
// In place of the service there is the server of the package infraitest. A product sets INFRAI_API_KEY and INFRAI_URL. The
// tables are in a schema of their own, which goes at the end.
package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http/httptest"
	"os"
	"os/signal"
	"syscall"

	"github.com/jackc/pgx/v5"

	"github.com/retryc/retryc/examples/infrai/internal/jobs"
	"github.com/retryc/retryc/examples/internal/scratch"
)

//go:generate go tool retryc generate

//go:embed db/migrations/0001_retryc.sql
var migration string

func main() {
	slog.SetLogLoggerLevel(slog.LevelWarn) // the ledger tells of every attempt
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ledger, err := run(ctx, os.Stdout)
	if err == nil {
		err = scratch.Print(os.Stdout, ledger)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// run works until every payout is made or dead, and answers the ledger.
func run(ctx context.Context, out io.Writer) (ledger []scratch.Attempt, err error) {
	url, drop, err := scratch.Schema(ctx, os.Getenv("DATABASE_URL"), migration+postings)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, drop()) }()
	store, err := jobs.Open(ctx, url)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	client, end, err := standIn()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, end()) }()
	if err := jobs.ConnectPayout(ctx, store, client); err != nil {
		return nil, err
	}
	server := httptest.NewServer(newBank())
	defer server.Close()

	working, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		defer stop() // where it ends by itself, there is nothing to wait for
		ended <- jobs.Run(working, store, jobs.PayoutWorker((&payer{bank: server.URL}).pay))
	}()
	err = enqueue(ctx, store)
	if err == nil {
		err = scratch.UntilEnded(working, store.DB())
	}
	stop()
	if err := errors.Join(err, <-ended); err != nil {
		return nil, err
	}
	var count, cents int64
	if err := store.DB().QueryRow(ctx, "select count(*), coalesce(sum(cents), 0)::bigint from posting").Scan(&count, &cents); err != nil {
		return nil, err
	}
	if _, err := fmt.Fprintf(out, "%d payouts posted, %d cents\n\n", count, cents); err != nil {
		return nil, err
	}
	return scratch.Ledger(ctx, store.DB())
}

// enqueue adds each payout in the transaction of the product's own that decides on it, and announces it after the commit.
func enqueue(ctx context.Context, store *jobs.Store) error {
	for i, account := range []string{accountFine, accountBusy, accountClosed, accountFine} {
		var receipt jobs.Receipt
		err := pgx.BeginFunc(ctx, store.DB(), func(tx pgx.Tx) (err error) {
			receipt, err = jobs.EnqueuePayoutTx(ctx, store, tx, jobs.Payout{
				PayoutID: fmt.Sprintf("po_%d", i+1), MerchantID: fmt.Sprintf("m_%d", i+1), Account: account, AmountCents: 10_000,
			})
			return err
		})
		if err != nil {
			return err
		}
		jobs.AnnouncePayout(store, receipt)
	}
	return nil
}
