//retryc:when broker

package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"
)

// unannounced is a job whose message is lost.
func (h *harness) unannounced(n note) (jobID string) {
	h.Helper()
	j, err := newJobOf(h.queue, n)
	if err == nil {
		_, _, err = h.store.enqueue(h.Context(), nil, []newJob{j})
	}
	if err != nil {
		h.Fatal(err)
	}
	return j.JobID
}

// hear takes an announcement of a job, as a consumer does.
func (h *harness) hear(jobID string, generation, attempt int) {
	h.Helper()
	if h.slots(1, false) != 1 {
		h.Fatal("no slot")
	}
	body, err := json.Marshal(announcement{1, h.queue.name, jobID, generation, attempt})
	if err == nil {
		err = h.lanes[0].broker.publish(h.Context(), []message{{id: "m", body: body}})
	}
	if err != nil {
		h.Fatal(err)
	}
	messages, err := h.lanes[0].broker.receive(h.Context(), 1)
	if err != nil {
		h.Fatal(err)
	}
	h.take(h.Context(), h.lanes[0], h.read(h.Context(), h.lanes[0], messages))
	a := <-h.arrived
	if a.err != nil {
		h.Error(a.err)
	}
	h.arrive(a)
}

func TestOnlyWhatIsAnnouncedAndDueIsClaimed(t *testing.T) {
	release := make(chan struct{})
	h, b, _ := consumer(t, func(context.Context, *Job[note]) error { <-release; return nil })
	for name, c := range map[string]struct {
		change              string // of the row
		generation, attempt int
		want                string // how many run, and how many messages are held back
	}{
		"due":                            {"", 1, 1, "1 0"},
		"of an earlier generation":       {"generation = 2", 1, 1, "0 0"},
		"of an earlier attempt":          {"attempt = 1", 1, 1, "0 0"},
		"of a later attempt":             {"", 1, 2, "0 0"},
		"dead":                           {"state = 'dead', dead_reason = 'permanent', dead_at = created_at", 1, 1, "0 0"},
		"done":                           {"state = 'done'", 1, 1, "0 0"},
		"of another queue":               {"queue = 'others'", 1, 1, "0 0"},
		"to run alone":                   {"run_alone = true", 1, 1, "0 0"},
		"early":                          {"next_run_at = next_run_at + interval '1 minute'", 1, 1, "0 1"},
		"early, of an earlier attempt":   {"attempt = 1, next_run_at = next_run_at + interval '1 minute'", 1, 1, "0 0"},
		"early, of another generation":   {"generation = 2, next_run_at = next_run_at + interval '1 minute'", 1, 1, "0 0"},
		"dead before it was to be tried": {"state = 'dead', dead_reason = 'permanent', dead_at = created_at, next_run_at = next_run_at + interval '1 minute'", 1, 1, "0 0"},
	} {
		id := h.unannounced(note{})
		if c.change != "" {
			h.exec("update " + jobTable + " set " + c.change)
		}
		before := h.strings("select state || attempt from " + jobTable)[0]
		h.hear(id, c.generation, c.attempt)
		ready, delayed, inFlight := b.left()
		if got := fmt.Sprint(h.running(), delayed); got != c.want || ready+inFlight != 0 {
			t.Errorf("%s: %s, want %s; %d ready, %d in flight", name, got, c.want, ready, inFlight)
		}
		if after := h.strings("select state || attempt from " + jobTable)[0]; h.running() == 0 && after != before {
			t.Errorf("%s: %s, and before %s", name, after, before)
		}
		if lone := name == "to run alone"; h.loneDue != lone {
			t.Errorf("%s: one is due to run alone: %t", name, h.loneDue)
		}
		for range h.running() {
			release <- struct{}{}
			h.collect(<-h.ended)
			h.turn(t.Context(), true)
		}
		b.release()
		for ready, _, _ := b.left(); ready > 0; ready-- {
			if _, err := b.receive(t.Context(), 1); err != nil {
				t.Fatal(err)
			}
		}
		b.inFlight, h.loneDue = map[string]delivery{}, false
		h.exec("delete from " + jobTable)
	}
}

func TestEarlyMessageStaysWhereNoOtherCanBeSent(t *testing.T) {
	h, b, l := consumer(t, fails(nil))
	id := h.enqueue(note{}).JobID
	h.store.wakes.announcers[h.queue.name].sent.Wait()
	h.exec("update " + jobTable + " set next_run_at = next_run_at + interval '1 minute'")
	messages, err := b.receive(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	b.down = true
	h.slots(1, false)
	h.take(t.Context(), l, h.read(t.Context(), l, messages))
	h.arrive(<-h.arrived)
	h.until("the message of "+id+" comes again", func() bool { ready, _, inFlight := b.left(); return ready == 1 && inFlight == 0 })
}

func TestMessagesWaitForNoRow(t *testing.T) {
	h, _, l := consumer(t, fails(nil))
	busy, free := h.enqueue(note{}).JobID, h.enqueue(note{}).JobID
	defer h.held(busy)()
	h.slots(2, false)
	h.take(t.Context(), l, []announced{h.announcement(busy), h.announcement(free)})
	if a := <-h.arrived; a.err != nil || len(a.jobs) != 1 || a.jobs[0].jobID != free {
		t.Errorf("claimed %d (%v), want the free one alone", len(a.jobs), a.err)
	}
}

func TestLedgerNamesTheMessageOfItsOwnAttempt(t *testing.T) {
	h, _, _ := consumer(t, fails(errBroken))
	id := h.unannounced(note{})
	h.hear(id, 1, 1)
	h.collect(<-h.ended)
	h.turn(t.Context(), true)
	h.advance(time.Minute)
	h.runDue() // by the poll
	if got := h.strings("select attempt || ' ' || coalesce(message_id, 'none') from " + ledgerTable + " order by attempt"); !slices.Equal(got, []string{"1 m", "2 none"}) {
		t.Errorf("messages %q", got)
	}
}

func TestQueueThatIsAnnouncedIsLookedForOnlyByThePoll(t *testing.T) {
	h, _, l := consumer(t, fails(nil))
	h.turn(t.Context(), false)
	h.claimAll()
	if wants := h.wants(map[*lane]int{l: 1}, false); l.more || len(wants) > 0 {
		t.Errorf("it wants %+v", wants)
	}
	h.enqueue(note{})
	h.look(t.Context())
	if wants := h.wants(nil, false); len(wants) != 1 {
		t.Errorf("it wants %+v", wants)
	}
}

func TestAnnouncedIsTheAttemptThatIsDueAndWhenItIs(t *testing.T) {
	var end error
	handle := func(context.Context, *Job[note]) error { return end }
	h, b, _ := consumer(t, handle)
	runs := func(h *harness) { h.runDue() }
	for name, c := range map[string]struct {
		end  error
		then func(h *harness)
		want string // attempts and delays of the messages
	}{
		"a duplicate": {nil, func(h *harness) { h.enqueue(note{Key: "a duplicate"}) }, "[1 0s]"},
		"done":        {nil, runs, "[1 0s]"},
		"dead":        {Permanent(errBroken), runs, "[1 0s]"},
		"a retry":     {errBroken, runs, "[1 0s 2 30s]"},
		"snoozed":     {Snooze(time.Minute), runs, "[1 0s 2 1m0s]"},
		"interrupted": {errors.New("stopped"), func(h *harness) { h.stop(ErrStopped); h.runDue() }, "[1 0s 2 1ms]"},
		"crashed":     {nil, func(h *harness) { h.crash() }, "[1 0s 2 30s]"},
		"put back": {nil, func(h *harness) {
			h.exec("update "+jobTable+" set schema_hash = 's2', payload = ?", []byte(`{"currency":"EUR"}`))
			h.runDue()
		}, "[1 0s 1 1m0s]"},
	} {
		end, b.published = c.end, nil
		h.process = h.another(h.store, "process-1", handle) // which has not stopped
		h.exec("delete from " + jobTable)
		h.enqueue(note{Key: name})
		a := h.store.wakes.announcers[h.queue.name]
		a.sent.Wait()
		c.then(h)
		a.sent.Wait()
		var got []string
		ids := map[string]bool{}
		for _, m := range b.published {
			var a announcement
			if err := json.Unmarshal(m.body, &a); err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprint(a.Attempt, " ", m.delay))
			ids[m.id] = true
		}
		if fmt.Sprint(got) != c.want || len(ids) != len(got) {
			t.Errorf("%s: %v by %d ids, want %s", name, got, len(ids), c.want)
		}
	}
}

func TestQueuesWithABrokerAndWithoutWorkInTwoRunsOfOneStore(t *testing.T) {
	h, b := newAnnounced(t, fails(nil))
	b.copies = func(n int) int { return 1 + n%2 }
	h.queue.concurrency, h.queue.policy.poll = 1, 50*time.Millisecond
	queues := []*queueTable{h.queue}
	for name, connect := range map[string]string{"others": "ConnectOthers", "plain": ""} {
		q := *h.queue
		q.name, q.connect = name, connect
		queues = append(queues, &q)
		if connect != "" {
			if err := h.store.attach(&q, newMemoryBroker(), nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	for range cap(ended) {
		var workers []Worker
		for _, q := range queues {
			workers = append(workers, newWorker(q, func(context.Context, *Job[note]) error { return nil }))
		}
		go func() { ended <- Run(ctx, h.store, workers...) }()
	}
	const each = 20
	for range each {
		for _, q := range queues {
			if _, err := enqueueOne(t.Context(), h.store, nil, q, note{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	h.until("all have run", func() bool { return len(h.strings("select queue from "+ledgerTable)) == each*len(queues) })
	h.untilEmpty(b)
	stop()
	for range cap(ended) {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if got := h.strings("select count(distinct job_id) || ' ' || max(attempt) from " + ledgerTable); got[0] != fmt.Sprint(each*len(queues), " ", 1) {
		t.Errorf("jobs and attempts: %s", got[0])
	}
}
