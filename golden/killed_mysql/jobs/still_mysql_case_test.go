//go:build unix

package jobs

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The server keeps the transaction of a process that stands still, and the locks of its rows: others go around them.
func TestProcessThatStandsStillForLongerThanItsLeaseKeepsWhatItsTransactionHolds(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"claim before commit", "finish before", "finish before commit", "effect before", "effect before commit"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			h, still, id := standsStill(t, point)
			neighbour := h.plain("nothing")
			dies := h.start("worker", "PAUSE=handler")
			dies.mustAwait("at handler")
			dies.kill()
			other := h.start("worker")
			h.until("the reaper has come by", func() bool { return len(h.attempts(neighbour)) == 2 })
			h.wantAttempts(neighbour, "1 crashed retry", "2 ok done")
			h.wantAttempts(id)
			still.signal(syscall.SIGCONT)
			still.tell("on")
			h.over()
			still.stop()
			other.stop()
			h.audit(map[string]bool{id: true, neighbour: true})
		})
	}
}

func TestProcessThatStandsStillForLongerThanItsLeaseLosesWhatItHasBegun(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"claim after commit", "handler"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			h, still, id := standsStill(t, point)
			other := h.start("worker")
			h.over()
			h.wantAttempts(id, "1 crashed retry", "2 ok done")
			still.signal(syscall.SIGCONT)
			still.tell("on")
			other.stop()
			still.stop()
			h.audit(map[string]bool{id: true})
		})
	}
}

// standsStill is a process that was stopped at a point with a job.
func standsStill(t *testing.T, point string) (h *theatre, still *child, id string) {
	h = newTheatre(t, "400ms")
	if strings.HasPrefix(point, "effect") {
		id = h.paid("e", "effect")
	} else {
		id = h.plain("nothing")
	}
	still = h.start("worker", "PAUSE="+point)
	still.mustAwait("at " + point)
	still.signal(syscall.SIGSTOP)
	return h, still, id
}

func TestProcessesThatStandStillInTurnsLoseNothing(t *testing.T) {
	t.Parallel()
	h := newTheatre(t, "400ms")
	var all []*child
	for range 3 {
		all = append(all, h.start("worker"))
	}
	for _, p := range all {
		p.mustAwait("ready")
	}
	enqueued := map[string]bool{}
	for round := range 6 {
		p := all[round%len(all)]
		for i := range 20 {
			enqueued[h.plain([]string{"nothing", "fail once", "fail"}[i%3])] = true
			enqueued[h.paid(fmt.Sprint(round, " ", i), []string{"effect", "renew effect", "fail once effect"}[i%3])] = true
			if i == 10 {
				p.signal(syscall.SIGSTOP)
			}
		}
		time.Sleep(500 * time.Millisecond)
		p.signal(syscall.SIGCONT)
	}
	h.over()
	for _, p := range all {
		p.stop()
	}
	h.audit(enqueued)
	if got := h.strings("select count(*) from " + ledgerTable + " where class = 'crashed'"); got[0] == "0" {
		t.Error("no process stood still with a job")
	}
}
