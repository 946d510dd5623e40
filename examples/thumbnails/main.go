// Command thumbnails makes thumbnails of merchants' documents, from an origin that misbehaves on a script. It runs
// until every job is done or dead, and shows what the ledger says of one that failed.
package main

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/retryc/retryc/examples/thumbnails/internal/jobs"
)

//go:generate go tool retryc generate

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// The worker logs every attempt; here the progress line and the summary say the same.
	slog.SetDefault(slog.New(slog.DiscardHandler))

	dir, err := os.MkdirTemp("", "thumbnails")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	store, err := jobs.Open(ctx, filepath.Join(dir, "jobs.db"))
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	if err := createFees(ctx, store.DB()); err != nil {
		return err
	}

	server := httptest.NewServer(newOrigin())
	defer server.Close()
	if err := enqueue(ctx, store, server.URL); err != nil {
		return err
	}

	t := &thumbnailer{client: &http.Client{}, dir: dir}
	working, done := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- jobs.Run(working, store, jobs.ThumbnailsWorker(t.handle)) }()
	err = watch(ctx, os.Stdout, store)
	done()
	if runErr := <-ended; runErr != nil {
		return runErr
	}
	if err != nil {
		return err
	}
	return summarise(context.WithoutCancel(ctx), os.Stdout, store, dir)
}

// enqueue adds what the merchants sent: forty documents, one of them announced twice.
func enqueue(ctx context.Context, store *jobs.Store, origin string) error {
	script := []string{
		"fine", "flaky", "fine", "gone", "fine", "down", "fine", "busy", "fine", "text",
		"fine", "rare", "fine", "slow", "fine", "torn", "fine", "huge", "fine", "fine",
	}
	free, paid := jobs.ThumbnailsPlanFree, jobs.ThumbnailsPlanPaid
	var documents []jobs.Thumbnails
	for i, behaviour := range script {
		documents = append(documents,
			jobs.Thumbnails{EventID: fmt.Sprintf("evt_%02d_free", i), MerchantID: "m_corner_shop", Plan: &free, SourceURL: fmt.Sprintf("%s/%s/free/%d", origin, behaviour, i)},
			jobs.Thumbnails{EventID: fmt.Sprintf("evt_%02d_paid", i), MerchantID: "m_warehouse", Plan: &paid, SourceURL: fmt.Sprintf("%s/%s/paid/%d", origin, behaviour, i)},
		)
	}
	if _, err := jobs.EnqueueThumbnailsMany(ctx, store, documents); err != nil {
		return err
	}
	again, err := jobs.EnqueueThumbnails(ctx, store, documents[0])
	if err != nil {
		return err
	}
	fmt.Printf("%d documents enqueued; one of them a second time: duplicate %t, the same job %s\n", len(documents), again.Duplicate, again.JobID)
	return nil
}

// timing is how often the progress line is drawn.
const timing = 100 * time.Millisecond
