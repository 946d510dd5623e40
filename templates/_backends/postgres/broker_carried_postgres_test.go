//retryc:when broker_message

package worker

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

// newCarried is a harness on a broker whose messages carry the jobs. Its process has to be run.
func newCarried(t *testing.T, handle func(context.Context, *Job[note]) error) (*harness, *memoryBroker) {
	t.Helper()
	p := notePolicy()
	p.poll, p.grace = 20*time.Millisecond, time.Second
	h := newHarness(t, p, handle)
	h.queue.connect, h.queue.carried = "ConnectNotes", true
	b := newMemoryBroker()
	if err := h.store.attach(h.queue, b, nil); err != nil {
		t.Fatal(err)
	}
	return h, b
}

// once fails the first attempt of each job.
func once(_ context.Context, job *Job[note]) error {
	if job.Attempt == 1 {
		return errBroken
	}
	return nil
}

func (h *harness) wantPayload(want string) {
	h.Helper()
	if got := h.strings("select encode(payload, 'escape') from " + jobTable + " where state <> 'done'"); !slices.Equal(got, []string{want}) {
		h.Errorf("payloads in the table: %q, want %q", got, want)
	}
}

func TestCarriedJobIsRemovedFromItsBrokerLast(t *testing.T) {
	begun, release := make(chan string), make(chan struct{})
	h, b := newCarried(t, func(_ context.Context, job *Job[note]) error { begun <- job.Payload.Text; <-release; return nil })
	longest := h.queue.timeout + h.queue.lease
	h.queue.lease = 60 * time.Millisecond
	id := h.enqueue(note{Text: "a"}).JobID
	if rows := h.strings("select state from " + jobTable); len(rows) != 0 {
		t.Errorf("an enqueue has made the rows %q", rows)
	}
	h.work()
	if text := <-begun; text != "a" {
		t.Errorf("payload %q", text)
	}
	h.wantPayload("")
	h.until("the message is kept from others", func() bool { b.mu.Lock(); defer b.mu.Unlock(); return b.extended > 1 })
	if _, _, inFlight := b.left(); inFlight != 1 {
		t.Errorf("%d messages are in flight", inFlight)
	}
	close(release)
	h.untilLedger(id, "1 ok done")
	h.untilEmpty(b)
	if b.held != longest {
		t.Errorf("held for %v", b.held)
	}
}

func TestCarriedJobIsPutBackForItsRetry(t *testing.T) {
	h, b := newCarried(t, once)
	h.work()
	id := h.enqueue(note{Text: "a"}).JobID
	h.untilLedger(id, "1 transient unmatched retry")
	h.until("it has come early, and was put back", func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return len(b.came) == 1 && slices.ContainsFunc(b.backs, func(d time.Duration) bool { return d == 30*time.Second })
	})
	h.wantPayload("")
	h.advance(30 * time.Second)
	h.untilLedger(id, "1 transient unmatched retry", "2 ok done")
	h.untilEmpty(b)
	if len(b.sent()) != 1 {
		t.Errorf("%d messages were published", len(b.sent()))
	}
}

func TestDeadCarriedJobHasItsPayloadInTheTable(t *testing.T) {
	h, b := newCarried(t, func(context.Context, *Job[note]) error { return Permanent(errBroken) })
	stop := h.work()
	id := h.enqueue(note{Text: "a"}).JobID
	h.untilLedger(id, "1 permanent marked dead permanent")
	h.untilEmpty(b)
	stop()
	h.wantPayload(`{"key":"","text":"a"}`)

	h.exec("update " + jobTable + " set payload = ''::bytea") // as if the process had died before it could keep it
	if err := b.publish(t.Context(), b.sent()[:1]); err != nil {
		t.Fatal(err)
	}
	h.work()
	h.untilEmpty(b)
	h.wantPayload(`{"key":"","text":"a"}`)
	h.wantLedger(id, "1 permanent marked dead permanent")
}

func TestMessageOfACarriedJobThatIsOverRunsNothing(t *testing.T) {
	for _, n := range []note{{Text: "a"}, {Key: "k", Text: "a"}} {
		h, b := newCarried(t, func(context.Context, *Job[note]) error { return nil })
		b.deaf = true // to the first acknowledgement
		h.work()
		id := h.enqueue(n).JobID
		h.untilLedger(id, "1 ok done")
		h.untilEmpty(b)
		if err := b.publish(t.Context(), b.sent()[:1]); err != nil {
			t.Fatal(err)
		}
		h.untilEmpty(b)
		h.wantLedger(id, "1 ok done")
	}
}

func TestSecondMessageOfACarriedJobThatRunsIsKept(t *testing.T) {
	begun, release := make(chan struct{}), make(chan struct{})
	h, b := newCarried(t, func(context.Context, *Job[note]) error { begun <- struct{}{}; <-release; return nil })
	b.copies = func(int) int { return 2 }
	h.work()
	id := h.enqueue(note{}).JobID
	<-begun
	h.until("the second has been put back", func() bool { b.mu.Lock(); defer b.mu.Unlock(); return len(b.backs) > 1 })
	if n := b.acknowledged(); n != 0 {
		t.Errorf("%d messages were removed", n)
	}
	close(release)
	h.untilLedger(id, "1 ok done")
	h.untilEmpty(b)
	h.wantLedger(id, "1 ok done")
}

func TestCarriedJobsOfAProcessThatDiesRunAgainByThemselves(t *testing.T) {
	var running, most atomic.Int64
	h, b := newCarried(t, func(_ context.Context, job *Job[note]) error {
		if n := running.Add(1); job.Payload.Text == "suspect" && n > 1 {
			most.Store(n)
		}
		time.Sleep(5 * time.Millisecond)
		running.Add(-1)
		return nil
	})
	l := h.lanes[0]
	suspect := h.enqueue(note{Text: "suspect"}).JobID
	messages, err := b.receive(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	jobs, _, err := h.claimNamed(l, h.read(t.Context(), l, messages), false)
	if err != nil || len(jobs) != 1 || len(jobs[0].payload) > 0 {
		t.Fatalf("claimed %+v: %v", jobs, err)
	}
	h.advance(h.queue.lease + time.Second) // the claim's process has died
	if err := b.putBack(t.Context(), messages[0], 0); err != nil {
		t.Fatal(err)
	}
	h.work()
	for range 20 {
		h.enqueue(note{})
	}
	h.until("the crash is on record", func() bool { return len(h.ledger(suspect)) == 1 })
	h.advance(30 * time.Second)
	for range 20 {
		h.enqueue(note{})
	}
	h.untilLedger(suspect, "1 transient crashed retry", "2 ok done")
	h.until("all have run", func() bool { return len(h.strings("select 'x' from "+ledgerTable)) == 42 })
	h.untilEmpty(b)
	if n := most.Load(); n > 0 {
		t.Errorf("%d ran beside the suspect", n)
	}
}

func TestCarriedJobWithTheKeyOfAnotherAndADifferentPayloadIsNotRun(t *testing.T) {
	h, b := newCarried(t, once)
	h.work()
	id := h.enqueue(note{Key: "k", Text: "first"}).JobID
	h.untilLedger(id, "1 transient unmatched retry")
	h.enqueue(note{Key: "k", Text: "second"})
	h.until("the second is a dead letter", func() bool {
		return slices.Equal(h.strings("select last_class || ' ' || encode(payload, 'escape') from "+jobTable+" where state = 'dead'"), []string{`invalid {"key":"k","text":"second"}`})
	})
	if err := b.publish(t.Context(), b.sent()[1:]); err != nil { // and comes once more
		t.Fatal(err)
	}
	h.until("only the first is left at the broker", func() bool { ready, _, inFlight := b.left(); return ready+inFlight == 1 && b.acknowledged() == 2 })
	h.advance(30 * time.Second)
	h.untilLedger(id, "1 transient unmatched retry", "2 ok done")
	h.untilEmpty(b)
	if n := len(h.strings("select 'x' from " + ledgerTable)); n != 3 {
		t.Errorf("%d attempts", n)
	}
}

func TestPayloadsOfOtherProgramsAreCarriedAsTheyAre(t *testing.T) {
	h, b := newCarried(t, once)
	b.copies = func(int) int { return 2 }
	h.work()
	for id, body := range map[string]string{
		"m-1": `{"key":"","text":"unkeyed"}`,
		"m-2": `{"key":"k","text":"keyed"}`,
		"m-3": `{"text":"keyed",  "key":"k"}`, // the same in other bytes
		"m-4": "no payload \x00\xff",
		"":    `{"text":"without an id"}`, // sent again with one, and so are both copies
	} {
		if err := b.publish(t.Context(), []message{{id: id, body: []byte(body)}}); err != nil {
			t.Fatal(err)
		}
	}
	attempts := func(n int) func() bool {
		return func() bool { return len(h.strings("select 'x' from "+ledgerTable)) == n }
	}
	h.until("all have run", attempts(5))
	h.advance(30 * time.Second)
	h.until("those that failed have run again", attempts(9))
	h.untilEmpty(b)
	h.wantPayload(`no payload \000\377`)
}

func TestQueueThatChangesHowItsPayloadsTravelLosesNone(t *testing.T) {
	h, b := newCarried(t, once)
	stop := h.work()
	carried := h.enqueue(note{Text: "a"}).JobID
	h.untilLedger(carried, "1 transient unmatched retry")
	stop()
	h.queue.carried = false
	stop = h.work()
	row := h.enqueue(note{Text: "b"}).JobID
	h.untilLedger(row, "1 transient unmatched retry")
	h.until("the table has both payloads", func() bool {
		return len(h.strings("select 'x' from "+jobTable+" where octet_length(payload) > 0")) == 2
	})
	stop()
	h.queue.carried = true
	h.work()
	h.advance(30 * time.Second)
	for _, id := range []string{carried, row} {
		h.untilLedger(id, "1 transient unmatched retry", "2 ok done")
	}
	b.release()
	h.untilEmpty(b)
}

func TestCarriedJobsAreKeptThroughAStopAndADatabaseThatIsDown(t *testing.T) {
	begun, release := make(chan struct{}, 9), make(chan struct{})
	h, b := newCarried(t, func(context.Context, *Job[note]) error { begun <- struct{}{}; <-release; return nil })
	h.queue.concurrency = 1
	var ids []string
	for range 3 {
		ids = append(ids, h.enqueue(note{}).JobID)
	}
	unlock := h.lock()
	stop := h.work()
	time.Sleep(50 * time.Millisecond)
	unlock()
	<-begun
	go func() { time.Sleep(20 * time.Millisecond); close(release) }()
	stop()
	h.until("the others wait at the broker", func() bool { ready, _, inFlight := b.left(); return ready == 2 && inFlight == 0 })
	h.work()
	for _, id := range ids {
		h.untilLedger(id, "1 ok done")
	}
	h.untilEmpty(b)
}

func TestEnqueueOfACarriedJobTellsOfABrokerThatIsDown(t *testing.T) {
	h, b := newCarried(t, func(context.Context, *Job[note]) error { return nil })
	b.down = true
	if r, err := enqueueOne(t.Context(), h.store, nil, h.queue, note{}); err == nil {
		t.Errorf("receipt %+v", r)
	}
	b.down = false
	twice, err := enqueueMany(t.Context(), h.store, nil, h.queue, []note{{Key: "k"}, {Key: "k", Text: "another"}})
	if err != nil || twice[0].Duplicate || !twice[1].Duplicate || twice[1].SamePayload || len(b.sent()) != 1 {
		t.Errorf("%+v: %v", twice, err)
	}
}

func TestStatsHaveTheMessagesThatCarryJobs(t *testing.T) {
	h, _ := newCarried(t, func(context.Context, *Job[note]) error { return nil })
	for range 3 {
		h.enqueue(note{})
	}
	all, err := h.store.Stats(t.Context())
	if err != nil || len(all) != 1 || all[0].Queue != "notes" || all[0].Messages != 3 || all[0].Scheduled != 0 {
		t.Errorf("%+v: %v", all, err)
	}
}

func TestCanonicalPayloads(t *testing.T) {
	for raw, want := range map[string]string{
		` {"b": 1.50, "a": [1, 12345678901234567890]} `: `{"a":[1,12345678901234567890],"b":1.50}`,
		`{"a":1} x`: `{"a":1} x`,
		"":          "",
		`{"a":"é"}`: fmt.Sprintf(`{"a":%q}`, "é"),
	} {
		if got := string(canonical([]byte(raw))); got != want {
			t.Errorf("%s: %s, want %s", raw, got, want)
		}
	}
}
