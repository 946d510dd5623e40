//retryc:when broker

package worker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// consumer is a process on a broker, and its lane. Neither its loop nor its consumer runs.
func consumer(t *testing.T, handle func(context.Context, *Job[note]) error) (*harness, *memoryBroker, *lane) {
	h, b := newAnnounced(t, handle)
	h.process = h.another(h.store, "process-1", handle)
	return h, b, h.lanes[0]
}

// slots asks for some, and answers how many there are now; -1: it has to wait.
func (h *harness) slots(n int, stopping bool) int {
	l := h.lanes[0]
	a := &ask{lane: l, n: n, slots: make(chan int, 1)}
	//retryc:if broker_message
	a.since = time.Now()
	//retryc:end
	l.asking = a
	h.grant(stopping)
	select {
	case n := <-a.slots:
		return n
	default:
		l.asking = nil
		return -1
	}
}

func (h *harness) announcement(jobID string) announced {
	return announced{announcement{1, h.queue.name, jobID, 1, 1}, delivery{receipt: ""}, nil}
}

func TestSlotsOfAClaimComeBackHoweverItEnds(t *testing.T) {
	h, _, l := consumer(t, fails(nil))
	h.queue.concurrency = 5
	for _, err := range []error{nil, errBroken} {
		if got := h.slots(9, false); got != 5 || h.out != 1 {
			t.Fatalf("%d slots, %d under way", got, h.out)
		}
		if got := h.slots(1, false); got != -1 {
			t.Errorf("%d slots beside all", got)
		}
		h.arrive(arrival{lane: l, slots: 5, err: err})
		if l.reserved != 0 || h.out != 0 {
			t.Errorf("%v: %d reserved, %d under way", err, l.reserved, h.out)
		}
	}
}

func TestClaimOfMessagesThatFailsHoldsUpTheNextOnlyForAWhile(t *testing.T) {
	h, _, l := consumer(t, fails(nil))
	h.turn(t.Context(), false) // nothing is due
	h.slots(1, false)
	h.arrive(arrival{lane: l, slots: 1, err: errors.New("the connection is gone")})
	if got := h.slots(1, false); got != -1 || h.failing == 0 || !h.astray {
		t.Errorf("%d slots, %d failures, astray %t", got, h.failing, h.astray)
	}
	h.turn(t.Context(), false) // which the loop does after a while
	if got := h.slots(1, false); got != 1 {
		t.Errorf("%d slots of a database that answers", got)
	}
}

func TestConsumerThatWaitsForSlotsIsToldOfTheStop(t *testing.T) {
	h, _, l := consumer(t, fails(nil))
	stopped, stop := context.WithCancel(t.Context())
	stop()
	a := &ask{lane: l, n: 1, slots: make(chan int, 1)}
	l.asking, h.failing = a, 1
	h.loop(stopped, nil)
	select {
	case n := <-a.slots:
		if n != 0 {
			t.Errorf("%d slots of a process that stops", n)
		}
	default:
		t.Error("it waits for ever, and Run for it")
	}
}

func TestMessagesWhoseClaimHasNoAnswerAreNoAttempt(t *testing.T) {
	h, b, l := consumer(t, fails(nil))
	cut := h.cuttable()
	if err := h.process.store.attach(h.queue, b, nil); err != nil {
		t.Fatal(err)
	}
	id := h.unannounced(note{})
	h.take(t.Context(), l, []announced{h.announcement(randomID())}) // prepares its statements
	h.arrive(<-h.arrived)

	h.slots(1, false)
	cut.Store(true)
	h.take(t.Context(), l, []announced{h.announcement(id)})
	h.arrive(<-h.arrived)
	h.wantState(id, "running")
	h.turn(t.Context(), true)
	h.wantState(id, "scheduled")
	if got := h.strings("select attempt || ' ' || crashes from " + jobTable); got[0] != "0 0" {
		t.Errorf("attempt and crashes are %s", got[0])
	}
	h.until("its message is back", func() bool { ready, _, _ := b.left(); return ready == 1 })
}

func TestMessagesThatAreNoneOfOurs(t *testing.T) {
	h, _, l := consumer(t, fails(nil))
	id := randomID()
	body := func(version int, queue, id string, generation, attempt any) string {
		return fmt.Sprintf(`{"retryc":%d,"queue":%q,"job_id":%q,"generation":%v,"attempt":%v}`, version, queue, id, generation, attempt)
	}
	for body, want := range map[string]string{
		body(1, "notes", id, 1, 1):                "announced",
		body(1, "notes", id, 2147483647, 1):       "announced",
		body(1, "notes", id, 2147483648, 1):       "removed", // no integer of the table
		body(1, "notes", id, 1, 2147483648):       "removed",
		body(1, "notes", id, 1, "1e99"):           "removed",
		body(1, "notes", id, 0, 1):                "removed",
		body(1, "notes", id+"\n", 1, 1):           "removed",
		`{"retryc":1}`:                            "removed",
		`{"retryc":1,"queue":5}`:                  "removed",
		`{"retryc":-1,"queue":"notes"}`:           "removed",
		body(1, "others", id, 1, 1):               "put back",
		body(2, "notes", "of a later form", 1, 1): "put back",
	} {
		b := newMemoryBroker()
		l.broker = b
		if err := b.publish(t.Context(), []message{{id: "m", body: []byte(body)}}); err != nil {
			t.Fatal(err)
		}
		messages, err := b.receive(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		got := "put back"
		switch pending := h.read(t.Context(), l, messages); {
		case len(pending) > 0:
			got = "announced"
			h.take(t.Context(), l, pending)
			if a := <-h.arrived; a.err != nil {
				t.Errorf("%s: %v", body, a.err)
			}
		case b.removed > 0:
			got = "removed"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
	if jobs := h.strings("select job_id from " + jobTable); len(jobs) != 0 {
		t.Errorf("%d jobs", len(jobs))
	}
}

// tagged is a payload with a tenant.
type tagged struct {
	Tenant string `json:"tenant"`
}

func (tagged) Validate() error { return nil }
func (p tagged) facts() facts  { return facts{tenant: p.Tenant} }

func TestPayloadThatTheTableCannotHoldIsABareMessage(t *testing.T) {
	h, _, l := consumer(t, fails(nil))
	l.worker = newWorker(h.queue, func(context.Context, *Job[tagged]) error { return nil })
	body := []byte(`{"tenant":"\u0000"}`)
	jobID := h.read(t.Context(), l, []delivery{{messageID: "m", body: body}})[0].JobID
	if got := h.payload(jobID); string(got) != string(body) {
		t.Errorf("payload %q", got)
	}
}

func TestPayloadWithAFieldThatThisProgramDoesNotKnowWaitsForOneThatDoes(t *testing.T) {
	h, _, l := consumer(t, fails(nil))
	body := []byte(`{"key":"k","text":"a","currency":"EUR"}`)
	jobID := h.read(t.Context(), l, []delivery{{messageID: "m", body: body}})[0].JobID
	if first := h.enqueue(note{Key: "k", Text: "a"}); first.JobID != jobID || !first.Duplicate {
		t.Errorf("%+v, want job %s", first, jobID)
	}
	h.runDue()
	h.wantLedger(jobID)
	h.wantState(jobID, "scheduled")
	if got := h.payload(jobID); string(got) != string(body) {
		t.Errorf("payload %q", got)
	}
}

func TestMessageOfAJobThatRunsAloneElsewhereHoldsUpNothing(t *testing.T) {
	h, b, l := consumer(t, fails(nil))
	id := h.enqueue(note{}).JobID
	h.crash()
	h.advance(h.queue.lease)
	for _, want := range []bool{true, false} { // it is due, and then another process runs it
		h.slots(1, false)
		a := h.announcement(id)
		a.Attempt = 2
		h.take(t.Context(), l, []announced{a})
		h.arrive(<-h.arrived)
		if h.loneDue != want {
			t.Errorf("due to run alone: %t, want %t", h.loneDue, want)
		}
		h.loneDue = false
		h.begin("another process")
	}
	b.release()
}

func TestMessageThatIsEarlyByLessThanItsBrokerCanTellIsSentAgain(t *testing.T) {
	h, b, l := consumer(t, fails(nil))
	id := h.enqueue(note{}).JobID
	h.exec("update " + jobTable + " set next_run_at = next_run_at + interval '300 microseconds'")
	h.slots(1, false)
	h.take(t.Context(), l, []announced{h.announcement(id)})
	h.arrive(<-h.arrived)
	if got := b.release(); len(got) != 1 || got[0] != time.Millisecond {
		t.Errorf("held back for %v", got)
	}
}

func TestCloseWaitsOnlyAWhileForABrokerThatIsDown(t *testing.T) {
	h, b := newAnnounced(t, fails(nil))
	defer slog.SetDefault(slog.Default())
	for name, publish := range map[string]func(ctx context.Context) error{
		"refuses": func(context.Context) error { return errBroken },
		"hangs":   func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
	} {
		h.store.wakes.announcers = nil
		if err := h.store.attach(h.queue, downBroker{b, publish}, nil); err != nil {
			t.Fatal(err)
		}
		a := h.store.wakes.announcers[h.queue.name]
		a.announce(make([]message, mostToAnnounce+1)...)
		a.announce(make([]message, 2*announceBatch)...)
		a.mu.Lock()
		if n := len(a.pending); n > mostToAnnounce {
			t.Errorf("%d messages are kept", n)
		}
		a.mu.Unlock()
		var logged bytes.Buffer
		slog.SetDefault(slog.New(slog.NewTextHandler(&logged, nil)))
		begun := time.Now()
		h.store.disconnect()
		if lines := strings.Count(logged.String(), "\n"); lines > 4 || lines > 1 && name == "hangs" {
			t.Errorf("%s: %d lines are logged:\n%s", name, lines, logged.String())
		}
		if took := time.Since(begun); took > 8*time.Second {
			t.Errorf("%s: it took %v", name, took)
		}
		a.announce(message{})
		if len(a.pending) > 0 || a.sending {
			t.Errorf("%s: it goes on after the end", name)
		}
	}
}

type downBroker struct {
	*memoryBroker
	down func(context.Context) error
}

func (b downBroker) publish(ctx context.Context, messages []message) error {
	if len(messages) > announceBatch {
		panic("a batch is too large")
	}
	return b.down(ctx)
}
