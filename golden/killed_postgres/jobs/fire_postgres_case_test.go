//go:build unix

package jobs

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

func (h *theatre) wantOnce(ids ...string) {
	h.Helper()
	for _, id := range ids {
		h.wantAttempts(id, "1 ok done")
	}
}

func TestServerThatIsKilledInMidFinishLosesNothing(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	h := s.theatre("postgres", "20s")
	enqueued := map[string]bool{}
	for i, point := range []string{"finish before commit", "effect before commit", "finish after commit", "effect after commit"} {
		p := h.start("worker", "PAUSE="+point)
		p.mustAwait("ready")
		var id string
		if strings.HasPrefix(point, "effect") {
			id = h.paid(fmt.Sprint(i), "effect")
		} else {
			id = h.plain("nothing")
		}
		enqueued[id] = true
		p.mustAwait("at " + point)
		s.restart()
		p.tell("on")
		h.store.DB().Reset()
		h.until("the job is done", func() bool { return len(h.attempts(id)) == 1 })
		p.stop()
		h.wantOnce(id)
	}
	h.audit(enqueued)
}

func TestServerThatIsReadOnlyForAWhileLosesNothing(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	h := s.theatre("postgres", "20s")
	id, waits := h.paid("e", "wait effect"), h.plain("wait")
	p := h.start("worker")
	p.mustAwait("in handler")
	p.mustAwait("in handler")
	s.set("alter system set default_transaction_read_only = on")
	h.until("the sessions are read-only", func() bool { return h.strings("show default_transaction_read_only")[0] == "on" })
	p.tell("go")
	for _, refused := range []string{"effects could not be committed; trying again", "a turn failed; its attempts are kept"} {
		if !strings.Contains(strings.Join(p.seen, "\n"), refused) {
			p.mustAwait(refused)
		}
	}
	s.set("alter system reset default_transaction_read_only")
	h.over()
	p.stop()
	h.wantOnce(id, waits)
	h.audit(map[string]bool{id: true, waits: true})
}

func TestFullServerLosesNothing(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	h := s.theatre("app", "5s")
	id := h.paid("e", "wait effect")
	works := h.start("worker", "POOL=2")
	works.mustAwait("in handler")
	s.set("alter role app connection limit 12")
	var hogs []*pgx.Conn
	hog := func() {
		for {
			conn, err := pgx.Connect(t.Context(), s.URL("app"))
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = conn.Close(context.Background()) })
			hogs = append(hogs, conn)
		}
	}
	hog()
	late := h.start("worker", "POOL=2")
	if err := late.end(); err == nil || !strings.Contains(strings.Join(late.seen, "\n"), "53300") {
		t.Errorf("a process that could not connect ended with %v; it said %q", err, late.seen)
	}
	s.set("alter role app connection limit 1") // whoever loses a connection gets none
	s.set("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'app_jobs'")
	works.tell("go")
	for range 3 {
		works.mustAwait("effects could not be committed; trying again")
	}
	for _, conn := range hogs {
		_ = conn.Close(t.Context())
	}
	s.set("alter role app connection limit 12")
	h.over()
	works.stop()
	h.wantOnce(id)
	h.audit(map[string]bool{id: true})
}

func TestConnectionsThatAreTerminatedAgainAndAgainLoseNothing(t *testing.T) {
	t.Parallel()
	h := newTheatre(t, "1s")
	enqueued := map[string]bool{}
	for i := range 60 {
		enqueued[h.plain([]string{"nothing", "fail once", "fail"}[i%3])] = true
		enqueued[h.paid(fmt.Sprint(i), []string{"effect", "fail once effect"}[i%2])] = true
	}
	p, q := h.start("worker"), h.start("worker")
	p.mustAwait("ready")
	q.mustAwait("ready")
	for range 40 {
		h.strings("select pg_terminate_backend(pid) from pg_stat_activity where application_name = current_schema()")
		time.Sleep(20 * time.Millisecond)
	}
	h.over()
	p.stop()
	q.stop()
	h.audit(enqueued)
	if got := h.strings("select class from " + ledgerTable + " where class not in ('unmatched', 'interrupted', 'timeout')"); len(got) > 0 {
		t.Errorf("attempts of processes that live are %q", got)
	}
}

// The database's clock is minutes ahead of the process's, and then minutes behind it.
func TestClockOfAProcessThatIsWrongByMinutesDecidesNothing(t *testing.T) {
	t.Parallel()
	for _, off := range []string{"10 minutes", "-10 minutes"} {
		config := scratchSchema(t)
		config.ConnConfig.RuntimeParams["search_path"] += ", pg_catalog" // what is found first is the test's
		h := &theatre{T: t, dir: t.TempDir(), lease: "400ms"}
		pool, err := pgxpool.NewWithConfig(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		_, err = pool.Exec(t.Context(), "create function now() returns timestamptz language sql stable as $$ select pg_catalog.now() + interval '"+off+"' $$")
		pool.Close()
		if err != nil {
			t.Fatal(err)
		}
		h.openOn(config)
		h.exec(createEffect)
		crashed, renewed := h.paid("e", "fail once effect"), h.plain("renew")
		dies := h.start("worker", "PAUSE=handler")
		dies.mustAwait("at handler")
		dies.kill()
		p := h.start("worker")
		h.over()
		p.stop()
		h.audit(map[string]bool{crashed: true, renewed: true})
		h.wantAttempts(renewed, "1 crashed retry", "2 ok done")
		h.wantAttempts(crashed, "1 crashed retry", "2 ok done")
		got := h.strings("select distinct round(extract(epoch from attempted_at - clock_timestamp()) / 600) from " + ledgerTable)
		if fmt.Sprint(got) != map[bool]string{true: "[1]", false: "[-1]"}[off[0] != '-'] {
			t.Errorf("the ledger is off by %s, in units of ten minutes", got)
		}
	}
}

func TestAnswerThatIsLostIsNeitherALossNorASecondEffect(t *testing.T) {
	t.Parallel()
	for _, point := range []string{
		"finish before", "finish before commit", "finish after commit", "effect after", "effect before commit", "effect after commit",
		"claim before commit", "claim after commit", "renew after commit",
	} {
		for _, trouble := range []string{"CUT", "STALL"} {
			if trouble == "STALL" && (point == "finish before commit" || point == "claim before commit") {
				continue // the server holds the rows while it waits for the rest of the batch, for as long as its keepalive lets it
			}
			t.Run(trouble+" "+point, func(t *testing.T) {
				t.Parallel()
				lease := map[string]string{"CUT": "20s", "STALL": "6s"}[trouble]
				if strings.HasPrefix(point, "renew") {
					lease = "2s" // a third of it has to pass
				}
				h := newTheatre(t, lease)
				p := h.start("worker", trouble+"="+point)
				p.mustAwait("ready")
				ids := []string{h.plain("nothing"), h.paid("e", map[bool]string{true: "renew "}[strings.HasPrefix(point, "renew")]+"effect")}
				enqueued := map[string]bool{ids[0]: true, ids[1]: true}
				p.mustAwait("trouble")
				h.over()
				ids = append(ids, h.plain("nothing")) // it goes on
				enqueued[ids[2]] = true
				h.over()
				p.kill()
				if trouble == "STALL" && (point == "effect after" || point == "effect before commit") {
					h.wantAttempts(ids[1], "1 timeout retry", "2 ok done") // it was not committed in its time
					ids = []string{ids[0], ids[2]}
				}
				h.wantOnce(ids...)
				h.audit(enqueued)
				if t.Failed() {
					t.Log(strings.Join(p.seen, "\n"))
				}
			})
		}
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
