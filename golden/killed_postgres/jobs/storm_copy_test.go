// Code generated from golden/killed/jobs/storm_case_test.go by go test ./generator -update. DO NOT EDIT.

//go:build unix

package jobs

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// points are the moments at which the storm kills a process, in this order. A name is a statement and a moment around
// it, except for those that handlers report: handler comes again where the next one needs jobs of a process that died.
var points = []string{
	"claim before commit", "claim after commit", "handler", "finish before", "finish before commit", "finish after commit",
	"effect before", "effect after", "effect before commit", "effect after commit",
	"renew after", "renew after commit", "handler",
	"expired after", "company before commit", "handler", "reap before", "reap before commit", "handler", "reap after commit",
	"claim alone before commit", "claim alone after commit", "draining",
	"enqueue before commit", "enqueue after commit",
}

// TestKilledAtEveryPointNothingIsLostAndNothingHappensTwice kills a process at each point in turn, on one database, and
// then compares what was enqueued, what the handlers wrote down, the ledger, the jobs and the effects, one by one.
func TestKilledAtEveryPointNothingIsLostAndNothingHappensTwice(t *testing.T) {
	t.Parallel()
	h := newTheatre(t, "400ms")
	enqueued := map[string]bool{}
	for i, point := range points {
		if strings.HasPrefix(point, "enqueue") {
			// A producer that dies may have made its job or not, but says so only if it has.
			event := "of a producer " + strconv.Itoa(i) + " "
			p := h.start("producer", "PAUSE="+point, "JOBS=1", "EVENT="+event)
			p.mustAwait("ready")
			p.tell("go")
			p.mustAwait("at " + point)
			p.kill()
			made := h.strings("select job_id from "+jobTable+" where idempotency_key like ?", "%"+event+"%")
			if want := map[string]int{"enqueue before commit": 0, "enqueue after commit": 1}[point]; len(made) != want {
				t.Errorf("%s: %d jobs, want %d", point, len(made), want)
			}
			for _, id := range made {
				enqueued[id] = true
			}
			continue
		}
		for n := range 2 {
			enqueued[h.plain([]string{"nothing", "fail once", "fail", "refuse", "effect"}[(2*i+n)%5])] = true
		}
		for n, does := range []string{"effect", []string{"fail once effect", "effect"}[i%2], "renew effect"} {
			enqueued[h.paid(fmt.Sprint("event ", i, " ", n), does)] = true
		}
		if point == "draining" {
			enqueued[h.plain("drain")] = true
		}
		p := h.start("worker", "PAUSE="+point)
		if point == "draining" {
			p.mustAwait("in handler")
			p.signal(syscall.SIGTERM)
		}
		p.mustAwait("at " + point)
		p.kill()
	}
	last := h.start("worker")
	h.over()
	last.stop()
	h.audit(enqueued)
}

// audit compares what there is, one by one. Every job is done or dead.
func (h *theatre) audit(enqueued map[string]bool) {
	h.Helper()
	type attempt struct {
		job string
		n   int
	}
	parse := func(id, n string) attempt {
		i, err := strconv.Atoi(n)
		if err != nil {
			h.Fatal(err)
		}
		return attempt{id, i}
	}
	ledger, last, succeeded := map[attempt]string{}, map[string]int{}, map[attempt]bool{}
	for _, row := range h.strings("select job_id || ' ' || attempt || ' ' || outcome || ' ' || coalesce(class, '-') || ' ' || decision from " + ledgerTable + " order by job_id, attempt") {
		f := strings.Fields(row)
		a := parse(f[0], f[1])
		if a.n != last[a.job]+1 {
			h.Errorf("%s: attempt %d follows attempt %d", a.job, a.n, last[a.job])
		}
		if before := (attempt{a.job, a.n - 1}); a.n > 1 && ledger[before] != "retry" {
			h.Errorf("%s: attempt %d ran after one that was %s", a.job, a.n, ledger[before])
		}
		ledger[a], last[a.job] = f[4], a.n
		succeeded[a] = f[2] == "ok"
	}
	state := map[string]string{}
	for _, row := range h.strings("select job_id || ' ' || state || ' ' || coalesce(dead_reason, '-') || ' ' || attempt from " + jobTable) {
		f := strings.Fields(row)
		state[f[0]] = f[1]
		if f[1] == "dead" && f[2] == "-" || strconv.Itoa(last[f[0]]) != f[3] {
			h.Errorf("job row %q, the ledger ends at %d", row, last[f[0]])
		}
	}
	for id := range enqueued {
		end := ledger[attempt{id, last[id]}]
		if end != "done" && end != "dead" || state[id] != "" && state[id] != end {
			h.Errorf("%s: it was enqueued, its row is %q and its last attempt %q", id, state[id], end)
		}
	}
	for id := range last {
		if !enqueued[id] {
			h.Errorf("%s: it ran, and nobody enqueued it", id)
		}
	}
	runs, err := os.ReadFile(filepath.Join(h.dir, "runs"))
	if err != nil {
		h.Fatal(err)
	}
	begun, returned := map[attempt]bool{}, map[attempt]bool{}
	for line := range strings.Lines(string(runs)) {
		f := strings.Fields(line)
		a := parse(f[0], f[1])
		if f[2] == "begin" {
			if begun[a] {
				h.Errorf("%s: attempt %d ran twice", a.job, a.n)
			}
			begun[a] = true
			if ledger[a] == "" {
				h.Errorf("%s: attempt %d ran, and the ledger does not know", a.job, a.n)
			}
		} else if f[3] == "true" {
			returned[a] = true
		}
	}
	effects := map[attempt]bool{}
	for _, row := range h.strings("select job_id || ' ' || attempt from effect") {
		f := strings.Fields(row)
		a := parse(f[0], f[1])
		if effects[a] || !succeeded[a] {
			h.Errorf("%s: an effect of attempt %d, which is %q", a.job, a.n, ledger[a])
		}
		effects[a] = true
	}
	for a, ok := range succeeded {
		if ok && !returned[a] {
			h.Errorf("%s: attempt %d succeeded, and its handler did not", a.job, a.n)
		}
	}
	for _, row := range h.strings("select job_id || ' ' || attempt from " + ledgerTable + " where outcome = 'ok' and queue = 'paid'") {
		f := strings.Fields(row)
		if !effects[parse(f[0], f[1])] {
			h.Errorf("%s: attempt %s succeeded without its effect", f[0], f[1])
		}
	}
	classes := h.strings("select coalesce(class, outcome) || ' ' || count(*) from " + ledgerTable + " group by coalesce(class, outcome)")
	h.Logf("%d jobs, %d attempts, %d effects; %q; jobs %q", len(enqueued), len(ledger), len(effects), classes, slices.Sorted(maps.Keys(countOf(state))))
}

func countOf(state map[string]string) map[string]int {
	n, all := map[string]int{}, map[string]int{}
	for _, s := range state {
		n[s]++
	}
	for s, c := range n {
		all[fmt.Sprint(s, " ", c)] = c
	}
	return all
}
