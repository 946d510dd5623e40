//retryc:when broker_push

package worker

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
)

// subscribe has Infrai post the queue's messages to an address, signed with the secret.
func (q *infraiQueue) subscribe(ctx context.Context, address, secret string) error {
	if secret == "" {
		return errors.New("a push subscription needs a secret: without one anyone can post messages")
	}
	err := q.subscribeAs(ctx, "url", address, secret)
	var refused *infraiError
	if errors.As(err, &refused) && (refused.status == http.StatusBadRequest || refused.status == http.StatusUnprocessableEntity) {
		if q.subscribeAs(ctx, "endpoint", address, secret) == nil { // its older name
			return nil
		}
	}
	return err
}

func (q *infraiQueue) subscribeAs(ctx context.Context, name, address, secret string) error {
	return q.api.write(ctx, http.MethodPost, "push_subscribe/"+url.PathEscape(q.name), "", map[string]any{
		name: address, "secret": secret, "max_retries": infraiReturns, "visibility_timeout": infraiSeconds(q.lease),
	}, nil)
}

// infraiSignature is the header with the HMAC-SHA256 of the raw body, in hexadecimal, with or without "sha256=" before it.
const infraiSignature = "X-Infrai-Signature"

// pushed takes what Infrai posts. take answers nil once the message is safe, which acknowledges it; else it comes again. A
// message can come more than once, and anyone who has seen one can send it again.
func (q *infraiQueue) pushed(secret string, take func(context.Context, delivery) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			http.Error(w, "messages are posted", http.StatusMethodNotAllowed)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 2*infraiMaxBody)) // the message, and what is around it
		if err != nil {
			http.Error(w, "the message could not be read", http.StatusBadRequest)
			return
		}
		if !infraiSigned(secret, body, r.Header.Get(infraiSignature)) {
			http.Error(w, "the signature is not that of the message", http.StatusUnauthorized)
			return
		}
		if err := take(r.Context(), q.push(body)); err != nil {
			slog.WarnContext(r.Context(), "a pushed message is not taken, and comes again", "queue", q.name, "error", err)
			http.Error(w, "the message was not taken", http.StatusServiceUnavailable)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
}

// push reads what was posted: a message as consume brings it, or its payload alone.
func (q *infraiQueue) push(body []byte) delivery {
	m, err := q.delivery(json.RawMessage(body))
	if err != nil || m.body == nil {
		m.body = body
	}
	return m
}

// infraiSigned compares in a time that does not depend on where the signatures differ.
func infraiSigned(secret string, body []byte, signature string) bool {
	got, err := hex.DecodeString(strings.TrimPrefix(signature, "sha256="))
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return err == nil && secret != "" && hmac.Equal(got, mac.Sum(nil))
}
