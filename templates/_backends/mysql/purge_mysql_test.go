//retryc:when retention

package worker

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestPurgeReadsByIndex(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	ids := make([]string, 500)
	for i := range ids {
		ids[i] = randomID()
	}
	slices.Sort(ids)
	const day = int64(24 * time.Hour / time.Microsecond)
	for _, rounds := range []int{0, 10} {
		h.endAll(rounds, 1000, "")
		h.endAll(rounds, 1000, "k")
		h.exec("analyze table " + jobTable + ", " + ledgerTable)
		for name, c := range map[string]struct {
			query string
			args  []any
		}{
			"up to": {purging.purgeUpTo, []any{0, day, purgeAttempts}}, "over": {purging.purgeOver, []any{0, day, day, day}},
			"keyed": {purging.purgeKeyed, []any{document{ids}, day}}, "lock": {purging.purgeLock, []any{document{ids}}},
			"attempts": {purging.purgeAttempts, []any{document{ids}}}, "jobs": {purging.purgeJobs, []any{document{ids}}},
		} {
			for _, step := range h.plan(strings.ReplaceAll(c.query, "{now}", mysqlClock), c.args) {
				whole := step["type"] == "ALL" || step["type"] == "index"
				if whole && slices.Contains([]string{"j", "a", "l", jobTable, ledgerTable}, step["table"]) {
					t.Errorf("%s, after %d rounds: %v", name, rounds, step)
				}
			}
		}
	}
}

// endAll enqueues and ends jobs in rounds, a second apart. The key of a job, if it has one, begins with key.
func (h *harness) endAll(rounds, each int, key string) {
	h.Helper()
	for round := range rounds {
		payloads := make([]note, each)
		for i := range payloads {
			if key != "" {
				payloads[i].Key = fmt.Sprint(key, round, "-", i)
			}
		}
		if _, err := enqueueMany(h.Context(), h.store, nil, h.queue, payloads); err != nil {
			h.Fatal(err)
		}
		_, jobs, err := h.store.finish(h.Context(), nil, []want{{h.queue.name, each, h.queue.lease, false}}, h.token, h.name)
		if err != nil {
			h.Fatal(err)
		}
		next := map[bool]string{true: "gone", false: "done"}[key == ""]
		var ends []result
		for _, c := range jobs[0] {
			ends = append(ends, result{JobID: c.jobID, Attempt: c.attempt, Token: h.token, Outcome: ok, Decision: "done", Next: next})
		}
		if accepted, _, err := h.store.finish(h.Context(), ends, nil, h.token, h.name); err != nil || len(accepted) != each {
			h.Fatalf("%d of %d ended, %v", len(accepted), each, err)
		}
		h.advance(time.Second)
	}
}

func TestPurgesBesideEachOtherAndBesideWorkCountEachJobOnce(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	const rounds, each = 4, 400
	h.endAll(rounds, each, "k")
	h.endAll(rounds, each, "")
	h.advance(keep.keys)
	type answer struct {
		done Purged
		err  error
	}
	answers := make(chan answer)
	for range 3 {
		go func() {
			done, err := h.store.purge(context.Background(), keep)
			answers <- answer{done, err}
		}()
	}
	h.endAll(4, 100, "")
	for i := range each { // keys that are purged meanwhile, or are still there
		h.enqueue(note{Key: fmt.Sprint("k", rounds-1, "-", i)})
	}
	var sum Purged
	for range 3 {
		a := <-answers
		if a.err != nil {
			t.Error(a.err)
		}
		sum.Jobs, sum.Attempts = sum.Jobs+a.done.Jobs, sum.Attempts+a.done.Attempts
	}
	if want := (Purged{2 * rounds * each, 2 * rounds * each}); sum != want {
		t.Errorf("%+v, want %+v", sum, want)
	}
	if got := h.strings("select sum(jobs) from " + purgeTable)[0]; got != fmt.Sprint(sum.Jobs) {
		t.Errorf("%s jobs are on record", got)
	}
}

func TestPurgeWaitsForNoJob(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	busy := h.enqueue(note{Key: "busy"}).JobID
	h.enqueue(note{Key: "free"})
	h.runDue()
	h.advance(keep.keys + time.Millisecond)
	release := h.held(busy)
	for range 2 {
		if done := h.purgeNow(); done != (Purged{Jobs: 1, Attempts: 1}) {
			t.Errorf("%+v, want one job", done)
		}
		release()
	}
	h.wantState(busy, "")
}

// Between the look at what is over and its lock, another purge may have deleted a job, and its key have come back.
func TestJobThatHasComeBackIsNotLockedForPurging(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	old := h.enqueue(note{Key: "old"}).JobID
	h.runDue()
	h.advance(keep.keys + time.Millisecond)
	young := h.enqueue(note{Key: "young"}).JobID
	h.runDue()
	tx, rollBack := h.beginTx()
	defer rollBack()
	query := strings.ReplaceAll(purging.purgeKeyed, "{now}", h.store.clock)
	got, err := h.store.locked(t.Context(), tx, query, []string{old, young}, keep.keys.Microseconds())
	if err != nil || !slices.Equal(got, []string{old}) {
		t.Errorf("%v, want %s (%v)", got, old, err)
	}
}
