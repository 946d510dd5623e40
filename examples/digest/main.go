// Command digest sends a weekly digest to 18,000 customers. One of them has a broken template; and half-way the worker
// is killed and started again. Every other digest arrives all the same, and the broken one is a dead letter.
//
//	digest                 plays the whole story
//	digest trigger DB      enqueues the week's digests and ends
//	digest work DB MAILER  sends them until it is stopped
package main

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/retryc/retryc/examples/digest/internal/jobs"
)

//go:generate go tool retryc generate

func main() {
	slog.SetDefault(slog.New(slog.DiscardHandler)) // the summary says it
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, args []string) error {
	switch {
	case len(args) == 0:
		return play(ctx, os.Stdout, customers)
	case len(args) == 2 && args[0] == "trigger":
		return trigger(ctx, args[1], customers)
	case len(args) == 3 && args[0] == "work":
		return work(ctx, args[1], args[2])
	}
	return fmt.Errorf("usage: digest [trigger DB | work DB MAILER]")
}

const (
	customers = 18_000
	week      = "2026-W49"
)

// trigger enqueues one digest a customer, in one transaction: all of them, or none. Run it twice and nothing is doubled.
func trigger(ctx context.Context, path string, n int) error {
	store, err := jobs.Open(ctx, path)
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	digests := make([]jobs.WeeklyDigest, n)
	for i := range digests {
		digests[i] = jobs.WeeklyDigest{CustomerID: fmt.Sprintf("c_%05d", i+1), Week: week, Template: "Hello {{.CustomerID}}, this was {{.Week}}."}
	}
	digests[n/3].Template = "Hello {{.CustomerID"
	receipts, err := jobs.EnqueueWeeklyDigestMany(ctx, store, digests)
	if err != nil {
		return err
	}
	fresh := 0
	for _, r := range receipts {
		if !r.Duplicate {
			fresh++
		}
	}
	fmt.Printf("trigger: %d digests enqueued, %d were there\n", fresh, len(receipts)-fresh)
	return nil
}

// work sends digests until ctx ends.
func work(ctx context.Context, path, mailer string) error {
	store, err := jobs.Open(ctx, path)
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	return jobs.Run(ctx, store, jobs.WeeklyDigestWorker((&sender{mailer: mailer}).send))
}
