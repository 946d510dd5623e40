//retryc:when broker

package worker

import (
	"context"
	"slices"
	"testing"
	"time"
)

func TestRungOfAnHourCrossesABrokerOfFifteenMinutesAsOneAttempt(t *testing.T) {
	runs := 0
	h, b := newAnnounced(t, func(context.Context, *Job[note]) error {
		if runs++; runs == 1 {
			return errBroken
		}
		return nil
	})
	h.queue.ladder.rungs = []time.Duration{time.Hour}
	b.longest = 15 * time.Minute
	h.work()
	id := h.enqueue(note{}).JobID
	h.untilLedger(id, "1 transient unmatched retry")
	for hop := range 4 {
		h.until("the job is announced, and nothing of it is in flight", func() bool { _, delayed, inFlight := b.left(); return delayed == 1 && inFlight == 0 })
		h.wantLedger(id, "1 transient unmatched retry")
		h.advance(15 * time.Minute)
		if got := b.release(); !slices.Equal(got, []time.Duration{15 * time.Minute}) {
			t.Errorf("piece %d is held back for %v", hop+1, got)
		}
	}
	h.untilLedger(id, "1 transient unmatched retry", "2 ok done")
	h.untilEmpty(b)
	if runs != 2 {
		t.Errorf("%d runs", runs)
	}
}

func TestRetryAfterAndSnoozeAreHeldBackByTheBroker(t *testing.T) {
	h, b := newAnnounced(t, func(_ context.Context, job *Job[note]) error {
		if job.Attempt == 1 {
			return Snooze(20 * time.Minute)
		}
		return nil
	})
	h.work()
	id := h.enqueue(note{}).JobID
	h.until("the job is announced", func() bool { _, delayed, inFlight := b.left(); return delayed == 1 && inFlight == 0 })
	h.advance(20 * time.Minute)
	if got := b.release(); !slices.Equal(got, []time.Duration{20 * time.Minute}) {
		t.Errorf("held back for %v", got)
	}
	h.untilLedger(id, "1 transient snoozed retry", "2 ok done")
}

func TestMessageForANewerProgramIsPutBackAndUsesNoAttempt(t *testing.T) {
	h, b := newAnnounced(t, func(context.Context, *Job[note]) error { return nil })
	h.work()
	for id, body := range map[string]string{
		"queue":   `{"retryc":1,"queue":"renamed","job_id":"01a22ed4-b884-7177-9bb8-645f15ab3883","generation":1,"attempt":1}`,
		"version": `{"retryc":2,"queue":"notes","something":"new"}`,
	} {
		if err := b.publish(t.Context(), []message{{id: id, body: []byte(body)}}); err != nil {
			t.Fatal(err)
		}
	}
	h.until("both have come several times", func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.came["queue"] > 2 && b.came["version"] > 2
	})
	if rows := h.strings("select job_id::text from " + jobTable + " union all select job_id::text from " + ledgerTable); len(rows) > 0 {
		t.Errorf("they left %q", rows)
	}
	h.untilLedger(h.enqueue(note{}).JobID, "1 ok done") // and hold up nobody
}

func TestAnnouncementsOfWhatIsOverAreRemoved(t *testing.T) {
	h, b := newAnnounced(t, func(_ context.Context, job *Job[note]) error {
		if job.Payload.Text == "refuse" {
			return Permanent(errBroken)
		}
		return nil
	})
	h.work()
	done, kept, dead := h.enqueue(note{}).JobID, h.enqueue(note{Key: "k"}).JobID, h.enqueue(note{Text: "refuse"}).JobID
	for _, id := range []string{done, kept} {
		h.untilLedger(id, "1 ok done")
	}
	h.untilLedger(dead, "1 permanent marked dead permanent")
	for _, id := range []string{done, kept, dead} {
		for attempt := range 3 {
			h.store.wakes.announcers[h.queue.name].announce(announcement{1, h.queue.name, id, 1, attempt + 1}.message(b, 0))
		}
	}
	h.untilEmpty(b)
	if attempts := h.strings("select job_id::text from " + ledgerTable); len(attempts) != 3 {
		t.Errorf("%d attempts", len(attempts))
	}
}

func TestConsumerWaitsForAJobThatRunsAloneOrHasTo(t *testing.T) {
	h, _ := newAnnounced(t, func(context.Context, *Job[note]) error { return nil })
	l := h.lanes[0]
	for what, waits := range map[string]*bool{"runs": &h.alone, "is due": &h.loneDue} {
		a := &ask{lane: l, n: 3, slots: make(chan int, 1)}
		l.asking, *waits = a, true
		if h.grant(false); len(a.slots) > 0 {
			t.Errorf("a job that has to run alone %s, and %d slots were given", what, <-a.slots)
		}
		*waits = false
		if h.grant(false); len(a.slots) != 1 || <-a.slots != 3 {
			t.Errorf("none %s any more, and no slots were given", what)
		}
		h.arrive(arrival{lane: l, slots: 3})
	}
}

func TestMessageThatComesTwiceAtOnceIsOneRunAndBothAreRemoved(t *testing.T) {
	runs := 0
	h, b := newAnnounced(t, func(context.Context, *Job[note]) error { runs++; return nil })
	id := h.enqueue(note{}).JobID
	h.store.wakes.announcer(h.queue.name).sent.Wait()
	for range 3 {
		if err := b.publish(t.Context(), []message{announcement{1, h.queue.name, id, 1, 1}.message(b, 0)}); err != nil {
			t.Fatal(err)
		}
	}
	h.work()
	h.untilLedger(id, "1 ok done")
	h.untilEmpty(b)
	if runs != 1 {
		t.Errorf("%d runs", runs)
	}
}

func TestProcessWithoutAFreeSlotLeavesMessagesToOthers(t *testing.T) {
	begun, release := make(chan struct{}), make(chan struct{})
	h, b := newAnnounced(t, func(context.Context, *Job[note]) error { begun <- struct{}{}; <-release; return nil })
	h.queue.concurrency = 1
	h.work()
	h.enqueue(note{})
	<-begun // by its message, or by what the worker finds as it starts
	for range 3 {
		h.enqueue(note{})
	}
	h.store.wakes.announcer(h.queue.name).sent.Wait()
	time.Sleep(20 * time.Millisecond)
	if ready, _, _ := b.left(); ready < 3 {
		t.Errorf("%d messages are left to others", ready)
	}
	for range 3 {
		release <- struct{}{}
		<-begun
	}
	release <- struct{}{}
	h.untilEmpty(b)
}
