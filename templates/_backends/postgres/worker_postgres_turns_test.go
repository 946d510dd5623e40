package worker

import (
	"context"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// blocked is a harness whose handlers wait for the end of the test.
func blocked(t *testing.T) *harness {
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	return newHarness(t, notePolicy(), func(context.Context, *Job[note]) error { <-release; return nil })
}

func TestTurnsBesideEachOtherTakeNoMoreThanTheSlots(t *testing.T) {
	h := blocked(t)
	for range 3 * h.queue.concurrency {
		h.enqueue(note{})
	}
	for turn := 1; turn <= turnsAtOnce; turn++ {
		h.claimAll()
		if !h.process.begin(t.Context(), false) {
			t.Fatalf("turn %d did not begin", turn)
		}
	}
	h.claimAll()
	h.queue.concurrency *= 10
	if h.process.begin(t.Context(), false) {
		t.Error("one turn too many")
	}
	h.queue.concurrency /= 10
	for range turnsAtOnce {
		h.complete(t.Context(), <-h.back)
	}
	h.claimAll()
	if h.process.begin(t.Context(), false) || h.running() != h.queue.concurrency || h.lanes[0].reserved != 0 {
		t.Errorf("%d run, %d slots are reserved, of %d", h.running(), h.lanes[0].reserved, h.queue.concurrency)
	}
}

func TestWakeWhileAClaimIsOnItsWayIsNotLost(t *testing.T) {
	h := blocked(t)
	h.process.begin(t.Context(), false)
	claim := <-h.back
	h.enqueue(note{})
	h.claimAll()
	h.complete(t.Context(), claim)
	if h.turn(t.Context(), false); h.running() != 1 {
		t.Error("the job was not claimed")
	}
}

func TestJobThatRunsAloneWaitsForTurnsOnTheirWay(t *testing.T) {
	h := blocked(t)
	h.enqueue(note{})
	h.crash()
	h.advance(h.queue.lease)
	h.enqueue(note{})
	h.process.begin(t.Context(), false)
	if !h.look(t.Context()) || h.process.begin(t.Context(), false) {
		t.Error("it was asked for beside a claim")
	}
	h.complete(t.Context(), <-h.back)
	if h.process.begin(t.Context(), false) || h.running() != 1 {
		t.Errorf("%d run", h.running())
	}
}

func TestNothingIsClaimedBesideTheClaimOfAJobThatRunsAlone(t *testing.T) {
	h := blocked(t)
	h.enqueue(note{})
	h.crash()
	h.advance(h.queue.lease)
	h.look(t.Context())
	h.process.begin(t.Context(), false)
	claim := <-h.back
	h.enqueue(note{})
	h.look(t.Context()) // the job that runs alone is no longer due
	h.claimAll()
	h.queue.concurrency *= 10 // there is room for a whole turn
	if h.process.begin(t.Context(), false) {
		t.Error("a claim went off beside it")
	}
	h.complete(t.Context(), claim)
	h.look(t.Context())
	if h.turn(t.Context(), false); h.running() != 1 {
		t.Errorf("%d run", h.running())
	}
}

func TestClaimThatIsAstrayIsGivenBackOnceNoOtherIsOnItsWay(t *testing.T) {
	h := blocked(t)
	id := h.enqueue(note{}).JobID
	h.process.begin(t.Context(), false)
	claim := <-h.back
	h.astray = true // by a turn that was beside it
	h.enqueue(note{})
	h.claimAll()
	if h.process.begin(t.Context(), false) {
		t.Error("a turn began")
	}
	h.wantState(id, "running")
	h.complete(t.Context(), claim)
	if h.turn(t.Context(), false); h.astray || h.running() != 2 {
		t.Errorf("astray %t, %d run", h.astray, h.running())
	}
}

func TestStopGivesBackAClaimWhoseAnswerWasLost(t *testing.T) {
	h := blocked(t)
	id := h.enqueue(note{}).JobID
	h.begin(h.token)
	h.astray, h.failing = true, 1
	stopped, stop := context.WithCancel(t.Context())
	stop()
	h.loop(stopped, nil)
	h.wantState(id, "scheduled")
	if got := h.strings("select attempt || ' ' || crashes from " + jobTable); got[0] != "0 0" {
		t.Errorf("attempt and crashes are %s", got[0])
	}
}

func TestClaimThatTheDatabaseRefusesIsNotTriedWithoutAPause(t *testing.T) {
	h := blocked(t)
	h.exec("alter table " + jobTable + " rename column worker to another")
	for failing := range 3 {
		if h.failing != failing {
			t.Errorf("%d failures, want %d", h.failing, failing)
		}
		h.turn(t.Context(), false)
	}
	h.exec("alter table " + jobTable + " rename column another to worker")
	h.enqueue(note{})
	if h.turn(t.Context(), false); h.failing != 0 || h.running() != 1 {
		t.Errorf("%d failures, %d run", h.failing, h.running())
	}
}

// A turn that ends an attempt and one that claims its retry can come back in either order.
func TestRetryThatIsClaimedBeforeItsEndIsHeardOfRuns(t *testing.T) {
	h := newHarness(t, notePolicy(), func(_ context.Context, job *Job[note]) error {
		if job.Attempt == 1 {
			return errBroken
		}
		return nil
	})
	id := h.enqueue(note{}).JobID
	h.turn(t.Context(), false)
	h.collect(<-h.ended)
	h.process.begin(t.Context(), true)
	end := <-h.back
	h.advance(h.queue.lease)
	h.claimAll()
	h.turn(t.Context(), false)
	h.complete(t.Context(), end)
	h.collect(<-h.ended)
	h.turn(t.Context(), true)
	h.wantLedger(id, "1 transient unmatched retry", "2 ok done")
	if len(h.flights) != 0 || h.running() != 0 {
		t.Errorf("%d in flight, %d run", len(h.flights), h.running())
	}
}

func TestDatabaseThatHasFailedGetsOneTurnAtATime(t *testing.T) {
	h := blocked(t)
	h.failing = 1
	if !h.process.begin(t.Context(), false) {
		t.Fatal("no turn began")
	}
	h.claimAll()
	if h.process.begin(t.Context(), false) {
		t.Error("two at once")
	}
	h.complete(t.Context(), <-h.back)
}

// cutConn loses the next answer.
type cutConn struct {
	net.Conn
	cut *atomic.Bool
}

func (c cutConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 && c.cut.CompareAndSwap(true, false) {
		_ = c.Close()
		return 0, io.ErrUnexpectedEOF
	}
	return n, err
}

// cuttable gives the process a connection of its own, whose next answer is lost once the flag is set.
func (h *harness) cuttable() *atomic.Bool {
	h.Helper()
	var cut atomic.Bool
	config := h.store.pool.Config()
	config.MaxConns = 1
	dial := config.ConnConfig.DialFunc
	config.ConnConfig.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		return cutConn{conn, &cut}, err
	}
	pool, err := pgxpool.NewWithConfig(h.Context(), config)
	if err != nil {
		h.Fatal(err)
	}
	h.Cleanup(pool.Close)
	h.process.store = newStore(pool, statements, h.store.clock)
	return &cut
}

func TestTurnWhoseAnswerIsLostLosesNothing(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(errBroken))
	ended, claimed := h.enqueue(note{}).JobID, h.enqueue(note{}).JobID
	h.exec("update "+jobTable+" set next_run_at = next_run_at + interval '31 s' where job_id = ?", claimed)
	cut := h.cuttable()
	h.turn(t.Context(), false) // prepares its statements
	h.collect(<-h.ended)
	h.turn(t.Context(), true)
	h.advance(h.queue.ladder.rungs[0])
	h.claimAll()
	h.turn(t.Context(), false)
	h.collect(<-h.ended)
	h.advance(time.Second)
	cut.Store(true)
	h.turn(t.Context(), false)
	h.wantLedger(ended, "1 transient unmatched retry", "2 transient unmatched retry")
	h.wantState(claimed, "running")
	if !h.astray || h.running() != 0 || len(h.unwritten) != 0 {
		t.Errorf("astray %t, %d run, %d unwritten", h.astray, h.running(), len(h.unwritten))
	}
	h.turn(t.Context(), true)
	h.wantState(claimed, "scheduled")
	if got := h.strings("select attempt || ' ' || crashes from "+jobTable+" where job_id = ?", claimed); got[0] != "0 0" {
		t.Errorf("attempt and crashes are %s", got[0])
	}
}

func TestEndsOfATurnThatFailsAreKeptBesideThoseThatCameMeanwhile(t *testing.T) {
	h := newHarness(t, notePolicy(), fails(nil))
	var ids []string
	for range 2 {
		ids = append(ids, h.enqueue(note{}).JobID)
	}
	jobs := h.begin(h.token)
	h.start(h.lanes[0], jobs[0])
	h.collect(<-h.ended)
	unlock := h.lock()
	h.process.begin(t.Context(), true)
	h.start(h.lanes[0], jobs[1])
	h.collect(<-h.ended)
	if h.process.begin(t.Context(), true) {
		t.Error("a turn began for one end")
	}
	h.complete(t.Context(), <-h.back)
	unlock()
	if len(h.unwritten) != 2 || h.running() != 2 {
		t.Errorf("%d unwritten, %d run", len(h.unwritten), h.running())
	}
	h.turn(t.Context(), true)
	for _, id := range ids {
		h.wantLedger(id, "1 ok done")
	}
}

func TestClaimsGoOnBesideOthersOnceAJobThatRanAloneHasEnded(t *testing.T) {
	h := blocked(t)
	h.alone = true // it has ended, and no other is due
	for want := range 2 {
		h.enqueue(note{})
		h.claimAll()
		if h.turn(t.Context(), false); h.running() != want+1 {
			t.Errorf("%d run, want %d", h.running(), want+1)
		}
	}
}
