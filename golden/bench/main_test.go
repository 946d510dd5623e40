package main

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
)

func TestEverySideDoesWhatItIsMeasuredFor(t *testing.T) {
	o, err := parse([]string{"-workers", "8", "-jobs", "40", "-rounds", "1", "-rate", "500", "-modes", "success,fail,latency,enqueue", "-dir", t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := run(t.Context(), &out, io.Discard, o); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "journal_mode=wal, synchronous=FULL, busy_timeout=10000, temp_store=MEMORY, wal_autocheckpoint=4000"); n != len(o.sides) {
		t.Errorf("%d of %d sides commit as they should:\n%s", n, len(o.sides), &out)
	}
}

func TestEverySideOnPostgreSQLDoesWhatItIsMeasuredFor(t *testing.T) {
	if os.Getenv("RETRYC_TEST_POSTGRES") == "" && os.Getenv("CI") != "true" {
		t.Skip("needs a PostgreSQL server: set RETRYC_TEST_POSTGRES to its URL, such as postgres://postgres@127.0.0.1/postgres")
	}
	for _, args := range [][]string{
		{"-modes", "success,fail,latency,enqueue"},
		{"-modes", "success", "-sides", "plain,keyed", "-states", "empty,ledger,dead,snapshot", "-ledger", "100", "-dead", "100"},
	} {
		o, err := parse(append(args, "-dialect", "postgres", "-workers", "32", "-jobs", "40", "-rounds", "1", "-dir", t.TempDir()))
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := run(t.Context(), &out, io.Discard, o); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(out.String(), "fsync=on, full_page_writes=on, "); n != len(o.sides) {
			t.Errorf("%d of %d sides commit as they should:\n%s", n, len(o.sides), &out)
		}
	}
}

func TestUnknownWorkersModesAndSidesAreRefused(t *testing.T) {
	for _, args := range [][]string{{"-workers", "9"}, {"-workers", "many"}, {"-modes", "luck"}, {"-sides", "left"}, {"-jobs", "3"}, {"-dialect", "paper"}, {"-states", "ledger"}, {"-dialect", "postgres", "-states", "ledger"}} {
		if _, err := parse(args); err == nil {
			t.Errorf("%v is taken", args)
		}
	}
}

func TestTableHasMediansAndRatios(t *testing.T) {
	var all []sample
	for _, perSec := range []float64{100, 300, 200} {
		all = append(all, sample{mode: "success", side: "river", workers: 8, jobs: 5, perSec: perSec}, sample{mode: "success", side: "plain", workers: 8, jobs: 5, perSec: 3 * perSec})
	}
	want := "| success | 8 | plain | 5 | jobs/s | 600 (300–900) | 3.00 |\n"
	if got := table(all, "river"); !strings.Contains(got, want) {
		t.Errorf("%s\nlacks\n%s", got, want)
	}
}
