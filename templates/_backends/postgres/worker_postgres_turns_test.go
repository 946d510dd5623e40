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
