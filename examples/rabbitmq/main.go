// Command rabbitmq tells merchants of payments by webhooks. One of them does not answer for a while, and one has taken
// its address away. RabbitMQ wakes the worker; the jobs and every attempt are rows in PostgreSQL.
//
//	DATABASE_URL=postgres://postgres@127.0.0.1/postgres RABBITMQ_URL=amqp://guest:guest@127.0.0.1/ go run ./rabbitmq
//
// Its tables are in a schema of their own, which goes at the end. The queue example.webhook-delivery stays at the broker.
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

	"github.com/retryc/retryc/examples/internal/scratch"
	"github.com/retryc/retryc/examples/rabbitmq/internal/jobs"
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

// run works until every webhook has arrived or is dead, and answers the ledger.
func run(ctx context.Context, out io.Writer) (ledger []scratch.Attempt, err error) {
	url, drop, err := scratch.Schema(ctx, os.Getenv("DATABASE_URL"), migration)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, drop()) }()
	store, err := jobs.Open(ctx, url)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if err := jobs.ConnectWebhookDelivery(ctx, store); err != nil {
		return nil, err
	}
	server := httptest.NewServer(newMerchants())
	defer server.Close()

	working, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		defer stop() // where it ends by itself, there is nothing to wait for
		ended <- jobs.Run(working, store, jobs.WebhookDeliveryWorker(deliver))
	}()
	err = enqueue(ctx, out, store, server.URL)
	if err == nil {
		err = scratch.UntilEnded(working, store.DB())
	}
	stop()
	if err := errors.Join(err, <-ended); err != nil {
		return nil, err
	}
	return scratch.Ledger(ctx, store.DB())
}

// enqueue adds a webhook for each payment. The payment provider may say twice that a payment was captured.
func enqueue(ctx context.Context, out io.Writer, store *jobs.Store, url string) error {
	for i, merchant := range []string{"fine", "flaky", "gone", "fine"} {
		_, err := jobs.EnqueueWebhookDelivery(ctx, store, jobs.WebhookDelivery{
			EventID: fmt.Sprintf("evt_%d_%s", i+1, merchant), MerchantID: "m_" + merchant, URL: url + "/" + merchant,
			Kind: jobs.WebhookDeliveryKindCaptured, AmountCents: 1250,
		})
		if err != nil {
			return err
		}
	}
	again, err := jobs.EnqueueWebhookDelivery(ctx, store, jobs.WebhookDelivery{
		EventID: "evt_1_fine", MerchantID: "m_fine", URL: url + "/fine", Kind: jobs.WebhookDeliveryKindCaptured, AmountCents: 1250,
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "4 webhooks enqueued, one of them a second time: duplicate %t, the same payload %t\n\n", again.Duplicate, again.SamePayload)
	return err
}
