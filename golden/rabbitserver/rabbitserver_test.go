//go:build unix

package rabbitserver

import (
	"errors"
	"os"
	"testing"

	amqp "github.com/rabbitmq/amqp091-go"
)

func TestServerKeepsMessagesWhenKilled(t *testing.T) {
	s, err := New()
	if errors.Is(err, ErrMissing) && os.Getenv("CI") == "" {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	on(t, s, func(ch *amqp.Channel) {
		if _, err := ch.QueueDeclare("q", true, false, false, false, amqp.Table{"x-queue-type": "quorum"}); err != nil {
			t.Fatal(err)
		}
		if err := ch.Confirm(false); err != nil {
			t.Fatal(err)
		}
		confirm, err := ch.PublishWithDeferredConfirm("", "q", true, false, amqp.Publishing{Body: []byte("kept")})
		if err != nil || !confirm.Wait() {
			t.Fatal("not confirmed", err)
		}
	})
	if err := errors.Join(s.Kill(), s.Start()); err != nil {
		t.Fatal(err)
	}
	on(t, s, func(ch *amqp.Channel) {
		if m, ok, err := ch.Get("q", true); err != nil || !ok || string(m.Body) != "kept" {
			t.Errorf("got %q, %v, %v", m.Body, ok, err)
		}
	})
}

func on(t *testing.T, s *Server, do func(*amqp.Channel)) {
	t.Helper()
	conn, err := amqp.Dial(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	ch, err := conn.Channel()
	if err != nil {
		t.Fatal(err)
	}
	do(ch)
}
