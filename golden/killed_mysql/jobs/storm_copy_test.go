// Code generated from golden/killed/jobs/storm_case_test.go by go test ./generator -update. DO NOT EDIT.

//go:build unix

package jobs

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/retryc/retryc/golden/audit"
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
	found, err := audit.Compare(audit.Evidence{
		Query:    func(sql string) ([]string, error) { return texts(h.Context(), h.store, sql) },
		Runs:     []string{filepath.Join(h.dir, "runs")},
		Enqueued: enqueued,
	})
	if err != nil {
		h.Fatal(err)
	}
	for _, fault := range found.Faults {
		h.Error(fault)
	}
	h.Log(found)
}
