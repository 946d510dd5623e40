package jobs

import (
	"fmt"
	"os"
	"testing"

	amqp "github.com/rabbitmq/amqp091-go"
)

// testRabbitURL is the broker of the tests.
func testRabbitURL(t *testing.T) string {
	t.Helper()
	address := os.Getenv("RETRYC_TEST_RABBITMQ")
	if address == "" {
		const how = "RETRYC_TEST_RABBITMQ names no RabbitMQ: set it to one such as amqp://guest:guest@127.0.0.1:5672/"
		if os.Getenv("CI") == "true" {
			t.Fatal(how)
		}
		t.Skip(how)
	}
	return address
}

func rabbitMessages(n int) []message {
	messages := make([]message, n)
	for i := range messages {
		messages[i] = message{id: fmt.Sprintf("m%d", i), body: fmt.Appendf(nil, `{"n":%d}`, i)}
	}
	return messages
}

// rabbitRemove removes a queue, and those that hold its messages back.
func rabbitRemove(url, name string) {
	conn, err := amqp.Dial(url)
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	names := []string{name}
	for _, step := range rabbitSteps {
		names = append(names, rabbitDelayQueue(name, step))
	}
	for _, n := range names {
		if ch, err := conn.Channel(); err == nil {
			_, _ = ch.QueueDelete(n, false, false, false)
			_ = ch.Close()
		}
	}
}
