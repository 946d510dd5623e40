package worker

import (
	"context"
	"testing"
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
	if h.process.begin(t.Context(), false) {
		t.Error("one turn too many")
	}
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
	if h.process.begin(t.Context(), false) {
		t.Error("a claim went off beside it")
	}
	h.complete(t.Context(), claim)
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
