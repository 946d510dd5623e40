package main

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/retryc/retryc/examples/thumbnails/internal/jobs"
)

// A handler is tested step by step: the trial's clock stands still until the test moves it.
func TestFlakyOriginCostsOneFee(t *testing.T) {
	trial := jobs.NewTrial(t)
	if err := createFees(t.Context(), trial.DB()); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(newOrigin())
	defer server.Close()
	receipt, err := jobs.EnqueueThumbnails(t.Context(), trial.Store, jobs.Thumbnails{EventID: "evt", MerchantID: "m", SourceURL: server.URL + "/flaky/1"})
	if err != nil {
		t.Fatal(err)
	}
	worker := jobs.ThumbnailsWorker((&thumbnailer{client: http.DefaultClient, dir: t.TempDir()}).handle)
	for attempt := 1; attempt <= 3; attempt++ {
		if n := trial.RunDue(t.Context(), worker); n != 1 {
			t.Fatalf("attempt %d: %d ran", attempt, n)
		}
		wait, scheduled := trial.NextRun(receipt.JobID)
		if scheduled != (attempt < 3) {
			t.Fatalf("attempt %d: the job runs again: %t", attempt, scheduled)
		}
		if trial.Advance(wait - time.Millisecond); trial.RunDue(t.Context(), worker) != 0 {
			t.Fatalf("attempt %d came early", attempt+1)
		}
		trial.Advance(time.Millisecond)
	}
	ledger := trial.Ledger(receipt.JobID)
	if len(ledger) != 3 || ledger[0].Class != "origin_down" || ledger[2].Outcome != "ok" {
		t.Errorf("ledger %+v", ledger)
	}
	var attempt int
	if err := trial.DB().QueryRow("select attempt from fee").Scan(&attempt); err != nil || attempt != 3 {
		t.Errorf("the fee is of attempt %d, want 3 (%v)", attempt, err)
	}
}

// What the fee's own transaction refuses is how the attempt ended; the thumbnail job climbs its ladder like any other.
func TestFeeThatCannotBePostedFailsTheAttempt(t *testing.T) {
	trial := jobs.NewTrial(t) // without the table of fees
	server := httptest.NewServer(newOrigin())
	defer server.Close()
	receipt, err := jobs.EnqueueThumbnails(t.Context(), trial.Store, jobs.Thumbnails{EventID: "evt", MerchantID: "m", SourceURL: server.URL + "/fine/1"})
	if err != nil {
		t.Fatal(err)
	}
	trial.RunDue(t.Context(), jobs.ThumbnailsWorker((&thumbnailer{client: http.DefaultClient, dir: t.TempDir()}).handle))
	if ledger := trial.Ledger(receipt.JobID); len(ledger) != 1 || ledger[0].Class != "unmatched" || ledger[0].Decision != "retry" {
		t.Errorf("ledger %+v", ledger)
	}
}
