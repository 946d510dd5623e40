//retryc:when broker_message

package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// carriedConsumer is a process on a broker whose messages carry the jobs, and its lane. Neither its loop nor its consumer
// runs.
func carriedConsumer(t *testing.T, handle func(context.Context, *Job[note]) error) (*harness, *memoryBroker, *lane) {
	h, b := newCarried(t, handle)
	h.process = h.another(h.store, "process-1", handle)
	return h, b, h.lanes[0]
}

// come is what a consumer makes of all messages that wait.
func (h *harness) come(b *memoryBroker) []announced {
	h.Helper()
	messages, err := b.receive(h.Context(), 100)
	if err != nil {
		h.Fatal(err)
	}
	h.lanes[0].custody.take(messages)
	return h.read(h.Context(), h.lanes[0], messages)
}

func TestTwoPayloadsWithOneKeyThatComeTogetherRunAsWhatTheyAre(t *testing.T) {
	var ran []string
	h, b, l := carriedConsumer(t, func(_ context.Context, job *Job[note]) error { ran = append(ran, job.Payload.Text); return nil })
	for _, text := range []string{"first", "second"} {
		h.enqueue(note{Key: "k", Text: text})
	}
	h.slots(2, false)
	h.take(t.Context(), l, h.come(b))
	h.arrive(<-h.arrived)
	h.collect(<-h.ended)
	h.turn(t.Context(), true)
	h.answering.Wait()
	sum := h.strings("select encode(payload_sha256, 'hex') from " + ledgerTable)
	want := newJob{}.with(canonical(fmt.Appendf(nil, `{"key":"k","text":%q}`, ran[0]))).PayloadSHA256
	if len(ran) != 1 || !slices.Equal(sum, []string{want}) {
		t.Errorf("%q ran, and the ledger has another payload", ran)
	}
	if got := h.strings("select encode(payload, 'escape') from " + jobTable + " where state = 'scheduled'"); len(got) != 1 || strings.Contains(got[0], ran[0]) {
		t.Errorf("%q ran, and the other is %q", ran, got)
	}
}

// A job is in the table, or its message has it.
func TestMessageOfAJobThatIsSentBackBeforeItsPayloadIsThereIsKept(t *testing.T) {
	h, b, l := carriedConsumer(t, fails(nil))
	id := h.enqueue(note{Text: "a"}).JobID
	now := h.come(b)
	h.exec("update " + jobTable + " set generation = 2")
	h.slots(1, false)
	h.take(t.Context(), l, now)
	h.arrive(<-h.arrived)
	h.untilEmpty(b)
	h.wantPayload(`{"key":"","text":"a"}`)
	h.wantState(id, "scheduled")
}

func TestPayloadOfAnotherMessageIsNotKeptForAJob(t *testing.T) {
	h, b, _ := carriedConsumer(t, fails(nil))
	h.enqueue(note{Key: "k", Text: "first"})
	first := h.come(b)
	h.queue.carried = false
	other := *first[0].job
	if err := h.store.admit(t.Context(), h.queue, []newJob{other.with([]byte(`{"key":"k","text":"second"}`))}); err != nil {
		t.Fatal(err)
	}
	h.wantPayload("")
	if err := h.store.admit(t.Context(), h.queue, []newJob{other}); err != nil {
		t.Fatal(err)
	}
	h.wantPayload(`{"key":"k","text":"first"}`)
	h.exec("update " + jobTable + " set state = 'done', payload = ''") // which needs none
	if err := h.store.admit(t.Context(), h.queue, []newJob{other}); err != nil {
		t.Fatal(err)
	}
	if got := h.payload(other.JobID); len(got) > 0 {
		t.Errorf("a job that is done has the payload %s", got)
	}
}

func TestPayloadOfAnotherMessageBeginsNoJob(t *testing.T) {
	h, b, l := carriedConsumer(t, fails(nil))
	id := h.enqueue(note{Key: "k", Text: "first"}).JobID
	h.come(b)
	h.enqueue(note{Key: "k", Text: "second"})
	h.slots(1, false)
	h.take(t.Context(), l, h.come(b))
	if h.arrive(<-h.arrived); h.running() != 0 {
		t.Error("it runs")
	}
	h.wantState(id, "scheduled")
	if got := h.strings("select encode(payload, 'escape') from " + jobTable + " where octet_length(payload) > 0"); !slices.Equal(got, []string{`{"key":"k","text":"second"}`}) {
		t.Errorf("payloads %q", got)
	}
}

// The statement that would add it began before the end was there to be seen.
func TestMessageThatComesWhileItsJobEndsRunsNothing(t *testing.T) {
	h, b, _ := carriedConsumer(t, fails(nil))
	h.enqueue(note{Text: "a"})
	job := *h.come(b)[0].job
	tx, rollBack := h.beginTx()
	defer rollBack()
	for _, q := range []string{
		"insert into " + ledgerTable + " (job_id, attempt, queue, generation, outcome, attempted_at, decision, payload_sha256, started_at, lease_token, worker, policy_hash)" +
			" select job_id, 1, queue, 1, 'ok', created_at, 'done', payload_sha256, created_at, 't', 'w', 'p' from " + jobTable,
		"delete from " + jobTable,
	} {
		if err := execTx(t.Context(), tx, q); err != nil {
			t.Fatal(err)
		}
	}
	config := h.store.pool.Config()
	config.ConnConfig.RuntimeParams["lock_timeout"], config.ConnConfig.RuntimeParams["application_name"] = "20s", "patient"
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	patient := newStore(pool, statements, h.store.clock)
	added := make(chan error, 1)
	go func() { added <- patient.admit(t.Context(), h.queue, []newJob{job}) }()
	h.until("it waits for the end", func() bool {
		return len(h.strings("select pid::text from pg_stat_activity where wait_event_type = 'Lock' and application_name = 'patient'")) > 0
	})
	if err := commitTx(t.Context(), tx); err != nil {
		t.Fatal(err)
	}
	if err := <-added; err != nil {
		t.Fatal(err)
	}
	if rows := h.strings("select state from " + jobTable); len(rows) > 0 {
		t.Errorf("a job that is over is %q again", rows)
	}
}

func TestJobsThatRunAloneOfTheTableAndOfMessagesWaitForOneAnother(t *testing.T) {
	h, _, l := carriedConsumer(t, fails(nil))
	h.unannounced(note{}) // the table has its payload
	h.exec("update " + jobTable + " set run_alone = true")
	a := &ask{lane: l, n: 1, slots: make(chan int, 1), alone: true}
	l.asking, h.loneDue = a, true
	if h.grant(false); len(a.slots) > 0 {
		t.Error("the message has the slot that the job of the table is to have")
	}
	h.turn(t.Context(), false)
	if h.running() != 1 {
		t.Fatal("the job of the table does not begin")
	}
	h.collect(<-h.ended)
	for range 2 {
		h.turn(t.Context(), false)
	}
	if h.grant(false); len(a.slots) != 1 || h.running() != 0 {
		t.Error("the message waits for ever")
	}
}

func TestTwoQueuesWhoseMessagesHaveToRunAloneTakeTurns(t *testing.T) {
	h, _, l := carriedConsumer(t, fails(nil))
	q := *h.queue
	q.name = "others"
	other := &lane{worker: l.worker, queue: &q, broker: newMemoryBroker()}
	h.lanes = append(h.lanes, other)
	first, second := &ask{lane: l, n: 1, slots: make(chan int, 1), alone: true}, &ask{lane: other, n: 1, slots: make(chan int, 1), alone: true}
	l.asking, other.asking, l.more = first, second, false
	if h.grant(false); len(first.slots) != 1 || len(second.slots) != 0 {
		t.Fatalf("%d and %d have slots", len(first.slots), len(second.slots))
	}
	if h.grant(false); len(second.slots) != 0 {
		t.Error("two run alone at once")
	}
	h.arrive(arrival{lane: l, slots: 1, alone: true})
	if h.grant(false); len(second.slots) != 1 {
		t.Error("the second waits for ever")
	}
}

func TestMessageThatHasToRunAloneWaitsForAClaimThatIsOnItsWay(t *testing.T) {
	h, _, l := carriedConsumer(t, fails(nil))
	h.slots(1, false)
	a := &ask{lane: l, n: 1, slots: make(chan int, 1), alone: true}
	l.asking = a
	if h.grant(false); len(a.slots) > 0 {
		t.Error("it begins beside what is being claimed")
	}
	h.arrive(arrival{lane: l, slots: 1})
	if h.grant(false); len(a.slots) != 1 {
		t.Error("it waits for ever")
	}
}

func TestEndThatTheDatabaseRefusesHoldsUpNoMessageThatHasToRunAlone(t *testing.T) {
	h, b, l := carriedConsumer(t, fails(nil))
	h.enqueue(note{})
	h.slots(1, false)
	h.take(t.Context(), l, h.come(b))
	h.arrive(<-h.arrived)
	h.refuse("true")
	h.collect(<-h.ended)
	h.turn(t.Context(), true)
	if len(h.stubborn) != 1 {
		t.Fatalf("%d ends are refused", len(h.stubborn))
	}
	a := &ask{lane: l, n: 1, slots: make(chan int, 1), alone: true}
	l.asking = a
	if h.grant(false); len(a.slots) != 1 {
		t.Error("it waits for ever, and all others for it")
	}
}

func TestMessagesOfAFullProcessAreLeftToOthersAfterALease(t *testing.T) {
	h, _, l := carriedConsumer(t, fails(nil))
	h.queue.concurrency = 0
	a := &ask{lane: l, n: 2, slots: make(chan int, 1), since: time.Now().Add(-h.queue.lease / 2)}
	l.asking = a
	if h.grant(false); len(a.slots) > 0 {
		t.Error("they are left after half a lease")
	}
	a.since = a.since.Add(-h.queue.lease)
	if h.grant(false); len(a.slots) != 1 || <-a.slots != 0 || l.asking != nil {
		t.Error("they are kept")
	}
	peek := &ask{lane: l, n: 2, peek: true, slots: make(chan int, 1)}
	l.asking = peek
	if h.grant(false); len(peek.slots) > 0 {
		t.Error("one that has no message yet is sent away")
	}
}

func TestMessagesAreNotDrainedWhileTheDatabaseIsDown(t *testing.T) {
	h, b, l := carriedConsumer(t, fails(nil))
	h.queue.policy.poll = time.Hour
	for range 3 {
		h.enqueue(note{})
	}
	messages, err := b.receive(t.Context(), 3)
	if err != nil {
		t.Fatal(err)
	}
	defer h.lock()()
	ctx, stop := context.WithCancel(t.Context())
	read := make(chan int, 1)
	go func() { read <- len(h.read(ctx, l, messages)) }()
	h.until("they are put back", func() bool { b.mu.Lock(); defer b.mu.Unlock(); return len(b.backs) == 3 })
	time.Sleep(20 * time.Millisecond)
	if len(read) > 0 {
		t.Error("the next are taken at once")
	}
	stop()
	if n := <-read; n != 0 {
		t.Errorf("%d can be claimed", n)
	}
}

func TestMessageWhoseJobTurnsOutToBeInTheTableIsAnswered(t *testing.T) {
	h, b, l := carriedConsumer(t, fails(nil))
	h.enqueue(note{Text: "a"})
	a := h.come(b)[0]
	h.exec("update " + jobTable + " set run_alone = true, payload = '{}'::bytea") // since it was looked at
	go func() { ask := <-h.asks; ask.slots <- 1 }()
	h.takeAlone(t.Context(), l, a)
	if got := <-h.arrived; len(got.jobs) != 1 {
		t.Fatalf("claimed %+v (%v)", got.jobs, got.err)
	}
	if held := l.custody.all(); len(held) > 0 {
		t.Errorf("%d messages are kept for ever", len(held))
	}
}

func TestEarlyMessageThatCannotBeSentAgainIsPutBack(t *testing.T) {
	h, b, l := carriedConsumer(t, fails(nil))
	h.enqueue(note{Text: "a"})
	now := h.come(b)
	h.exec("update " + jobTable + " set payload = '{}'::bytea, next_run_at = next_run_at + interval '1 minute'")
	b.mu.Lock()
	b.down = true
	b.mu.Unlock()
	h.slots(1, false)
	h.take(t.Context(), l, now)
	h.arrive(<-h.arrived)
	if held := l.custody.all(); len(held) > 0 {
		t.Errorf("%d messages are kept for ever", len(held))
	}
	h.until("it is back", func() bool { ready, _, inFlight := b.left(); return ready == 1 && inFlight == 0 })
}

func TestKeyThatLooksLikeAContradictionIsNone(t *testing.T) {
	for _, key := range []string{contradicts, contradicts + "short", "plain"} {
		c := claimed{key: key}
		if err := contained(func() error { _ = c.contradiction(); return nil }); err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
	c := claimed{key: contradicts + randomID() + `","payload_sha256":""}`}
	if err := c.contradiction(); !errors.Is(err, errInvalid) {
		t.Errorf("%v", err)
	}
}

// Before the queue's messages carried its jobs, a row had the payload's own bytes.
func TestSamePayloadInOtherBytesIsNoContradiction(t *testing.T) {
	h, b, l := carriedConsumer(t, fails(nil))
	l.worker = newWorker(h.queue, func(context.Context, *Job[swapped]) error { return nil })
	h.queue.carried = false
	if _, err := enqueueOne(t.Context(), h.store, nil, h.queue, swapped{"x", "k"}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.receive(t.Context(), 1); err != nil { // its announcement
		t.Fatal(err)
	}
	h.runDue()
	h.queue.carried = true
	if _, err := enqueueOne(t.Context(), h.store, nil, h.queue, swapped{"x", "k"}); err != nil {
		t.Fatal(err)
	}
	h.slots(1, false)
	h.take(t.Context(), l, h.come(b))
	h.arrive(<-h.arrived)
	if rows := h.strings("select state from " + jobTable); !slices.Equal(rows, []string{"done"}) {
		t.Errorf("jobs %q", rows)
	}
}

// swapped is a payload whose fields are not in the order of their names.
type swapped struct {
	Text string `json:"text"`
	Key  string `json:"key"`
}

func (swapped) Validate() error { return nil }
func (s swapped) facts() facts  { return facts{key: []any{s.Key}} }
