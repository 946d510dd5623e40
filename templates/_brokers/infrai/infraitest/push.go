package infraitest

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"time"
)

// subscription is where a queue's messages are pushed.
type subscription struct {
	URL      string `json:"url"`
	Endpoint string `json:"endpoint"`
	Secret   string `json:"secret"`
	Retries  *int   `json:"max_retries"`
	Lease    *int   `json:"visibility_timeout"`
	Dead     string `json:"dead_letter_queue"`
}

func (s *Server) subscribe(in *incoming) (any, error) {
	q, err := s.queue(in.queue)
	if err != nil {
		return nil, err
	}
	var body subscription
	if err := in.decode(&body); err != nil {
		return nil, err
	}
	address, other := body.URL, body.Endpoint
	if s.options.OldNames {
		address, other = other, address
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || other != "" {
		return nil, breach(http.StatusUnprocessableEntity, "INVALID_REQUEST", "the subscription's address is missing, or goes by a wrong name")
	}
	body.URL = address
	q.subscribed = &body
	return map[string]any{"queue": q.name, "subscribed": true}, nil
}

// Push posts the due messages of a queue to its subscription, signed over the raw body, and answers how many were taken.
// The others come again at once.
func (s *Server) Push(ctx context.Context, name string) (taken int, err error) {
	s.mu.Lock()
	s.tick()
	q, err := s.queue(name)
	if err != nil || q.subscribed == nil {
		s.mu.Unlock()
		return 0, err
	}
	to := *q.subscribed
	due := s.take(q, len(q.messages), time.Duration(value(to.Lease, 30))*time.Second)
	bodies := make([][]byte, len(due))
	for i, m := range due {
		bodies[i], _ = json.Marshal(s.item(m))
	}
	s.mu.Unlock()
	for i, m := range due {
		ok, err := post(ctx, to, bodies[i])
		if err != nil {
			return taken, err
		}
		s.mu.Lock()
		if ok {
			taken++
			q.messages = slices.DeleteFunc(q.messages, func(other *message) bool { return other == m })
		} else {
			q.release(m, s.now)
		}
		s.mu.Unlock()
	}
	return taken, nil
}

// Sign is the signature of a pushed body.
func Sign(secret string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

func post(ctx context.Context, to subscription, body []byte) (bool, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to.URL, bytes.NewReader(body))
	if err != nil {
		return false, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Infrai-Signature", Sign(to.Secret, body))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false, err
	}
	return resp.StatusCode < 300, resp.Body.Close()
}
