package main

import (
	"bytes"
	"io"
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

func TestUnknownWorkersModesAndSidesAreRefused(t *testing.T) {
	for _, args := range [][]string{{"-workers", "9"}, {"-workers", "many"}, {"-modes", "luck"}, {"-sides", "left"}, {"-jobs", "3"}} {
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
