//retryc:when broker_message

package worker

import (
	"errors"
	"testing"
	"time"

	"github.com/retryc/retryc/templates/_brokers/infrai/infraitest"
)

func TestInfraiMessageIsHeldForTheLease(t *testing.T) {
	h := newInfraiTest(t, infraitest.Options{})
	h.queue.holdFor(10 * time.Minute)
	h.publish(infraiMessages(1)...)
	came := h.receive()
	if err := h.queue.extend(t.Context(), came, time.Minute); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("extend: %v", err)
	}
	h.server.Advance(10*time.Minute - time.Millisecond)
	if again, err := h.queue.consume(t.Context(), 1); err != nil || len(again) != 0 {
		t.Errorf("it came again within the lease (%v)", err)
	}
	h.server.Advance(time.Millisecond)
	if again := h.receive(); len(again) != 1 || again[0].count != 2 {
		t.Errorf("received %+v after the lease", again)
	}
	h.wantNoViolations()
}

func TestInfraiDeadLettersAndRedrive(t *testing.T) {
	for _, options := range []infraitest.Options{{}, {List: "messages", OldNames: true, Receipts: true}, {List: "array"}} {
		h := newInfraiTest(t, options)
		h.publish(infraiMessages(4)...)
		for rounds := 1; ; rounds++ {
			came, err := h.queue.consume(t.Context(), infraiBatch)
			if err != nil {
				t.Fatal(err)
			}
			if len(came) == 0 {
				if want := infraiReturns + 2; rounds != want { // the first delivery, each return, and none
					t.Errorf("dead after %d rounds, want %d", rounds, want)
				}
				break
			}
			for _, m := range came {
				if err := h.queue.deadLetter(t.Context(), m); err != nil {
					t.Fatal(err)
				}
			}
		}
		h.wantDepth(depth{dead: 4})
		some, err := h.queue.deadLetters(t.Context(), 3)
		if err != nil || len(some) != 3 || infraiNumber(t, some[2]) != 2 || some[0].count != infraiReturns+1 {
			t.Fatalf("dead letters: %+v (%v)", some, err)
		}
		for _, step := range []struct {
			want    int
			redrive func() (int, error)
		}{
			{1, func() (int, error) { return h.queue.redriveOne(t.Context(), some[1].messageID) }},
			{2, func() (int, error) { return h.queue.redriveSome(t.Context(), 2) }},
			{1, func() (int, error) { return h.queue.redriveAll(t.Context()) }},
			{0, func() (int, error) { return h.queue.redriveAll(t.Context()) }},
		} {
			if n, err := step.redrive(); err != nil || n != step.want {
				t.Errorf("%d redriven, want %d (%v)", n, step.want, err)
			}
		}
		if _, err := h.queue.redriveOne(t.Context(), some[1].messageID); err == nil {
			t.Error("what is no dead letter was redriven")
		}
		if back := h.receive(); len(back) != 4 || back[0].count != 1 {
			t.Errorf("redriven messages come as %+v", back)
		}
		h.wantNoViolations()
	}
}

func TestInfraiDepth(t *testing.T) {
	h := newInfraiTest(t, infraitest.Options{})
	h.publish(infraiMessages(3)...)
	h.publish(message{id: "later", body: []byte(`{"n":3}`), delay: time.Hour})
	h.server.Advance(20 * time.Second)
	if _, err := h.queue.consume(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	h.wantDepth(depth{ready: 2, delayed: 1, inFlight: 1, oldest: 20 * time.Second})
}

func (h *infraiTest) wantDepth(want depth) {
	h.Helper()
	if got, err := h.queue.depth(h.Context()); err != nil || got != want {
		h.Errorf("depth: %+v, want %+v (%v)", got, want, err)
	}
}
