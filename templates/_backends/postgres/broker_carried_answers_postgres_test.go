//retryc:when broker_message

package worker

import (
	"context"
	"slices"
	"testing"
	"time"
)

// taken has a consumer take all that waits.
func (h *harness) taken(b *memoryBroker) {
	h.Helper()
	now := h.come(b)
	if got := h.slots(len(now), false); got != len(now) {
		h.Fatalf("%d slots for %d messages", got, len(now))
	}
	h.take(h.Context(), h.lanes[0], now)
	h.arrive(<-h.arrived)
}

// takenAlone has a consumer take a message whose job has to run alone, while nothing runs.
func (h *harness) takenAlone(a announced) {
	l, granted := h.lanes[0], make(chan struct{})
	go func() {
		l.asking = <-h.asks
		h.grant(false)
		close(granted)
	}()
	h.takeAlone(h.Context(), l, a)
	<-granted
}

// landed waits for the end of an attempt, and for what its broker is told then.
func (h *harness) landed() {
	h.collect(<-h.ended)
	h.turn(h.Context(), true)
	h.answering.Wait()
}

// wantBack checks for how long each message was put back, that none was removed, and that none is kept in mind.
func (h *harness) wantBack(b *memoryBroker, want ...time.Duration) {
	h.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if held := h.lanes[0].custody.all(); !slices.Equal(b.backs, want) || b.removed != 0 || len(held) != 0 {
		h.Errorf("put back for %v, want %v; %d removed, %d in mind", b.backs, want, b.removed, len(held))
	}
}

// wantRemoved checks that all messages were removed, and that none is kept in mind.
func (h *harness) wantRemoved(b *memoryBroker, n int) {
	h.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if held := h.lanes[0].custody.all(); b.removed != n || len(b.backs) != 0 || len(held) != 0 {
		h.Errorf("%d removed, want %d; put back for %v, %d in mind", b.removed, n, b.backs, len(held))
	}
}

func TestMessageOfACarriedJobAsItsRowIsFound(t *testing.T) {
	for name, c := range map[string]struct {
		change string
		back   func(h *harness) time.Duration // 0: it is removed
	}{
		"early":                       {"next_run_at = next_run_at + interval '7 seconds'", func(*harness) time.Duration { return 7 * time.Second }},
		"running":                     {"state = 'running', attempt = 1, lease_token = 'another', worker = 'w', started_at = created_at, first_attempt_at = created_at, lease_until = created_at + interval '9 seconds'", func(*harness) time.Duration { return 9 * time.Second }},
		"running, its lease over":     {"state = 'running', attempt = 1, lease_token = 'another', worker = 'w', started_at = created_at, first_attempt_at = created_at, lease_until = created_at - interval '1 second'", func(h *harness) time.Duration { return h.queue.policy.poll }},
		"of a later generation, done": {"state = 'done', generation = 2", nil},
		"done":                        {"state = 'done'", nil},
		"dead, its payload there":     {"state = 'dead', dead_reason = 'crashes', dead_at = created_at, payload = '{}'", nil},
		"running, its payload there":  {"state = 'running', attempt = 1, lease_token = 'another', worker = 'w', started_at = created_at, first_attempt_at = created_at, lease_until = created_at + interval '9 seconds', payload = '{}'", nil},
		"in a retry, its payload there, which the poll begins": {"attempt = 1, payload = '{}'", nil},
	} {
		t.Run(name, func(t *testing.T) {
			h, b, _ := carriedConsumer(t, fails(nil))
			h.enqueue(note{Text: "a"})
			now := h.come(b)
			h.exec("update " + jobTable + " set " + c.change)
			h.slots(1, false)
			h.take(t.Context(), h.lanes[0], now)
			h.arrive(<-h.arrived)
			if h.running() != 0 {
				t.Error("it runs")
			}
			if c.back == nil {
				h.wantRemoved(b, 1)
			} else {
				h.wantBack(b, c.back(h))
			}
		})
	}
}

func TestMessageWhoseRowSomebodyHasJustNowComesSoon(t *testing.T) {
	h, b, l := carriedConsumer(t, fails(nil))
	id := h.enqueue(note{Text: "a"}).JobID
	now := h.come(b)
	defer h.held(id)()
	h.slots(1, false)
	h.take(t.Context(), l, now)
	h.arrive(<-h.arrived)
	h.wantBack(b, h.queue.policy.poll)
}

func TestMessageOfAJobThatTheTableHasIsRemovedAsItBegins(t *testing.T) {
	h, b, l := carriedConsumer(t, fails(nil))
	h.enqueue(note{Text: "a"})
	now := h.come(b)
	h.exec("update "+jobTable+" set payload = ?", []byte(`{"key":"","text":"a"}`))
	h.slots(1, false)
	h.take(t.Context(), l, now)
	h.arrive(<-h.arrived)
	if h.running() != 1 {
		t.Fatal("it does not begin")
	}
	h.wantRemoved(b, 1)
	h.landed()
	h.wantRemoved(b, 1)
}

// Whoever has the job needs its message.
func TestMessageOfAnAttemptWhoseLeaseWasLostIsPutBack(t *testing.T) {
	for name, err := range map[string]error{"done": nil, "failed": errBroken, "refused": Permanent(errBroken)} {
		t.Run(name, func(t *testing.T) {
			h, b, _ := carriedConsumer(t, fails(err))
			h.enqueue(note{Text: "a"})
			h.taken(b)
			h.exec("update " + jobTable + " set lease_token = 'another'")
			h.landed()
			h.wantBack(b, h.queue.policy.poll)
			h.wantPayload("")
		})
	}
}

func TestMessageIsPutBackForTheWaitOfItsJob(t *testing.T) {
	h, b, l := carriedConsumer(t, fails(errBroken))
	h.enqueue(note{Text: "a"})
	h.taken(b)
	h.landed()
	h.wantBack(b, 30*time.Second)
	h.store.wakes.announcer(h.queue.name).sent.Wait()
	if len(b.sent()) != 1 {
		t.Errorf("%d messages were published", len(b.sent()))
	}

	h.until("it is back", func() bool { ready, _, _ := b.left(); return ready == 1 })
	h.advance(time.Minute)
	l.worker = newWorker(h.queue, func(context.Context, *Job[newer]) error { return nil })
	h.exec("update " + jobTable + " set schema_hash = 's2'")
	h.taken(b)
	h.landed() // without an attempt: this program cannot run it
	h.wantBack(b, 30*time.Second, h.queue.lease)
}

// newer has a field that must be there.
type newer struct {
	Currency string `json:"currency"`
}

func (newer) Validate() error { return nil }
func (newer) facts() facts    { return facts{} }

func TestMessagesStayWhereTheDatabaseDoesNotTakeWhatTheyCarry(t *testing.T) {
	h, b, l := carriedConsumer(t, fails(nil))
	h.enqueue(note{Text: "a"})
	a := h.come(b)[0]
	unlock := h.lock()
	h.bury(l, a.delivery, *a.job, false)
	h.wantBack(b, h.queue.lease)
	unlock()

	h.until("it is back", func() bool { ready, _, _ := b.left(); return ready == 1 })
	a = h.come(b)[0]
	unlock = h.lock()
	h.contradict(t.Context(), l, a)
	h.wantBack(b, h.queue.lease, h.queue.lease)
	unlock()

	h.until("it is back again", func() bool { ready, _, _ := b.left(); return ready == 1 })
	a = h.come(b)[0]
	h.slots(1, false)
	unlock = h.lock()
	h.take(t.Context(), l, []announced{a})
	h.arrive(<-h.arrived)
	h.wantBack(b, h.queue.lease, h.queue.lease, h.queue.policy.poll)
	unlock()
}

func TestMessageOfAJobThatSomebodyElseRunsAloneIsPutBack(t *testing.T) {
	h, b, _ := carriedConsumer(t, fails(nil))
	h.enqueue(note{Text: "a"})
	a := h.come(b)[0]
	h.exec("update " + jobTable + " set state = 'running', attempt = 1, lease_token = 'another', worker = 'w', started_at = created_at, first_attempt_at = created_at, lease_until = created_at")
	h.takenAlone(a)
	h.arrive(<-h.arrived)
	h.wantBack(b, h.queue.policy.poll)
	if h.alone || h.slots(1, false) != 1 {
		t.Error("all others wait for ever")
	}
}

func TestNothingBeginsBesideAMessageThatRunsAlone(t *testing.T) {
	h, b, l := carriedConsumer(t, fails(nil))
	h.turn(t.Context(), false)
	h.enqueue(note{Text: "a"})
	a := h.come(b)[0]
	h.exec("update " + jobTable + " set run_alone = true")
	h.takenAlone(a)
	if got := h.slots(1, false); got != -1 {
		t.Errorf("%d slots while it is claimed", got)
	}
	h.arrive(<-h.arrived)
	if got := h.slots(1, false); got != -1 || h.running() != 1 {
		t.Errorf("%d slots beside it", got)
	}
	h.unannounced(note{})
	h.claimAll()
	l.more = true
	if wants := h.wants(nil, false); len(wants) > 0 {
		t.Errorf("it wants %+v beside it", wants)
	}
	h.landed()
	h.wantRemoved(b, 1)
	if got := h.slots(1, false); got != 1 {
		t.Errorf("%d slots after it", got)
	}
}

func TestQueueOfTheTableWaitsForAMessageThatIsToRunAlone(t *testing.T) {
	h, _, l := carriedConsumer(t, fails(nil))
	h.unannounced(note{})
	l.more = true
	l.asking = &ask{lane: l, n: 1, slots: make(chan int, 1), alone: true}
	if wants := h.wants(nil, false); len(wants) > 0 {
		t.Errorf("it wants %+v", wants)
	}
	h.exec("update " + jobTable + " set run_alone = true")
	h.loneDue = true
	if wants := h.wants(nil, false); len(wants) != 1 || !wants[0].alone {
		t.Errorf("beside one of the table that has to run alone it wants %+v", wants)
	}
}

func TestStoppedProcessAnswersWhatHasEndedAndLetsGoOfTheRest(t *testing.T) {
	h, b, l := carriedConsumer(t, fails(nil))
	h.enqueue(note{})
	m := h.come(b)[0].delivery
	h.answering.Go(func() { time.Sleep(20 * time.Millisecond); h.acknowledge(l, m) })
	h.letGo()
	h.wantRemoved(b, 1)

	h, b, _ = carriedConsumer(t, fails(nil))
	h.enqueue(note{})
	h.come(b)
	h.letGo()
	h.wantBack(b, 0)
}

func TestMessagesOfAStoppedConsumerAreForOthers(t *testing.T) {
	h, b, l := carriedConsumer(t, fails(nil))
	for range 3 {
		h.enqueue(note{})
	}
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		(<-h.asks).slots <- 3 // it peeks
		ask := <-h.asks
		stop()
		ask.slots <- 0
	}()
	h.consume(ctx, l)
	h.wantBack(b, 0, 0, 0)

	h, b, l = carriedConsumer(t, fails(nil))
	h.enqueue(note{})
	h.takeAlone(ctx, l, h.come(b)[0])
	h.wantBack(b, 0)
}

func TestPayloadOfAQueueThatNoLongerCarriesIsKeptForItsJobInItsOwnBytes(t *testing.T) {
	h, b, l := carriedConsumer(t, fails(nil))
	l.worker = newWorker(h.queue, func(context.Context, *Job[swapped]) error { return nil })
	body := []byte(`{"key":"k",  "text":"a"}`)
	send := func() {
		t.Helper()
		if err := b.publish(t.Context(), []message{{id: "m-1", body: body}}); err != nil {
			t.Fatal(err)
		}
	}
	send()
	h.come(b)
	h.wantPayload("")
	h.queue.carried = false
	send()
	h.come(b)
	h.wantPayload(`{"text":"a","key":"k"}`)
}

func TestMessageSaysWithWhichPayloadItsProducerWasBuilt(t *testing.T) {
	h, b, _ := carriedConsumer(t, fails(nil))
	h.queue.schema = "of the producer"
	h.enqueue(note{})
	h.queue.schema = "s1"
	h.come(b)
	if got := h.strings("select schema_hash from " + jobTable); !slices.Equal(got, []string{"of the producer"}) {
		t.Errorf("schemas %q", got)
	}
}

func TestBytesThatAreNoJSONAreOneJobHoweverOftenTheyComeWithoutAnID(t *testing.T) {
	h, b, _ := carriedConsumer(t, fails(nil))
	for _, body := range []string{"no payload", "no payload", "another"} {
		if err := b.publish(t.Context(), []message{{body: []byte(body)}}); err != nil {
			t.Fatal(err)
		}
	}
	h.come(b)
	if got := h.strings("select job_id::text from " + jobTable); len(got) != 2 {
		t.Errorf("%d jobs", len(got))
	}
}

func TestMessageThatCannotBeGivenAnIDComesAgain(t *testing.T) {
	h, b, _ := carriedConsumer(t, fails(nil))
	if err := b.publish(t.Context(), []message{{body: []byte(`{"text":"a"}`)}}); err != nil {
		t.Fatal(err)
	}
	b.down = true
	if now := h.come(b); len(now) > 0 {
		t.Errorf("%d are to be claimed", len(now))
	}
	h.wantBack(b, h.queue.lease)
}
