package jobs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"
)

func TestRabbitEveryMessageComesOnce(t *testing.T) {
	q := newRabbit(t)
	const all = 1000
	go func() {
		messages := rabbitMessages(all)
		var group sync.WaitGroup
		for part := range slices.Chunk(messages, all/2) { // more than are on their way at once
			group.Add(1)
			go func() {
				defer group.Done()
				rabbitPublish(t, q, part...)
			}()
		}
		group.Wait()
	}()
	var mu sync.Mutex
	seen := map[string]int{}
	done, finish := context.WithTimeout(t.Context(), time.Minute)
	defer finish()
	var group sync.WaitGroup
	for range 4 {
		group.Add(1)
		go func() {
			defer group.Done()
			for {
				messages, err := q.receive(done, 16)
				if err != nil {
					return
				}
				if len(messages) > 16 {
					t.Errorf("%d messages at once", len(messages))
				}
				if err := q.acknowledge(t.Context(), messages); err != nil {
					t.Error(err)
				}
				mu.Lock()
				for _, m := range messages {
					if m.count != 1 || string(m.body) != fmt.Sprintf(`{"n":%s}`, m.messageID[1:]) {
						t.Errorf("%+v, body %s", m, m.body)
					}
					seen[m.messageID]++
				}
				if len(seen) == all {
					finish()
				}
				mu.Unlock()
			}
		}()
	}
	group.Wait()
	if len(seen) != all {
		t.Fatalf("%d of %d messages came", len(seen), all)
	}
	for id, n := range seen {
		if n != 1 {
			t.Errorf("%s came %d times", id, n)
		}
	}
	rabbitDrained(t, q)
}

func TestRabbitHoldsMessagesBack(t *testing.T) {
	q := newRabbit(t)
	start := time.Now()
	delays := map[string]time.Duration{"long": 1500 * time.Millisecond, "short": 600 * time.Millisecond, "none": 0}
	for _, id := range []string{"long", "short", "none"} { // a long one in front keeps no short one back
		rabbitPublish(t, q, message{id: id, body: []byte("{}"), delay: delays[id]})
	}
	var order []string
	for range delays {
		m := rabbitReceive(t, q, 1)[0]
		if waited := time.Since(start); waited < delays[m.messageID] {
			t.Errorf("%s is early: %s", m.messageID, waited)
		}
		order = append(order, m.messageID)
		rabbitAck(t, q, m)
	}
	if !slices.Equal(order, []string{"none", "short", "long"}) {
		t.Errorf("came as %v", order)
	}
	if err := q.publish(t.Context(), []message{{id: "x", delay: q.longestDelay() + 1}}); err == nil {
		t.Error("a delay past the longest is taken")
	}
}

func TestRabbitStepsAreNeverEarly(t *testing.T) {
	if !slices.IsSorted(rabbitSteps) || rabbitSteps[len(rabbitSteps)-1] != rabbitLongest {
		t.Fatal("the steps do not grow up to the longest")
	}
	for delay := time.Millisecond; delay <= rabbitLongest; delay += 1 + delay/50 {
		step, err := rabbitStep(delay)
		if err != nil {
			t.Fatal(err)
		}
		if late := step - delay; late < 0 || late > max(time.Second, delay/2) {
			t.Errorf("%s becomes %s", delay, step)
		}
	}
}

func TestRabbitPutBackComesAgain(t *testing.T) {
	q := newRabbit(t)
	rabbitPublish(t, q, message{id: "a", body: []byte(`{"a":1}`)})
	if err := q.putBack(t.Context(), rabbitReceive(t, q, 1)[0], 0); err != nil {
		t.Fatal(err)
	}
	m := rabbitReceive(t, q, 1)[0]
	if m.messageID != "a" || m.count != 2 {
		t.Errorf("at once: %+v", m)
	}
	start := time.Now()
	if err := q.putBack(t.Context(), m, 700*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	m = rabbitReceive(t, q, 1)[0]
	if waited := time.Since(start); m.messageID != "a" || string(m.body) != `{"a":1}` || waited < 700*time.Millisecond {
		t.Errorf("after %s: %+v", waited, m)
	}
	rabbitAck(t, q, m)
	rabbitDrained(t, q)
}

func TestRabbitAnswersAMessageOnce(t *testing.T) {
	q := newRabbit(t)
	rabbitPublish(t, q, rabbitMessages(2)...)
	first, second := rabbitReceive(t, q, 1)[0], rabbitReceive(t, q, 1)[0]
	rabbitAck(t, q, first)
	if err := q.acknowledge(t.Context(), []delivery{first}); !errors.Is(err, errRabbitAnswered) {
		t.Errorf("the second acknowledgement: %v", err)
	}
	if err := q.putBack(t.Context(), first, 0); !errors.Is(err, errRabbitAnswered) {
		t.Errorf("put back after the acknowledgement: %v", err)
	}
	rabbitAck(t, q, second) // the channel is as it was
	rabbitDrained(t, q)
}

func TestRabbitCloseGivesBack(t *testing.T) {
	address := testRabbitURL(t)
	queue := rabbitScratch(t, address)
	q := rabbitOn(t, address, queue)
	rabbitPublish(t, q, rabbitMessages(3)...)
	rabbitAck(t, q, rabbitReceive(t, q, 1)...)
	rabbitReceive(t, q, 1)
	waiting := make(chan error)
	go func() {
		for {
			if _, err := q.receive(context.Background(), 1); err != nil {
				waiting <- err
				return
			}
		}
	}()
	if err := errors.Join(q.close(), q.close()); err != nil {
		t.Fatal(err)
	}
	if err := <-waiting; !errors.Is(err, errRabbitClosed) {
		t.Errorf("one who waits gets %v", err)
	}
	if err := q.publish(t.Context(), rabbitMessages(1)); !errors.Is(err, errRabbitClosed) {
		t.Errorf("one who publishes gets %v", err)
	}
	next := rabbitOn(t, address, queue)
	var ids []string
	for range 2 {
		m := rabbitReceive(t, next, 1)[0]
		if m.messageID == "m1" && m.count != 2 {
			t.Errorf("count of %+v", m)
		}
		ids = append(ids, m.messageID)
		rabbitAck(t, next, m)
	}
	if slices.Sort(ids); !slices.Equal(ids, []string{"m1", "m2"}) {
		t.Errorf("came again: %v", ids)
	}
	rabbitDrained(t, next)
}

func TestRabbitLeavesTheRestToOthers(t *testing.T) {
	address := testRabbitURL(t)
	queue := rabbitScratch(t, address)
	q, other := rabbitOn(t, address, queue), rabbitOn(t, address, queue)
	rabbitPublish(t, q, rabbitMessages(60)...)
	var kept []delivery
	for len(kept) < 4 { // and no more are kept for it while it has not acknowledged them
		kept = append(kept, rabbitReceive(t, q, 4-len(kept))...)
	}
	for left := 60 - 4; left > 0; {
		messages := rabbitReceive(t, other, 8)
		left -= len(messages)
		rabbitAck(t, other, messages...)
	}
	rabbitAck(t, q, kept...)
	rabbitDrained(t, q)
}

func TestRabbitHandsOutWhatIsAskedForBesideWhatIsInHand(t *testing.T) {
	q := newRabbit(t)
	rabbitPublish(t, q, rabbitMessages(2*rabbitInHand)...)
	var held []delivery
	for len(held) < rabbitInHand {
		held = append(held, rabbitReceive(t, q, 100)...)
	}
	rabbitDrained(t, q) // the bound
	if len(held) != rabbitInHand {
		t.Fatalf("%d are in hand", len(held))
	}
	rabbitAck(t, q, held...)
	for got := 0; got < rabbitInHand; {
		messages := rabbitReceive(t, q, 2*rabbitInHand)
		got += len(messages)
		rabbitAck(t, q, messages...)
	}
	rabbitDrained(t, q)
}

func TestRabbitTakesAnyBody(t *testing.T) {
	q := newRabbit(t)
	for _, body := range [][]byte{{}, []byte("\x00\xff not JSON"), bytes.Repeat([]byte("x"), 1<<20)} {
		rabbitPublish(t, q, message{id: "b", body: body})
		m := rabbitReceive(t, q, 1)[0]
		if !bytes.Equal(m.body, body) {
			t.Errorf("%d bytes came as %d", len(body), len(m.body))
		}
		rabbitAck(t, q, m)
	}
}

func TestRabbitSameIDIsNoDuplicate(t *testing.T) {
	q := newRabbit(t)
	rabbitPublish(t, q, message{id: "same", body: []byte("1")}, message{id: "same", body: []byte("2")})
	for range 2 {
		rabbitAck(t, q, rabbitReceive(t, q, 1)...)
	}
}

func TestRabbitReceiveEndsWithItsContext(t *testing.T) {
	q := newRabbit(t)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		time.Sleep(50 * time.Millisecond)
		cancel()
	}()
	if messages, err := q.receive(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", messages, err)
	}
	rabbitPublish(t, q, rabbitMessages(1)...)
	rabbitAck(t, q, rabbitReceive(t, q, 1)...) // what came meanwhile is kept for the next
}

func TestRabbitRemovedQueueIsMadeAgain(t *testing.T) {
	q := newRabbit(t)
	delayed := message{id: "d", body: []byte("{}"), delay: time.Second}
	rabbitPublish(t, q, delayed)
	conn, err := amqp.Dial(testRabbitURL(t))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	ch, err := conn.Channel()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{q.name, rabbitDelayQueue(q.name, time.Second)} {
		if _, err := ch.QueueDelete(name, false, false, false); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range []message{{id: "n", body: []byte("{}")}, delayed} {
		if err := q.publish(t.Context(), []message{m}); err == nil || !strings.Contains(err.Error(), "NO_ROUTE") {
			t.Errorf("published into nothing: %v", err)
		}
		rabbitPublish(t, q, m)
	}
	for range 2 {
		rabbitAck(t, q, rabbitReceive(t, q, 1)...)
	}
}

func TestRabbitSaysWhatIsWrong(t *testing.T) {
	address := testRabbitURL(t)
	conn, err := amqp.Dial(address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	ch, err := conn.Channel()
	if err != nil {
		t.Fatal(err)
	}
	classic := rabbitScratch(t, address)
	if _, err := ch.QueueDeclare(classic, true, false, false, false, nil); err != nil {
		t.Fatal(err)
	}
	alone := rabbitScratch(t, address)
	if _, err := ch.QueueDeclare(alone, false, false, true, false, nil); err != nil {
		t.Fatal(err)
	}
	at := strings.SplitN(address, "@", 2)[1]
	for _, c := range []struct {
		address, queue string
		says           []string
	}{
		{address, classic, []string{`queue "` + classic + `"`, "is there already, and differs, for one in x-", "rabbitmqctl delete_queue -p '/' '" + classic + "'"}},
		{address, alone, []string{`queue "` + alone + `"`, "another connection has it for itself"}},
		{address, "", []string{"a queue's name has 1 to"}},
		{address, strings.Repeat("q", 250), []string{"a queue's name has 1 to"}},
		{address, "amq.q", []string{`queue "amq.q"`, "needs the rights"}},
		{"amqp://guest:secr%zzet@" + at, "q", []string{"URL of RabbitMQ cannot be read", "%2F for a /"}},
		{"http://guest:secret@" + at, "q", []string{"URL of RabbitMQ cannot be read"}},
		{"amqp://nobody:secret@" + at, "q", []string{"virtual host /, user nobody", "no connection", "username or password not allowed"}},
		{address + "nowhere", "q", []string{"virtual host nowhere", "no connection"}},
		{"amqp://guest:secret@127.0.0.1:1/", "q", []string{"RabbitMQ at 127.0.0.1:1, virtual host /, user guest: no connection", "refused"}},
	} {
		_, err := connectRabbitMQ(t.Context(), c.address, c.queue)
		if err == nil {
			t.Errorf("%s %s: no error", c.address, c.queue)
			continue
		}
		for _, part := range append(c.says, "RabbitMQ") {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q is missing in: %v", part, err)
			}
		}
		if strings.Contains(err.Error(), "secr") {
			t.Errorf("the password is in: %v", err)
		}
	}
}

func TestRabbitVersions(t *testing.T) {
	for version, old := range map[string]bool{"3.9.27": true, "2.8.7": true, "3.10.8": false, "3.13.7": false, "4.0.1": false, "4.3.0-rc.1": false, "": false, "x.y": false} {
		if rabbitTooOld(version) != old {
			t.Errorf("%q", version)
		}
	}
}
