package jobs

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"
)

// rabbitScratch is the name of a queue that is removed after the test, with those beside it.
func rabbitScratch(t *testing.T, address string) string {
	t.Helper()
	queue := fmt.Sprintf("retryc-test-%x", rand.Uint64())
	t.Cleanup(func() {
		conn, err := amqp.Dial(address)
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = conn.Close() }()
		ch, err := conn.Channel()
		if err != nil {
			t.Error(err)
			return
		}
		names := []string{queue, queue + ".dead"}
		for _, step := range rabbitSteps {
			names = append(names, rabbitDelayQueue(queue, step))
		}
		for _, name := range names {
			if _, err := ch.QueueDelete(name, false, false, false); err != nil {
				t.Error(err)
			}
		}
	})
	return queue
}

// rabbitOn connects to a queue, until the test is over.
func rabbitOn(t *testing.T, address, queue string) *rabbitQueue {
	t.Helper()
	q, err := connectRabbitMQ(t.Context(), address, queue)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := q.close(); err != nil {
			t.Error(err)
		}
	})
	return q
}

func newRabbit(t *testing.T) *rabbitQueue {
	t.Helper()
	address := testRabbitURL(t)
	return rabbitOn(t, address, rabbitScratch(t, address))
}

func rabbitPublish(t *testing.T, q *rabbitQueue, messages ...message) {
	t.Helper()
	if err := q.publish(t.Context(), messages); err != nil {
		t.Fatal(err)
	}
}

// rabbitReceive is the next messages, and the test fails where none comes soon.
func rabbitReceive(t *testing.T, q *rabbitQueue, limit int) []delivery {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	messages, err := q.receive(ctx, limit)
	if err != nil {
		t.Fatal(err)
	}
	return messages
}

func rabbitAck(t *testing.T, q *rabbitQueue, messages ...delivery) {
	t.Helper()
	if err := q.acknowledge(t.Context(), messages); err != nil {
		t.Fatal(err)
	}
}

// rabbitDrained fails where a message comes.
func rabbitDrained(t *testing.T, q *rabbitQueue) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if messages, err := q.receive(ctx, 10); err == nil {
		t.Errorf("%d messages more: %+v", len(messages), messages)
	}
}

// rabbitWay is a network between the worker and the broker that can be spoilt.
type rabbitWay struct {
	address string
	frozen  sync.RWMutex // held while nothing gets through
	mu      sync.Mutex
	open    []net.Conn
}

func newRabbitWay(t *testing.T, address string) *rabbitWay {
	t.Helper()
	to, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	from, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	broker := to.Host
	to.Host = from.Addr().String()
	w := &rabbitWay{address: to.String()}
	go func() {
		for {
			in, err := from.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", broker)
			if err != nil {
				_ = in.Close()
				continue
			}
			w.mu.Lock()
			w.open = append(w.open, in, out)
			w.mu.Unlock()
			go w.carry(in, out)
			go w.carry(out, in)
		}
	}()
	t.Cleanup(func() {
		_ = from.Close()
		w.cut()
	})
	return w
}

func (w *rabbitWay) carry(to io.WriteCloser, from io.ReadCloser) {
	defer func() { _ = to.Close(); _ = from.Close() }()
	for b := make([]byte, 4096); ; {
		n, err := from.Read(b)
		if err != nil {
			return
		}
		w.frozen.RLock()
		_, err = to.Write(b[:n])
		w.frozen.RUnlock()
		if err != nil {
			return
		}
	}
}

// cut ends all connections; new ones can be made.
func (w *rabbitWay) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.open {
		_ = c.Close()
	}
	w.open = nil
}
