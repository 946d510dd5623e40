//retryc:when broker

package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"
)

// memoryBroker is a broker whose faults are the test's.
type memoryBroker struct {
	copies  func(n int) int // of the n-th message; nil: one
	longest time.Duration

	mu        sync.Mutex
	n         int
	published []message
	came      map[string]int // how often each message has
	removed   int
	ready     []delivery
	delayed   []message
	inFlight  map[string]delivery
	deaf      bool // acknowledgements are lost
	down      bool
	changed   chan struct{}

	//retryc:if broker_message
	held     time.Duration // as hold has it
	extended int           // how often a message was
	backs    []time.Duration
	//retryc:end

	//retryc:if broker_dead
	dead []delivery
	//retryc:end
}

func newMemoryBroker() *memoryBroker {
	return &memoryBroker{longest: time.Hour, came: map[string]int{}, inFlight: map[string]delivery{}, changed: make(chan struct{}, 1)}
}

func (b *memoryBroker) longestDelay() time.Duration { return b.longest }
func (b *memoryBroker) close() error                { return nil }

func (b *memoryBroker) publish(_ context.Context, messages []message) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.down {
		return errors.New("the broker is down")
	}
	b.published = append(b.published, messages...)
	for _, m := range messages {
		if m.delay > b.longest {
			return fmt.Errorf("a delay of %v", m.delay)
		}
		if m.delay > 0 {
			b.delayed = append(b.delayed, m)
			continue
		}
		b.add(m)
	}
	return nil
}

func (b *memoryBroker) add(m message) {
	b.n++
	copies := 1
	if b.copies != nil {
		copies = b.copies(b.n)
	}
	for range copies {
		b.ready = append(b.ready, delivery{messageID: m.id, body: m.body})
	}
	b.stir()
}

func (b *memoryBroker) stir() {
	select {
	case b.changed <- struct{}{}:
	default:
	}
}

// release lets what is held back come now, and answers the delays that it had.
func (b *memoryBroker) release() (delays []time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range b.delayed {
		delays = append(delays, m.delay)
		b.add(m)
	}
	b.delayed = nil
	return delays
}

func (b *memoryBroker) receive(ctx context.Context, limit int) (got []delivery, err error) {
	for {
		b.mu.Lock()
		for len(b.ready) > 0 && len(got) < limit {
			m := b.ready[len(b.ready)-1] // the last first: no order is promised
			b.ready = b.ready[:len(b.ready)-1]
			b.n++
			m.count++
			b.came[m.messageID]++
			m.receipt = fmt.Sprint("receipt-", b.n)
			b.inFlight[m.receipt.(string)] = m
			got = append(got, m)
		}
		b.mu.Unlock()
		if len(got) > 0 {
			return got, nil
		}
		select {
		case <-b.changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (b *memoryBroker) acknowledge(_ context.Context, messages []delivery) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range messages {
		if b.deaf {
			b.ready = append(b.ready, b.inFlight[m.receipt.(string)])
			b.stir()
		}
		delete(b.inFlight, m.receipt.(string))
		b.removed++
	}
	if b.deaf {
		b.deaf = false
		return errors.New("the acknowledgement was lost")
	}
	return nil
}

func (b *memoryBroker) putBack(_ context.Context, m delivery, delay time.Duration) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.inFlight, m.receipt.(string))
	//retryc:if broker_message
	b.backs = append(b.backs, delay)
	//retryc:end
	time.AfterFunc(min(delay, 20*time.Millisecond), func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.ready = append(b.ready, m)
		b.stir()
	})
	return nil
}

func (b *memoryBroker) left() (ready, delayed, inFlight int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.ready), len(b.delayed), len(b.inFlight)
}

// announced is a harness on a broker. Its process has to be run.
func newAnnounced(t *testing.T, handle func(context.Context, *Job[note]) error) (*harness, *memoryBroker) {
	t.Helper()
	p := notePolicy()
	p.poll, p.grace = time.Hour, time.Second // what runs was announced
	h := newHarness(t, p, handle)
	h.queue.connect = "ConnectNotes"
	b := newMemoryBroker()
	if err := h.store.attach(h.queue, b, nil); err != nil {
		t.Fatal(err)
	}
	return h, b
}

// work runs the worker until the end of the test, or until the answer is called.
func (h *harness) work() (stop func()) {
	ctx, cancel := context.WithCancel(h.Context())
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, h.store, h.lanes[0].worker) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			h.Error(err)
		}
	})
	h.Cleanup(stop)
	return stop
}

func (h *harness) untilLedger(jobID string, want ...string) {
	h.Helper()
	h.until(fmt.Sprintf("the ledger has %q", want), func() bool { return slices.Equal(h.ledger(jobID), want) })
}

func (h *harness) untilEmpty(b *memoryBroker) {
	h.Helper()
	h.until("the broker has no message left", func() bool {
		ready, delayed, inFlight := b.left()
		return ready+delayed+inFlight == 0
	})
}

func TestAnnouncedJobRunsByItsMessageAndTheLedgerNamesIt(t *testing.T) {
	h, b := newAnnounced(t, func(context.Context, *Job[note]) error { return nil })
	h.work()
	var got []string
	h.until("a message begins one", func() bool { // the first may be what the worker finds as it starts
		h.untilLedger(h.enqueue(note{}).JobID, "1 ok done")
		got = h.strings("select length(message_id) || ' ' || delivery_count from " + ledgerTable + " where message_id is not null")
		return len(got) > 0
	})
	if got[0] != "36 1" {
		t.Errorf("message and count: %s", got[0])
	}
	h.untilEmpty(b)
}

func TestMessagesThatComeTwiceOrNotAtAllRunEachJobOnce(t *testing.T) {
	h, b := newAnnounced(t, func(context.Context, *Job[note]) error { return nil })
	h.queue.policy.poll = 50 * time.Millisecond
	b.copies = func(n int) int { return n % 3 } // every third is lost, every third comes twice
	h.work()
	var ids []string
	for range 60 {
		ids = append(ids, h.enqueue(note{}).JobID)
	}
	for _, id := range ids {
		h.untilLedger(id, "1 ok done")
	}
	h.untilEmpty(b)
}

func TestMessageThatComesEarlyIsSentAgainForTheRest(t *testing.T) {
	fail := true
	h, b := newAnnounced(t, func(context.Context, *Job[note]) error {
		if fail {
			fail = false
			return errBroken
		}
		return nil
	})
	b.longest = 12 * time.Second // of a rung of 30 s
	h.work()
	id := h.enqueue(note{}).JobID
	h.untilLedger(id, "1 transient unmatched retry")
	for _, want := range []time.Duration{12 * time.Second, 12 * time.Second, 6 * time.Second} {
		h.until("the job is announced", func() bool { _, delayed, inFlight := b.left(); return delayed == 1 && inFlight == 0 })
		h.advance(want)
		if got := b.release(); got[0] != want {
			t.Errorf("held back for %v, want %v", got[0], want)
		}
	}
	h.untilLedger(id, "1 transient unmatched retry", "2 ok done")
	h.untilEmpty(b)
}

func TestPayloadOfAnotherProgramIsOneJob(t *testing.T) {
	h, b := newAnnounced(t, func(context.Context, *Job[note]) error { return nil })
	b.copies = func(int) int { return 2 }
	h.work()
	for _, m := range []message{
		{id: "m-1", body: []byte(`{"key":"","text":"unkeyed"}`)},
		{id: "m-2", body: []byte(`{"key":"k","text":"keyed"}`)},
		{id: "m-3", body: []byte(`{"key":"k","text":"keyed"}`)},
		{id: "m-4\x00\xff", body: []byte("no payload \x00\xff")},
		{id: "", body: []byte(`{"text":"without an id"}`)},
		{id: "m-6", body: []byte(`{"retryc":1,"queue":"notes","job_id":"'","generation":1,"attempt":1}`)},
	} {
		if err := b.publish(t.Context(), []message{m}); err != nil {
			t.Fatal(err)
		}
	}
	h.until("all have run", func() bool { return len(h.strings("select 'x' from "+ledgerTable)) == 5 })
	h.untilEmpty(b)
	time.Sleep(20 * time.Millisecond)
	got := h.strings("select outcome || ' ' || count(*) from " + ledgerTable + " group by outcome order by 1")
	if want := []string{"ok 4", "permanent 1"}; !slices.Equal(got, want) { // one has no id: twice is two
		t.Errorf("attempts %q, want %q", got, want)
	}
	if raw := h.payload(h.strings("select job_id::text from " + jobTable + " where state = 'dead' and idempotency_key is not null")[0]); string(raw) != "no payload \x00\xff" {
		t.Errorf("the dead letter has %q", raw)
	}
}

func TestLostAcknowledgementRunsNothingTwice(t *testing.T) {
	h, b := newAnnounced(t, func(context.Context, *Job[note]) error { return nil })
	b.deaf = true
	h.work()
	id := h.enqueue(note{}).JobID
	h.untilLedger(id, "1 ok done")
	h.untilEmpty(b)
	h.wantLedger(id, "1 ok done")
}

func TestMessagesThatArriveWhileTheDatabaseIsDownComeAgain(t *testing.T) {
	h, b := newAnnounced(t, func(context.Context, *Job[note]) error { return nil })
	id := h.enqueue(note{}).JobID
	unlock := h.lock()
	h.work()
	time.Sleep(50 * time.Millisecond) // a claim fails, of the message or by a turn, after which messages wait
	unlock()
	h.untilLedger(id, "1 ok done")
	h.untilEmpty(b)
}

func TestBrokerThatIsDownCostsOnlyTime(t *testing.T) {
	h, b := newAnnounced(t, func(context.Context, *Job[note]) error { return nil })
	h.queue.policy.poll = 20 * time.Millisecond
	b.down = true
	h.work()
	h.untilLedger(h.enqueue(note{}).JobID, "1 ok done")
}

func TestStopPutsBackWhatWasNotClaimed(t *testing.T) {
	release := make(chan struct{})
	h, b := newAnnounced(t, func(context.Context, *Job[note]) error { <-release; return nil })
	h.queue.concurrency = 1
	stop := h.work()
	for range 3 {
		h.enqueue(note{})
	}
	h.until("one runs", func() bool { return len(h.strings("select 'x' from "+jobTable+" where state = 'running'")) == 1 })
	go func() { time.Sleep(20 * time.Millisecond); close(release) }()
	stop()
	h.until("two wait", func() bool { ready, _, inFlight := b.left(); return ready >= 2 && inFlight == 0 })
}

func TestAnnouncedSuspectRunsAlone(t *testing.T) {
	running, most := 0, 0
	var mu sync.Mutex
	h, b := newAnnounced(t, func(_ context.Context, job *Job[note]) error {
		mu.Lock()
		running++
		if job.Payload.Text == "suspect" && running > 1 {
			most = running
		}
		mu.Unlock()
		time.Sleep(5 * time.Millisecond)
		mu.Lock()
		running--
		mu.Unlock()
		return nil
	})
	suspect := h.enqueue(note{Text: "suspect"}).JobID
	h.crash()
	h.advance(h.queue.lease)
	for range 20 {
		h.enqueue(note{})
	}
	b.release()
	h.work()
	h.untilLedger(suspect, "1 transient crashed retry", "2 ok done")
	h.until("all have run", func() bool { return len(h.strings("select 'x' from "+ledgerTable)) == 22 })
	if most > 0 {
		t.Errorf("%d ran beside the suspect", most)
	}
}

func TestQueueWithoutItsBrokerIsRefused(t *testing.T) {
	h := newHarness(t, notePolicy(), func(context.Context, *Job[note]) error { return nil })
	worker := h.lanes[0].worker
	h.queue.connect = "ConnectNotes"
	if _, err := enqueueOne(t.Context(), h.store, nil, h.queue, note{}); err == nil {
		t.Error("an enqueue went through")
	}
	if err := Run(t.Context(), h.store, worker); err == nil {
		t.Error("a worker ran")
	}
}

func TestQueueIsConnectedWhileAnotherIsWorked(t *testing.T) {
	h, b := newAnnounced(t, func(context.Context, *Job[note]) error { return nil })
	h.work()
	connected := make(chan error, 1)
	go func() {
		for n := range 50 {
			other := *h.queue
			other.name = fmt.Sprint("another ", n)
			if err := h.store.attach(&other, newMemoryBroker(), nil); err != nil {
				connected <- err
				return
			}
		}
		connected <- nil
	}()
	for range 20 {
		h.untilLedger(h.enqueue(note{}).JobID, "1 ok done")
	}
	if err := <-connected; err != nil {
		t.Error(err)
	}
	h.untilEmpty(b)
}
