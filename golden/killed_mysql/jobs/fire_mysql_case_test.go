//go:build unix

package jobs

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func (h *theatre) wantOnce(ids ...string) {
	h.Helper()
	for _, id := range ids {
		h.wantAttempts(id, "1 ok done")
	}
}

// cutOff ends every connection to the database but the test's own.
func (h *theatre) cutOff() (ended int) {
	h.Helper()
	for _, id := range h.strings("select id from information_schema.processlist where db = database() and id <> connection_id()") {
		if _, err := h.store.DB().ExecContext(h.Context(), "kill "+id); err == nil { // else it is gone
			ended++
		}
	}
	return ended
}

func TestConnectionsThatAreKilledAgainAndAgainLoseNothing(t *testing.T) {
	t.Parallel()
	h := newTheatre(t, "1s")
	enqueued := map[string]bool{}
	for i := range 100 {
		enqueued[h.plain([]string{"nothing", "fail once", "fail"}[i%3])] = true
		enqueued[h.paid(fmt.Sprint(i), []string{"effect", "fail once effect"}[i%2])] = true
	}
	p, q := h.start("worker"), h.start("worker")
	p.mustAwait("ready")
	q.mustAwait("ready")
	ended := 0
	for range 40 {
		ended += h.cutOff()
		time.Sleep(20 * time.Millisecond)
	}
	h.over()
	p.stop()
	q.stop()
	h.audit(enqueued)
	if ended < 40 {
		t.Errorf("%d connections were killed", ended)
	}
	if got := h.strings("select class from " + ledgerTable + " where class not in ('unmatched', 'interrupted', 'timeout')"); len(got) > 0 {
		t.Errorf("attempts of processes that live are %q", got)
	}
}

func TestAnswerThatIsLostIsNeitherALossNorASecondEffect(t *testing.T) {
	t.Parallel()
	for _, point := range []string{
		"finish before", "finish after", "finish before commit", "finish after commit", "effect after", "effect before commit", "effect after commit",
		"claim after", "claim before commit", "claim after commit", "renew after", "renew after commit",
	} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			lease := "20s"
			if strings.HasPrefix(point, "renew") {
				lease = "2s" // a third of it has to pass
			}
			h := newTheatre(t, lease)
			p := h.start("worker", "CUT="+point)
			p.mustAwait("ready")
			ids := []string{h.plain("nothing"), h.paid("e", map[bool]string{true: "renew "}[strings.HasPrefix(point, "renew")]+"effect")}
			p.mustAwait("cut")
			h.over()
			ids = append(ids, h.plain("nothing")) // it goes on
			h.over()
			p.stop()
			h.wantOnce(ids...)
			h.audit(map[string]bool{ids[0]: true, ids[1]: true, ids[2]: true})
			if t.Failed() {
				t.Log(strings.Join(p.seen, "\n"))
			}
		})
	}
}

// The budget for crashes is two.
func TestClaimWhoseAnswerIsLostAgainAndAgainIsNoCrash(t *testing.T) {
	t.Parallel()
	h := newTheatre(t, "20s")
	id := h.plain("nothing")
	p := h.start("worker", "CUT=claim after commit", "TIMES=5")
	h.over()
	p.stop()
	h.wantOnce(id)
	h.audit(map[string]bool{id: true})
}
