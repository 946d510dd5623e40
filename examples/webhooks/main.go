// Command webhooks sends a receipt for each payment that Stripe reports, once, although reports come twice, late and from
// others. It stands in for Stripe itself.
//
//	go run ./webhooks
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/retryc/retryc/examples/webhooks/internal/jobs"
)

//go:generate go tool retryc generate

func main() {
	slog.SetLogLoggerLevel(slog.LevelWarn) // what was taken is told below; what was refused, and why, is in the log
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer) error {
	dir, err := os.MkdirTemp("", "webhooks")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	store, err := jobs.Open(ctx, filepath.Join(dir, "jobs.db"))
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	if err := createOrders(ctx, store.DB()); err != nil {
		return err
	}

	s := newSender()
	if err := os.Setenv("STRIPE_WEBHOOK_SECRET", s.secret); err != nil { // where a product is deployed, it is there
		return err
	}
	address, shut, err := serve(store)
	if err != nil {
		return err
	}
	defer shut()
	if err := s.play(ctx, out, "http://"+address+"/hooks/stripe"); err != nil {
		return err
	}
	if err := work(ctx, out, store); err != nil {
		return err
	}
	return summarise(ctx, out, store.DB())
}

// serve takes deliveries, until shut is called.
func serve(store *jobs.Store) (address string, shut func(), err error) {
	payments, err := jobs.StripePaymentWebhook(store, markPaid)
	if err != nil {
		return "", nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/hooks/stripe", payments)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: mux, ReadTimeout: 10 * time.Second} // nobody holds a connection by sending slowly
	go func() { _ = server.Serve(listener) }()
	return listener.Addr().String(), func() { _ = server.Close() }, nil
}

// work sends the receipts: all that there are to send.
func work(ctx context.Context, out io.Writer, store *jobs.Store) error {
	working, done := context.WithCancel(ctx)
	defer done()
	failed := false
	send := func(_ context.Context, job *jobs.Job[jobs.SendReceipt]) error {
		if !failed { // as mailers do
			failed = true
			return errors.New("the mailer does not answer")
		}
		_, err := fmt.Fprintf(out, "receipt for order %s: %d.%02d %s, in attempt %d\n", job.Payload.Order, job.Payload.Amount/100, job.Payload.Amount%100, job.Payload.Currency, job.Attempt)
		done()
		return err
	}
	return jobs.Run(working, store, jobs.SendReceiptWorker(send))
}
