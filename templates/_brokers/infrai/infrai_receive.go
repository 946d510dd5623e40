package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
)

// receive asks for messages once a second, up to 20 s long. Where ctx ends while an answer is on its way, its messages
// come again after their lease.
func (q *infraiQueue) receive(ctx context.Context, limit int) ([]delivery, error) {
	//retryc:if broker_push
	if q.push != nil && limit > 0 {
		return q.receivePushed(ctx, limit)
	}
	//retryc:end
	for polls := 1; limit > 0; polls++ {
		came, err := q.consume(ctx, min(limit, infraiBatch))
		if err != nil || len(came) > 0 || polls == infraiPolls {
			return came, err
		}
		if err := q.api.pause(ctx, infraiPoll); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// consume asks once. Its idempotency key brings the same messages where only the answer was lost.
func (q *infraiQueue) consume(ctx context.Context, limit int) ([]delivery, error) {
	var data json.RawMessage
	err := q.api.write(ctx, http.MethodPost, "consume", "", struct {
		Queue   string `json:"queue"`
		Limit   int    `json:"max_messages"`
		Seconds int64  `json:"visibility_timeout"`
	}{q.name, limit, infraiSeconds(q.lease)}, &data)
	if err != nil {
		return nil, err
	}
	items, ok := infraiItems(data, "items", "messages")
	if !ok {
		return nil, errors.New("infrai consume: the answer has neither items nor messages")
	}
	return q.deliveries(ctx, items), nil
}

// infraiItems finds the list of an answer: under one of the names, of which newer answers use the first, or bare. No data
// at all is an empty list.
func infraiItems(data json.RawMessage, names ...string) (items []json.RawMessage, ok bool) {
	data = bytes.TrimSpace(data)
	if len(data) == 0 || string(data) == "null" {
		return nil, true
	}
	if data[0] == '[' {
		return items, json.Unmarshal(data, &items) == nil
	}
	var lists map[string]json.RawMessage
	if json.Unmarshal(data, &lists) != nil {
		return nil, false
	}
	for _, name := range names {
		if list, there := lists[name]; there {
			return items, json.Unmarshal(list, &items) == nil
		}
	}
	return nil, len(lists) == 0
}

// infraiItem is a message as Infrai hands it over, by the newer names and the older ones.
type infraiItem struct {
	MessageID     string          `json:"message_id"`
	ID            string          `json:"id"`
	Payload       json.RawMessage `json:"payload"`
	Body          json.RawMessage `json:"body"`
	Count         int             `json:"delivery_count"`
	ReceiptHandle string          `json:"receipt_handle"`
}

// deliveries reads messages. One that cannot be named in an acknowledgement is left to its lease and, at last, to the
// queue's dead letters.
func (q *infraiQueue) deliveries(ctx context.Context, items []json.RawMessage) []delivery {
	var came []delivery
	for _, raw := range items {
		m, err := q.delivery(raw)
		if err == nil && m.receipt == (infraiReceipt{Queue: q.name}) {
			err = errors.New("it has neither a message_id nor a receipt_handle")
		}
		if err != nil {
			slog.WarnContext(ctx, "a message of the Infrai queue is passed over", "queue", q.name, "error", err)
			continue
		}
		came = append(came, m)
	}
	return came
}

func (q *infraiQueue) delivery(raw json.RawMessage) (delivery, error) {
	var item infraiItem
	if err := json.Unmarshal(raw, &item); err != nil {
		return delivery{}, fmt.Errorf("it is not of the form that this program knows: %w", err)
	}
	if item.MessageID == "" {
		item.MessageID = item.ID
	}
	body := item.Payload
	if body == nil {
		body = item.Body
	}
	return delivery{
		messageID: item.MessageID, count: item.Count, body: infraiBody(body),
		receipt: infraiReceipt{Queue: q.name, MessageID: item.MessageID, ReceiptHandle: item.ReceiptHandle},
	}, nil
}

// infraiBody is a payload as the sender meant it: some send JSON as a text.
func infraiBody(payload json.RawMessage) []byte {
	var text string
	if len(payload) > 0 && payload[0] == '"' && json.Unmarshal(payload, &text) == nil {
		return []byte(text)
	}
	if string(payload) == "null" {
		return nil
	}
	return payload
}
