package jobs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/retryc/retryc/golden/rabbitserver"
)

// TestRabbitServerInTrouble spoils a server in every way, one after the other.
func TestRabbitServerInTrouble(t *testing.T) {
	s, err := rabbitserver.New()
	if errors.Is(err, rabbitserver.ErrMissing) && os.Getenv("CI") != "true" {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	for name, trouble := range map[string]func(*testing.T, *rabbitserver.Server, *rabbitQueue){
		"a kill loses nothing":                        rabbitKilled,
		"frozen, it holds nobody":                     rabbitFrozen,
		"short of memory, it takes acknowledgements":  rabbitShort,
		"a full queue refuses":                        rabbitFull,
		"connections that it has ended are made anew": rabbitEnded,
		"a queue that is silent holds up no other":    rabbitSilent,
	} {
		t.Run(name, func(t *testing.T) { trouble(t, s, rabbitOn(t, s.URL(), rabbitScratch(t, s.URL()))) })
	}
}

func rabbitDo(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func rabbitKilled(t *testing.T, s *rabbitserver.Server, q *rabbitQueue) {
	rabbitPublish(t, q, message{id: "held back", body: []byte("{}"), delay: 30 * time.Second})
	rabbitPublish(t, q, message{id: "kept", body: []byte("{}")})
	kept := rabbitReceive(t, q, 1)
	ctx, cancel := context.WithTimeout(t.Context(), 150*time.Second)
	defer cancel()
	var group sync.WaitGroup
	sent := map[string]bool{"held back": true, "kept": true}
	group.Add(1)
	go func() { // a confirmed message is there, and one that is not confirmed is sent again
		defer group.Done()
		for i := range 200 {
			id := fmt.Sprint("m", i)
			for q.publish(ctx, []message{{id: id, body: []byte("{}")}}) != nil && ctx.Err() == nil {
			}
			sent[id] = true
		}
	}()
	rabbitDo(t, errors.Join(s.Kill(), s.Start()))
	if err := q.acknowledge(ctx, kept); !errors.Is(err, errRabbitGone) {
		t.Errorf("acknowledged at the broker of before: %v", err)
	}
	group.Wait()
	for len(sent) > 0 {
		messages, err := q.receive(ctx, 20)
		if err != nil {
			t.Fatalf("%d have not come: %v", len(sent), err)
		}
		for _, m := range messages {
			delete(sent, m.messageID)
		}
		_ = q.acknowledge(ctx, messages) // one that fails comes again
	}
}

func rabbitFrozen(t *testing.T, s *rabbitserver.Server, q *rabbitQueue) {
	rabbitPublish(t, q, rabbitMessages(1)...)
	messages := rabbitReceive(t, q, 1)
	rabbitDo(t, s.Freeze())
	start := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if err := q.publish(ctx, rabbitMessages(1)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("publish: %v", err)
	}
	if _, err := connectRabbitMQ(ctx, s.URL(), q.name); err == nil {
		t.Error("connected to a frozen broker")
	}
	if waited := time.Since(start); waited > 5*time.Second {
		t.Errorf("it took %s", waited)
	}
	rabbitDo(t, s.Thaw())
	rabbitAck(t, q, messages...)
	rabbitPublish(t, q, message{id: "after", body: []byte("{}")})
	for id := ""; id != "after"; { // what was published without a confirmation may have come as well
		m := rabbitReceive(t, q, 1)
		id = m[0].messageID
		rabbitAck(t, q, m...)
	}
}

func rabbitShort(t *testing.T, s *rabbitserver.Server, q *rabbitQueue) {
	rabbitPublish(t, q, rabbitMessages(2)...)
	messages := rabbitReceive(t, q, 1)
	rabbitDo(t, s.Control("set_vm_memory_high_watermark", "0.00001"))
	for range 3 { // the first is written before RabbitMQ says that it does not read
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		err := q.publish(ctx, []message{{id: "x", body: []byte("{}")}})
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "alarm") {
			t.Errorf("publish: %v", err)
		}
	}
	rabbitAck(t, q, messages...)
	rabbitAck(t, q, rabbitReceive(t, q, 1)...)
	rabbitDo(t, s.Control("set_vm_memory_high_watermark", "0.6"))
	rabbitPublish(t, q, message{id: "y", body: []byte("{}")})
	for id := ""; id != "y"; {
		m := rabbitReceive(t, q, 1)
		id = m[0].messageID
		rabbitAck(t, q, m...)
	}
}

func rabbitFull(t *testing.T, s *rabbitserver.Server, q *rabbitQueue) {
	rabbitDo(t, s.Control("set_policy", "short", q.name, `{"max-length":1}`, "--apply-to", "queues"))
	var err error
	for i := 0; i < 50 && err == nil; i++ {
		err = q.publish(t.Context(), rabbitMessages(1))
	}
	if err == nil || !strings.Contains(err.Error(), "refuses messages") {
		t.Errorf("a full queue: %v", err)
	}
	rabbitDo(t, s.Control("clear_policy", "short"))
}

func rabbitEnded(t *testing.T, s *rabbitserver.Server, q *rabbitQueue) {
	rabbitPublish(t, q, rabbitMessages(1)...)
	rabbitReceive(t, q, 1)
	rabbitDo(t, s.Control("close_all_connections", "maintenance"))
	m := rabbitReceive(t, q, 1)
	if m[0].count != 2 {
		t.Errorf("%+v", m[0])
	}
	rabbitAck(t, q, m...)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for q.publish(ctx, rabbitMessages(1)) != nil && ctx.Err() == nil { // the first may meet the connection as it ends
	}
	rabbitAck(t, q, rabbitReceive(t, q, 1)...)
}

func rabbitSilent(t *testing.T, s *rabbitserver.Server, q *rabbitQueue) {
	both := []message{{id: "held back", body: []byte("{}"), delay: time.Second}, {id: "at once", body: []byte("{}")}}
	rabbitPublish(t, q, both...)
	for range both {
		rabbitAck(t, q, rabbitReceive(t, q, 1)...)
	}
	tell := func(order string) {
		t.Helper()
		rabbitDo(t, s.Control("eval", fmt.Sprintf("sys:%s('%%2F_%s').", order, rabbitDelayQueue(q.name, time.Second))))
	}
	tell("suspend")
	for _, longest := range []time.Duration{rabbitPatience + 5*time.Second, time.Second} { // it is not waited for again
		start := time.Now()
		failed := make(chan error, 1)
		go func() { failed <- q.publish(t.Context(), both) }()
		if m := rabbitReceive(t, q, 1); m[0].messageID != "at once" {
			t.Errorf("%+v", m)
		} else {
			rabbitAck(t, q, m...)
		}
		if waited := time.Since(start); waited > 5*time.Second {
			t.Errorf("the message for the other queue took %s", waited)
		}
		var mute errRabbitMute
		if err := <-failed; !errors.As(err, &mute) || !strings.Contains(err.Error(), " 1 messages ") {
			t.Errorf("publish: %v", err)
		}
		if waited := time.Since(start); waited > longest {
			t.Errorf("it took %s", waited)
		}
	}
	start := time.Now()
	busy, err := connectRabbitMQ(t.Context(), s.URL()+"?heartbeat=1", q.name)
	rabbitDo(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := busy.publish(ctx, both[:1]); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("publish: %v", err)
	}
	if err := busy.close(); err == nil {
		t.Error("a connection that RabbitMQ does not end was closed well")
	}
	if waited := time.Since(start); waited > 15*time.Second {
		t.Errorf("close took %s", waited)
	}
	tell("resume")
	ctx, cancel = context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for q.publish(ctx, both[:1]) != nil && ctx.Err() == nil {
		time.Sleep(100 * time.Millisecond)
	}
	rabbitAck(t, q, rabbitReceive(t, q, 1)...)
}
