package jobs

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

var _ broker = (*rabbitQueue)(nil)

func TestRabbitMessagesAreHeldByTheirConnection(t *testing.T) {
	q := newRabbit(t)
	q.hold(time.Nanosecond, time.Nanosecond)
	q.send(t, rabbitMessages(3)...)
	held := q.take(t, 3)
	if err := q.acknowledge(t.Context(), held[:1]); err != nil {
		t.Fatal(err)
	}
	if err := q.extend(t.Context(), held, time.Minute); err != nil { // the first is answered, and needs nothing
		t.Errorf("extend while the connection is there: %v", err)
	}
	q.cut(t)
	again := q.take(t, 2)
	if got := bodiesOf(again); !slices.Equal(got, bodiesOf(held[1:])) || again[0].count != 2 {
		t.Errorf("%v have come again", got)
	}
	err := q.extend(t.Context(), append(held[1:], again...), time.Minute)
	if !errors.Is(err, errRabbitGone) || !strings.Contains(err.Error(), "2 of 4 messages") {
		t.Errorf("extend after the connection is gone: %v", err)
	}
	if err := q.extend(t.Context(), again, time.Minute); err != nil {
		t.Error(err)
	}
}

// A copy of what the broker has again would be there for the whole life of its job.
func TestRabbitMessageWhoseConnectionIsGoneIsNotPutBackAsACopy(t *testing.T) {
	q := newRabbit(t)
	q.send(t, rabbitMessages(1)...)
	m := q.take(t, 1)[0]
	q.cut(t)
	if err := q.putBack(t.Context(), m, time.Minute); !errors.Is(err, errRabbitGone) {
		t.Errorf("put back over a lost connection: %v", err)
	}
	if again := q.take(t, 1); again[0].messageID != m.messageID {
		t.Errorf("%+v has come again", again)
	}
	q.wantDepth(t, depth{})
}

func TestRabbitPutBackForLongerThanItHoldsBackComesThen(t *testing.T) {
	q := newRabbit(t)
	q.send(t, rabbitMessages(1)...)
	if err := q.putBack(t.Context(), q.take(t, 1)[0], 100*time.Hour); err != nil {
		t.Error(err)
	}
	q.wantDepth(t, depth{delayed: 1})
}

func TestRabbitDepthCountsWhatIsHeldBack(t *testing.T) {
	q := newRabbit(t)
	q.wantDepth(t, depth{})
	q.send(t, rabbitMessages(5)...)
	for _, delay := range []time.Duration{time.Minute, time.Hour, 50 * time.Minute, q.longestDelay()} {
		q.send(t, message{id: "later", body: []byte("{}"), delay: delay})
	}
	q.take(t, 2)
	q.wantDepth(t, depth{ready: 3, delayed: 4})
	if _, err := rabbitRaw(t).QueueDelete(q.name, false, false, false); err != nil {
		t.Fatal(err)
	}
	q.wantDepth(t, depth{delayed: 4})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := q.depth(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("depth that is not waited for: %v", err)
	}
}

func TestRabbitDeadLettersAndRedrive(t *testing.T) {
	q := newRabbit(t)
	const all = 2*rabbitExhumed + 10
	q.send(t, rabbitMessages(all)...)
	came := q.take(t, all)
	for _, m := range came {
		if err := q.deadLetter(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	if err := q.acknowledge(t.Context(), came[:1]); !errors.Is(err, errRabbitAnswered) {
		t.Errorf("acknowledged after it was dead-lettered: %v", err)
	}
	q.wantDepth(t, depth{})
	q.wantDead(t, all)
	for _, c := range []struct{ limit, want, left int }{{0, 0, all}, {3, 3, all - 3}, {rabbitExhumed + 1, rabbitExhumed + 1, all - 4 - rabbitExhumed}, {1 << 40, rabbitExhumed + 6, 0}, {1, 0, 0}} {
		if n, err := q.redrive(t.Context(), c.limit); err != nil || n != c.want {
			t.Errorf("of at most %d dead letters %d were moved, want %d (%v)", c.limit, n, c.want, err)
		}
		q.wantDead(t, c.left)
	}
	back := q.take(t, all)
	if !slices.Equal(bodiesOf(back), bodiesOf(came)) || back[0].count != 1 || back[0].messageID == "" {
		t.Errorf("%v are back", bodiesOf(back))
	}
}

func TestRabbitDeadLetterWhoseConnectionIsGoneIsThereTwice(t *testing.T) {
	q := newRabbit(t)
	q.send(t, rabbitMessages(1)...)
	m := q.take(t, 1)[0]
	q.cut(t)
	if err := q.deadLetter(t.Context(), m); !errors.Is(err, errRabbitGone) {
		t.Errorf("dead-lettered over a lost connection: %v", err)
	}
	q.wantDead(t, 1)
	if err := q.deadLetter(t.Context(), q.take(t, 1)[0]); err != nil {
		t.Error(err)
	}
	q.wantDead(t, 2)
}

func TestRabbitRedriveTakesNothingFromAnother(t *testing.T) {
	q := newRabbit(t)
	q.send(t, rabbitMessages(2)...)
	for _, m := range q.take(t, 2) {
		if err := q.deadLetter(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	other := rabbitRaw(t)
	first, there, err := other.Get(rabbitDeadQueue(q.name), false)
	if err != nil || !there {
		t.Fatal(there, err)
	}
	if n, err := q.redrive(t.Context(), 9); n != 1 || err != nil {
		t.Errorf("%d were moved while another looked at one (%v)", n, err)
	}
	if err := first.Nack(false, true); err != nil {
		t.Fatal(err)
	}
	if err := other.Close(); err != nil { // it has been read then
		t.Fatal(err)
	}
	if n, err := q.redrive(t.Context(), 9); n != 1 || err != nil {
		t.Errorf("%d were moved after that (%v)", n, err)
	}
}

func TestRabbitRemovedQueueOfDeadLettersIsMadeAgain(t *testing.T) {
	q := newRabbit(t)
	q.send(t, rabbitMessages(1)...)
	m := q.take(t, 1)[0]
	if _, err := rabbitRaw(t).QueueDelete(rabbitDeadQueue(q.name), false, false, false); err != nil {
		t.Fatal(err)
	}
	if n, err := q.redrive(t.Context(), 9); n != 0 || err != nil {
		t.Errorf("%d were moved from a queue that is not there (%v)", n, err)
	}
	if err := q.deadLetter(t.Context(), m); err == nil || !strings.Contains(err.Error(), "NO_ROUTE") {
		t.Errorf("dead-lettered into nothing: %v", err)
	}
	if err := q.deadLetter(t.Context(), q.take(t, 1)[0]); err != nil { // it has come again
		t.Error(err)
	}
	q.wantDead(t, 1)
}

func TestRabbitSaysWhatIsWrongWithTheQueueOfDeadLetters(t *testing.T) {
	address, queue := testRabbitURL(t), rabbitScratch(t)
	if _, err := rabbitRaw(t).QueueDeclare(rabbitDeadQueue(queue), true, false, false, false, nil); err != nil {
		t.Fatal(err)
	}
	q, err := connectRabbitMQDead(t.Context(), address, queue)
	if q != nil || err == nil || !strings.Contains(err.Error(), `queue "`+queue+`.dead": it is there already, and differs`) {
		t.Errorf("a classic queue for dead letters: %v", err)
	}
}
