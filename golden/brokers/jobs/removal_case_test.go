package jobs

import amqp "github.com/rabbitmq/amqp091-go"

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
