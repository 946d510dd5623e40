package infraitest

import (
	"cmp"
	"net/http"
	"slices"
	"time"
)

// queue is one, with its messages in the order of their publishing.
type queue struct {
	name       string
	settings   settings
	messages   []*message
	published  map[string]published // by a message's idempotency key
	subscribed *subscription
}

// settings are what create and update take.
type settings struct {
	Dead      *string `json:"dead_letter_queue"`
	Retries   *int    `json:"max_retries"`
	Retention *int    `json:"message_retention_days"`
	Lease     *int    `json:"visibility_timeout_default"`
	Priority  *bool   `json:"enable_priority"`
	Delay     *delay  `json:"delivery_delay_seconds"`
}

func (s *settings) check() error {
	for name, v := range map[string]*int{"max_retries": s.Retries, "message_retention_days": s.Retention, "visibility_timeout_default": s.Lease} {
		if v != nil && (*v < 0 || name != "max_retries" && *v == 0 || name == "message_retention_days" && *v > 30) {
			return breach(http.StatusBadRequest, "INVALID_REQUEST", "%s is %d", name, *v)
		}
	}
	return nil
}

func (s *Server) create(in *incoming) (any, error) {
	var body struct {
		settings
		Name string `json:"name"`
		Type string `json:"type"`
	}
	if err := in.decode(&body); err != nil {
		return nil, err
	}
	switch {
	case body.Name == "":
		return nil, breach(http.StatusBadRequest, "INVALID_REQUEST", "name is missing")
	case body.Type != "" && body.Type != "standard" && body.Type != "fifo":
		return nil, breach(http.StatusBadRequest, "INVALID_REQUEST", "type is %q", body.Type)
	case body.Delay != nil:
		return nil, breach(http.StatusBadRequest, "INVALID_REQUEST", "delivery_delay_seconds is for update")
	case body.Dead != nil && s.queues[*body.Dead] == nil:
		return nil, breach(http.StatusNotFound, "QUEUE_NOT_FOUND", "there is no queue %q for the dead letters", *body.Dead)
	}
	if err := body.check(); err != nil {
		return nil, err
	}
	if q := s.queues[body.Name]; q != nil {
		if s.options.Upsert {
			return q.record(), nil
		}
		p := gone("QUEUE_ALREADY_EXISTS", "there is a queue %q", body.Name)
		p.status = http.StatusConflict
		return nil, p
	}
	q := &queue{name: body.Name, settings: body.settings, published: map[string]published{}}
	s.queues[q.name] = q
	return q.record(), nil
}

func (s *Server) update(in *incoming) (any, error) {
	q, err := s.queue(in.queue)
	if err != nil {
		return nil, err
	}
	var changed settings
	if err := in.decode(&changed); err != nil {
		return nil, err
	}
	if err := changed.check(); err != nil {
		return nil, err
	}
	return q.record(), in.decode(&q.settings) // what is not in the body stays
}

func (q *queue) record() any {
	return map[string]any{"name": q.name, "max_receive_count": q.retries()}
}

// retries is how often a message comes again before it is dead-lettered.
func (q *queue) retries() int { return value(q.settings.Retries, 3) }

func value[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}

func (s *Server) queue(name string) (*queue, error) {
	if q := s.queues[name]; q != nil {
		q.settle(s.now)
		return q, nil
	}
	return nil, breach(http.StatusNotFound, "QUEUE_NOT_FOUND", "there is no queue %q", name)
}

// settle has happen what the time has brought: leases that are over, and messages that are.
func (q *queue) settle(now time.Time) {
	for _, m := range q.messages {
		if m.leased() && !now.Before(m.lease) {
			q.release(m, m.lease)
		}
	}
	kept := time.Duration(value(q.settings.Retention, 30)) * 24 * time.Hour
	q.messages = slices.DeleteFunc(q.messages, func(m *message) bool { return now.Sub(m.published) > kept })
}

// release lets a message come again at a time, or makes it a dead letter.
func (q *queue) release(m *message, at time.Time) {
	m.lease, m.receipt, m.available = time.Time{}, "", at
	m.parked = m.count > q.retries()
}

func (s *Server) stats(in *incoming) (any, error) {
	q, err := s.queue(in.queue)
	if err != nil {
		return nil, err
	}
	var ready, delayed, flying, dead int
	var oldest time.Duration
	for _, m := range q.messages {
		switch {
		case m.parked:
			dead++
			continue
		case m.leased():
			flying++
		case m.available.After(s.now):
			delayed++
		default:
			ready++
		}
		oldest = max(oldest, s.now.Sub(m.published))
	}
	return map[string]any{
		"message_count": ready + delayed + flying, "available_count": ready, "in_flight_count": flying,
		"delayed_count": delayed, "dlq_count": dead, "oldest_message_age_seconds": int(oldest.Seconds()),
	}, nil
}

// due are the messages that can be received now, in the order in which they are.
func (q *queue) due(now time.Time) []*message {
	due := slices.DeleteFunc(slices.Clone(q.messages), func(m *message) bool {
		return m.parked || m.leased() || m.available.After(now)
	})
	slices.SortStableFunc(due, func(a, b *message) int {
		return cmp.Or(cmp.Compare(b.priority, a.priority), a.available.Compare(b.available))
	})
	return due
}
