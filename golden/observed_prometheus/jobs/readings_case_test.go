package jobs

import (
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Twenty scrapes of a database that does not answer are one question, and what was known before is answered meanwhile.
func TestScrapesDoNotPileUpOnTheDatabase(t *testing.T) {
	trial := NewTrial(t)
	trial.DB().SetMaxOpenConns(1)
	r := newReadings(trial.Store)
	known := r.now()
	if len(known) == 0 {
		t.Fatal("a database that answers is not seen")
	}
	r.asked = r.asked.Add(-readEvery)
	busy, err := trial.DB().Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	before := trial.DB().Stats().WaitCount
	var scrapes sync.WaitGroup
	for range 20 {
		scrapes.Go(func() {
			r.mu.Lock()
			r.asked = time.Time{} // however long ago that was
			r.mu.Unlock()
			if got := r.now(); len(got) != len(known) {
				t.Errorf("a scrape has %d values, want %d", len(got), len(known))
			}
		})
	}
	for trial.DB().Stats().WaitCount == before {
		runtime.Gosched()
	}
	scrapes.Wait()
	if n := trial.DB().Stats().WaitCount - before; n != 1 {
		t.Errorf("%d questions wait for the database, want 1", n)
	}
	if err := busy.Close(); err != nil {
		t.Error(err)
	}
}

// A database that has failed is not asked again at once, nor one that has just answered.
func TestDatabaseIsAskedNowAndThen(t *testing.T) {
	trial := NewTrial(t)
	r := newReadings(trial.Store)
	r.now()
	first := r.read
	if r.now(); r.read != first {
		t.Error("it is asked again at once")
	}
	r.asked = r.asked.Add(-readEvery)
	if r.now(); r.read == first {
		t.Error("it is not asked again once the answer is old")
	}
	if _, err := trial.DB().Exec("drop view dead_letter; drop table job"); err != nil {
		t.Fatal(err)
	}
	r.asked, first = r.asked.Add(-readEvery), r.read
	if got := r.now(); r.read != first || len(got) < 2 {
		t.Errorf("where it fails, %d values are known", len(got))
	}
	asked := r.asked
	if r.now(); r.asked != asked {
		t.Error("it is asked again at once where it has failed")
	}
	r.read = r.read.Add(-readExpiry)
	if got := r.now(); len(got) != 1 || got[0].of != &readingAge || got[0].value < readExpiry.Seconds() {
		t.Errorf("answers that are too old are given out: %v", got)
	}
}

func TestStoreIsObservedOnceAndUntilItIsClosed(t *testing.T) {
	trial, registry := NewTrial(t), prometheus.NewRegistry()
	if err := Observe(trial.Store, registry); err != nil {
		t.Fatal(err)
	}
	if err := Observe(trial.Store, registry); err == nil {
		t.Error("one registry has the store twice")
	}
	other := prometheus.NewRegistry()
	if err := Observe(trial.Store, other); err == nil {
		t.Error("a store is observed twice")
	}
	if err := Observe(NewTrial(t).Store, prometheus.WrapRegistererWithPrefix("billing_", registry)); err != nil {
		t.Error(err)
	}
	if err := trial.Close(); err != nil {
		t.Error(err)
	}
	if trial.seen.Load().observer.(*metrics).readings.ctx.Err() == nil {
		t.Error("a store that is closed is asked")
	}
	for name, r := range map[string]*prometheus.Registry{"its": registry, "the other": other} {
		families, err := r.Gather()
		for _, f := range families {
			if f.GetName()[:7] == "retryc_" {
				t.Errorf("%s registry still has %s (%v)", name, f.GetName(), err)
				break
			}
		}
	}
}

// Rows of an earlier retry.yaml are told together, and add no series for each of their names.
func TestWhatRetryYamlDoesNotHaveIsToldTogether(t *testing.T) {
	got := map[string]float64{}
	for _, r := range readingsOf([]QueueStats{
		{Queue: "a", Due: 1, OldestDue: 5 * time.Minute, Dead: []DeadStats{{"lost", "failures", 2}, {"gone", "permanent", 3}}},
		{Queue: "b", Due: 2, OldestDue: time.Minute, Dead: []DeadStats{{"found", "failures", 4}}},
		{Queue: "invoices", Dead: []DeadStats{{"gone", "permanent", 1}, {"gone", "window", 1}}},
	}, map[string]time.Duration{"a": 3 * time.Minute, "b": 2 * time.Minute, "c": 4 * time.Minute, "invoices": time.Minute}) {
		got[r.of.name+" "+strings.Join(r.values, " ")] = r.value
	}
	for name, want := range map[string]float64{
		"retryc.due_jobs _other": 3, "retryc.oldest_due _other": 300, "retryc.dead_jobs _other _other": 6, "retryc.dead_jobs _other gone": 3,
		"retryc.dead_jobs invoices gone": 2, "retryc.newest_fingerprint_age _other": 120, "retryc.newest_fingerprint_age invoices": 60, "retryc.due_jobs weekly.digest": 0,
	} {
		if v, there := got[name]; !there || v != want {
			t.Errorf("%s is %v, want %v", name, v, want)
		}
		delete(got, name)
	}
	for name := range got {
		if !strings.HasSuffix(name, " _other") && !strings.HasSuffix(name, " invoices") && !strings.HasSuffix(name, " weekly.digest") {
			t.Errorf("%s is told", name)
		}
	}
}
