package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/retryc/retryc/examples/thumbnails/internal/jobs"
)

// The script decides how every document ends: which are made, which die, of what, and after how many attempts.
func TestEveryDocumentEndsAsTheScriptSays(t *testing.T) {
	dir := t.TempDir()
	store, err := jobs.Open(t.Context(), filepath.Join(dir, "jobs.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	server := httptest.NewServer(newOrigin())
	defer server.Close()
	if err := createFees(t.Context(), store.DB()); err != nil {
		t.Fatal(err)
	}
	if err := enqueue(t.Context(), store, server.URL); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	work := &thumbnailer{client: http.DefaultClient, dir: dir}
	go func() { ended <- jobs.Run(ctx, store, jobs.ThumbnailsWorker(work.handle)) }()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := watch(t.Context(), null, store); err != nil {
		t.Fatal(err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}

	rows, err := store.DB().Query(`select merchant_id || ' ' || last_class || ' ' || dead_reason || ' ' || attempt, count(*) from dead_letter group by 1`)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	got := map[string]int{}
	for rows.Next() {
		var what string
		var n int
		if err := rows.Scan(&what, &n); err != nil {
			t.Fatal(err)
		}
		got[what] = n
	}
	want := map[string]int{
		"m_corner_shop gone permanent 1": 1, "m_warehouse gone permanent 1": 1,
		"m_corner_shop unreadable permanent 1": 3, "m_warehouse unreadable permanent 1": 3,
		"m_corner_shop origin_down failures 2": 2, // one retry on the free plan: flaky and down
		"m_warehouse origin_down failures 6":   1, // five on the paid one: only down
	}
	for what, n := range want {
		if got[what] != n {
			t.Errorf("%d of %q, want %d", got[what], what, n)
		}
		delete(got, what)
	}
	for what, n := range got {
		t.Errorf("%d of %q, want none", n, what)
	}
	made, err := filepath.Glob(filepath.Join(dir, "*.png"))
	if err != nil || len(made) != 29 {
		t.Errorf("%d thumbnails made, want 29 (%v)", len(made), err)
	}
	var unpaid int
	err = store.DB().QueryRow(`select count(*) from job_attempt a left join fee f on f.job_id = a.job_id and f.attempt = a.attempt
		where (a.outcome = 'ok') <> (f.job_id is not null)`).Scan(&unpaid)
	if err != nil || unpaid != 0 {
		t.Errorf("%d attempts whose success and fee differ (%v)", unpaid, err)
	}
	var uncounted int
	err = store.DB().QueryRow(`select count(*) from job j where attempt <> (select count(*) from job_attempt a where a.job_id = j.job_id)`).Scan(&uncounted)
	if err != nil || uncounted != 0 {
		t.Errorf("%d jobs whose attempts are not all in the ledger (%v)", uncounted, err)
	}
}
