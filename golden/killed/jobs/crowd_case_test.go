//go:build unix

package jobs

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTenProcessesOnOneQueueRunEveryJobOnce(t *testing.T) {
	t.Parallel()
	h := newTheatre(t, "20s")
	var all []*child
	for range 10 {
		all = append(all, h.start("worker", "POOL=1"))
	}
	for _, p := range all {
		p.mustAwait("ready")
	}
	enqueued := map[string]bool{}
	for i := range 300 {
		if does := []string{"effect", "fail once effect"}[i%2]; i%3 == 0 {
			enqueued[h.plain("nothing")] = true
		} else {
			enqueued[h.paid(fmt.Sprint(i), does)] = true
		}
	}
	h.over()
	for _, p := range all {
		p.stop()
	}
	h.audit(enqueued)
	if got := h.strings("select job_id from " + ledgerTable + " where class is not null and class <> 'unmatched'"); len(got) > 0 {
		t.Errorf("%d attempts ended in another way than their handlers", len(got))
	}
}

func TestErrorTextThatCannotBeStoredHoldsUpNoneOfFiftyOthers(t *testing.T) {
	t.Parallel()
	h := newTheatre(t, "20s")
	bad := h.plain("text")
	enqueued := map[string]bool{bad: true}
	for range 50 {
		enqueued[h.plain("fail")] = true
	}
	p := h.start("worker")
	h.over()
	p.stop()
	h.audit(enqueued)
	for id := range enqueued {
		h.wantAttempts(id, "1 unmatched retry", "2 unmatched retry", "3 unmatched dead failures")
	}
	for _, text := range h.strings("select error_detail from "+ledgerTable+" where job_id = ?", bad) {
		if !utf8.ValidString(text) || strings.Contains(text, "\x00") || len(text) > 2048 || text == "the database refused the error's text" {
			t.Errorf("stored as %.60q", text)
		}
	}
}

func TestHandlerThatIgnoresItsContextLosesItsSlotAndRunsNowhereElseInItsProcess(t *testing.T) {
	t.Parallel()
	h := newTheatre(t, "300ms")
	id := h.plain("ignore")
	p := h.start("worker", "TIMEOUT=100ms")
	p.mustAwait("in handler")
	enqueued := map[string]bool{id: true}
	for range 20 {
		enqueued[h.plain("nothing")] = true
	}
	p.mustAwait("handler ignores the end of its context")
	p.mustAwait("job put back")
	h.wantAttempts(id, "1 timeout retry")
	p.tell("go")
	h.over()
	p.stop()
	h.audit(enqueued)
	h.wantAttempts(id, "1 timeout retry", "2 ok done")
}

func TestPolicyOfTheProcessThatRunsAnAttemptDecidesAndIsOnItsRow(t *testing.T) {
	t.Parallel()
	h := newTheatre(t, "20s")
	strict, lax := h.start("worker", "ATTEMPTS=2", "SCHEMA=older"), h.start("worker")
	strict.mustAwait("ready")
	lax.mustAwait("ready")
	enqueued := map[string]bool{}
	for range 20 { // until both have had their share: a busy machine may let one of them sleep
		for range 60 {
			enqueued[h.plain("fail")] = true
		}
		h.over()
		if len(h.strings("select distinct policy_hash from "+ledgerTable)) > 1 {
			break
		}
	}
	strict.stop()
	lax.stop()
	h.audit(enqueued)
	rows := h.strings("select distinct policy_hash || ' ' || attempt || ' ' || decision from " + ledgerTable)
	for _, row := range rows {
		if !slices.Contains([]string{"allows 2 1 retry", "allows 2 2 dead", "allows 2 3 dead", policy.hash + " 1 retry", policy.hash + " 2 retry", policy.hash + " 3 dead"}, row) {
			t.Errorf("a row of %q", row)
		}
	}
	for _, decides := range []string{"allows 2", policy.hash} {
		if !strings.Contains(strings.Join(rows, ","), decides) {
			t.Errorf("nothing was decided by the policy that %s", decides)
		}
	}
}

// Handlers enqueue with the only connection there is, and so do their effects.
func TestHandlersThatShareOneConnectionWithTheWorkerWaitForEachOther(t *testing.T) {
	t.Parallel()
	h := newTheatre(t, "20s")
	var parents []string
	for i := range 40 {
		parents = append(parents, h.paid(fmt.Sprint(i), "enqueue effect"))
	}
	p := h.start("worker", "POOL=1")
	h.over()
	p.stop()
	enqueued := map[string]bool{}
	for _, id := range parents {
		enqueued[id] = true
		for _, event := range []string{"of the handler of ", "of the effect of "} {
			r, err := EnqueuePaid(t.Context(), h.store, Paid{Event: event + id, Does: "effect"})
			if err != nil || !r.Duplicate {
				t.Errorf("%+v (%v)", r, err)
			}
			enqueued[r.JobID] = true
		}
	}
	h.audit(enqueued)
}
