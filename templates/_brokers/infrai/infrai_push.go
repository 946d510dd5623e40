//retryc:when broker_push

package worker

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// connectInfraiPush is connectInfrai for a queue whose messages Infrai posts too, signed with a secret.
func connectInfraiPush(ctx context.Context, client *http.Client, baseURL, apiKey, queue, secret string) (*infraiQueue, error) {
	q, err := connectInfrai(ctx, client, baseURL, apiKey, queue)
	if err != nil {
		return nil, err
	}
	q.push = &infraiPushes{secret: []byte(secret), came: make(chan delivery)}
	return q, nil
}

// subscribe has Infrai post the messages of a queue to an address. The same subscription is made once, however often it is
// asked for.
func (s *Store) subscribe(ctx context.Context, of *queueTable, address string) error {
	q := s.pushedTo(of)
	if q == nil {
		return fmt.Errorf("the queue %s has no connection to Infrai: call %s first", of.name, of.connect)
	}
	err := q.subscribe(ctx, "url", address)
	var refused *infraiError
	if errors.As(err, &refused) && (refused.status == http.StatusBadRequest || refused.status == http.StatusUnprocessableEntity) {
		if q.subscribe(ctx, "endpoint", address) == nil { // its older name
			return nil
		}
	}
	return err
}

func (q *infraiQueue) subscribe(ctx context.Context, name, address string) error {
	body := map[string]any{
		name: address, "secret": string(q.push.secret), "max_retries": infraiReturns, "visibility_timeout": infraiSeconds(q.lease),
	}
	encoded, err := json.Marshal(body)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(append([]byte(q.name+"\n"), encoded...))
	return q.api.write(ctx, http.MethodPost, "push_subscribe/"+url.PathEscape(q.name), hex.EncodeToString(sum[:]), body, nil)
}

// pushedTo is the queue at Infrai that the store is connected to, or nil.
func (s *Store) pushedTo(of *queueTable) *infraiQueue {
	if a := s.wakes.announcer(of.name); a != nil {
		if q, is := a.broker.(*infraiQueue); is && q.push != nil {
			return q
		}
	}
	return nil
}

// pushes answers what Infrai posts. A message is acknowledged by the answer, once its job is claimed or in the table; else it
// comes again. It can come more than once, and whoever has seen one can send it again: that costs no more than looking.
func (s *Store) pushes(of *queueTable) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := s.pushedTo(of)
		if q == nil {
			infraiLater(w, infraiOffer)
			return
		}
		if r.Method != http.MethodPost {
			w.Header().Set("Allow", http.MethodPost)
			http.Error(w, "messages are posted", http.StatusMethodNotAllowed)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 2*infraiMaxBody)) // the message, and what is around it
		if err != nil {
			http.Error(w, "the message could not be read", http.StatusBadRequest)
			return
		}
		if !q.push.signed(body, r.Header.Get(infraiSignature)) {
			http.Error(w, "the signature is not that of the message", http.StatusUnauthorized)
			return
		}
		put, again := q.push.offer(r.Context(), q.posted(body))
		if put {
			infraiLater(w, again)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
}

// infraiLater asks for the message again.
func infraiLater(w http.ResponseWriter, after time.Duration) {
	w.Header().Set("Retry-After", strconv.FormatInt(max(1, infraiSeconds(after)), 10))
	http.Error(w, "the message was not taken", http.StatusServiceUnavailable)
}

// infraiSignature is the header with the HMAC-SHA256 of the raw body, in hexadecimal, with or without "sha256=" before it.
const infraiSignature = "X-Infrai-Signature"

// signed compares in a time that does not depend on where the signatures differ.
func (p *infraiPushes) signed(body []byte, signature string) bool {
	got, err := hex.DecodeString(strings.TrimPrefix(signature, "sha256="))
	mac := hmac.New(sha256.New, p.secret)
	mac.Write(body)
	return err == nil && len(p.secret) > 0 && hmac.Equal(got, mac.Sum(nil))
}

// posted reads what was posted: a message as consume brings it, or its payload alone.
func (q *infraiQueue) posted(body []byte) delivery {
	var item infraiItem
	if json.Unmarshal(body, &item) == nil && item.MessageID+item.ID != "" && (item.Payload != nil || item.Body != nil) {
		if m, err := q.delivery(body); err == nil {
			return m
		}
	}
	return delivery{body: body}
}
