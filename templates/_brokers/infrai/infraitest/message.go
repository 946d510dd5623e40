package infraitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"
)

type message struct {
	id        string
	payload   json.RawMessage
	priority  int
	published time.Time
	available time.Time
	lease     time.Time // until when it is in flight; zero if it is not
	receipt   string
	count     int
	parked    bool // a dead letter
}

func (m *message) leased() bool { return !m.lease.IsZero() }

// published is what a message's idempotency key was used for.
type published struct {
	request string
	result  any
}

// outgoing is a message to publish.
type outgoing struct {
	Queue          string          `json:"queue"`
	Payload        json.RawMessage `json:"payload"`
	Delay          *delay          `json:"delay_seconds"`
	IdempotencyKey string          `json:"idempotency_key"`
	Priority       int             `json:"priority"`
}

func (s *Server) publish(in *incoming) (any, error) {
	var body outgoing
	if err := in.decode(&body); err != nil {
		return nil, err
	}
	if body.IdempotencyKey == "" {
		body.IdempotencyKey = in.key
	}
	if in.key != "" && body.IdempotencyKey != in.key {
		return nil, breach(http.StatusBadRequest, "INVALID_REQUEST", "idempotency_key is not the Idempotency-Key")
	}
	return s.put(body, in.fault)
}

func (s *Server) publishBatch(in *incoming) (any, error) {
	var body struct {
		Queue    string            `json:"queue"`
		Messages []json.RawMessage `json:"messages"`
	}
	if err := in.decode(&body); err != nil {
		return nil, err
	}
	if len(body.Messages) == 0 {
		return nil, breach(http.StatusBadRequest, "INVALID_REQUEST", "there are no messages")
	}
	results := []any{}
	for i, raw := range body.Messages {
		m := outgoing{Queue: body.Queue}
		err := (&incoming{body: raw}).decode(&m)
		if err == nil && body.Queue != "" && m.Queue != body.Queue {
			err = breach(http.StatusBadRequest, "INVALID_REQUEST", "message %d is for another queue", i)
		}
		var result any
		switch {
		case err != nil:
		case slices.Contains(in.fault.Refuse, i):
			err = in.fault.problem()
		default:
			result, err = s.put(m, in.fault)
		}
		if err != nil {
			p, ok := err.(*problem)
			if !ok {
				p = breach(http.StatusBadRequest, "INVALID_REQUEST", "%v", err)
			}
			if p.breach {
				s.violate(fmt.Sprintf("%s, message %d", in.call, i), p)
			}
			result = map[string]any{"ok": false, "error": p}
		}
		results = append(results, result)
	}
	if s.options.List == "array" {
		return results, nil
	}
	return map[string]any{"results": results}, nil
}

// put adds a message, unless its key was used before.
func (s *Server) put(m outgoing, fault Fault) (any, error) {
	q, err := s.queue(m.Queue)
	if err != nil {
		return nil, err
	}
	if payload := bytes.TrimSpace(m.Payload); len(payload) == 0 || payload[0] != '{' {
		return nil, breach(http.StatusBadRequest, "INVALID_REQUEST", "payload is not an object")
	}
	request, _ := json.Marshal(m)
	if before, used := q.published[m.IdempotencyKey]; used && m.IdempotencyKey != "" {
		if before.request != string(request) {
			return nil, breach(http.StatusConflict, "IDEMPOTENCY_KEY_REUSED", "the idempotency_key was used with another message")
		}
		return before.result, nil
	}
	hold := value(m.Delay, value(q.settings.Delay, delay{})).Duration + fault.Late
	s.serial++
	id := fmt.Sprintf("msg_%06d", s.serial)
	copies := 1
	if fault.Drop {
		copies = 0
	} else if fault.Duplicate {
		copies = 2
	}
	for range copies {
		q.messages = append(q.messages, &message{id: id, payload: m.Payload, priority: m.Priority, published: s.now, available: s.now.Add(hold)})
	}
	result := map[string]any{"message_id": id, "available_at": s.now.Add(hold).Format(time.RFC3339)}
	if s.options.OldNames {
		result["id"] = id
		delete(result, "message_id")
	}
	q.published[m.IdempotencyKey] = published{string(request), result}
	return result, nil
}

func (s *Server) consume(in *incoming) (any, error) {
	var body struct {
		Queue string `json:"queue"`
		Limit *int   `json:"max_messages"`
		Lease *int   `json:"visibility_timeout"`
	}
	if err := in.decode(&body); err != nil {
		return nil, err
	}
	q, err := s.queue(body.Queue)
	if err != nil {
		return nil, err
	}
	limit, lease := value(body.Limit, 1), value(body.Lease, value(q.settings.Lease, 30))
	if limit < 1 || lease < 1 {
		return nil, breach(http.StatusBadRequest, "INVALID_REQUEST", "max_messages is %d and visibility_timeout %d", limit, lease)
	}
	return s.list(s.take(q, limit, time.Duration(lease)*time.Second)), nil
}

// take leases messages.
func (s *Server) take(q *queue, limit int, lease time.Duration) []*message {
	due := q.due(s.now)
	due = due[:min(limit, len(due))]
	for _, m := range due {
		s.serial++
		m.count++
		m.lease, m.receipt = s.now.Add(lease), fmt.Sprintf("receipt_%06d", s.serial)
	}
	return due
}

// list is an answer with messages.
func (s *Server) list(messages []*message) any {
	items := []any{}
	for _, m := range messages {
		items = append(items, s.item(m))
	}
	switch s.options.List {
	case "array":
		return items
	case "messages":
		return map[string]any{"messages": items}
	}
	return map[string]any{"items": items}
}

func (s *Server) item(m *message) any {
	item := map[string]any{"message_id": m.id, "payload": m.payload, "delivery_count": m.count}
	if s.options.OldNames {
		item = map[string]any{"id": m.id, "body": m.payload, "delivery_count": m.count}
	}
	if s.options.Receipts && m.leased() {
		item["receipt_handle"] = m.receipt
	}
	return item
}
