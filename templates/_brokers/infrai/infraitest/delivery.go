package infraitest

import (
	"net/http"
	"slices"
	"strconv"
)

// receipt names a delivery.
type receipt struct {
	Queue   string `json:"queue"`
	ID      string `json:"message_id"`
	Receipt string `json:"receipt_handle"`
}

func (s *Server) ack(in *incoming) (any, error) {
	var body receipt
	if err := in.decode(&body); err != nil {
		return nil, err
	}
	q, m, err := s.inFlight(body)
	if err != nil {
		return nil, err
	}
	q.messages = slices.DeleteFunc(q.messages, func(other *message) bool { return other == m })
	return map[string]any{"acked": true}, nil
}

func (s *Server) nack(in *incoming) (any, error) {
	var body struct {
		receipt
		Delay delay `json:"delay_seconds"`
	}
	if err := in.decode(&body); err != nil {
		return nil, err
	}
	q, m, err := s.inFlight(body.receipt)
	if err != nil {
		return nil, err
	}
	q.release(m, s.now.Add(body.Delay.Duration))
	return map[string]any{"nacked": true}, nil
}

// inFlight finds a delivery that is under way.
func (s *Server) inFlight(r receipt) (*queue, *message, error) {
	q, err := s.queue(r.Queue)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case r.ID == "" && r.Receipt == "":
		return nil, nil, breach(http.StatusBadRequest, "INVALID_REQUEST", "neither message_id nor receipt_handle is there")
	case s.options.Receipts && r.Receipt == "":
		return nil, nil, breach(http.StatusBadRequest, "INVALID_REQUEST", "receipt_handle is missing, and came with the message")
	case !s.options.Receipts && r.Receipt != "":
		return nil, nil, breach(http.StatusBadRequest, "INVALID_REQUEST", "receipt_handle is there, and did not come with the message")
	}
	for _, m := range q.messages {
		if m.leased() && (r.ID == "" || r.ID == m.id) && (r.Receipt == "" || r.Receipt == m.receipt) {
			return q, m, nil
		}
	}
	return nil, nil, gone("QUEUE_MESSAGE_NOT_FOUND", "no such message is in flight")
}

func (q *queue) dead() []*message {
	return slices.DeleteFunc(slices.Clone(q.messages), func(m *message) bool { return !m.parked })
}

func (s *Server) listDead(in *incoming) (any, error) {
	q, err := s.queue(in.queue)
	if err != nil {
		return nil, err
	}
	dead := q.dead()
	if in.query.Has("limit") {
		limit, err := strconv.Atoi(in.query.Get("limit"))
		if err != nil || limit < 1 {
			return nil, breach(http.StatusBadRequest, "INVALID_REQUEST", "limit is %q", in.query.Get("limit"))
		}
		dead = dead[:min(limit, len(dead))]
	}
	return s.list(dead), nil
}

func (s *Server) redrive(in *incoming) (any, error) {
	var body struct {
		ID    string `json:"message_id"`
		Limit *int   `json:"max_messages"`
	}
	if err := in.decode(&body); err != nil {
		return nil, err
	}
	q, err := s.queue(in.queue)
	if err != nil {
		return nil, err
	}
	dead := q.dead()
	switch {
	case body.ID != "" && body.Limit != nil:
		return nil, breach(http.StatusBadRequest, "INVALID_REQUEST", "message_id and max_messages are both there")
	case body.Limit != nil && *body.Limit < 1:
		return nil, breach(http.StatusBadRequest, "INVALID_REQUEST", "max_messages is %d", *body.Limit)
	case body.Limit != nil:
		dead = dead[:min(*body.Limit, len(dead))]
	case body.ID != "":
		dead = slices.DeleteFunc(dead, func(m *message) bool { return m.id != body.ID })
		if len(dead) == 0 {
			return nil, gone("QUEUE_MESSAGE_NOT_FOUND", "%s is no dead letter", body.ID)
		}
	}
	for _, m := range dead {
		m.parked, m.count, m.available = false, 0, s.now
	}
	return map[string]any{"queue": q.name, "redriven": len(dead)}, nil
}
