package main

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// sender posts as Stripe does.
type sender struct{ secret string }

func newSender() *sender { return &sender{"whsec_" + rand.Text()} }

const payment = `{
  "id": "evt_1",
  "type": "charge.succeeded",
  "data": {"object": {"amount": 4990, "currency": "eur", "metadata": {"order": "o_1001"}}}
}`

const (
	refusedCard  = `{"id": "evt_2", "type": "charge.failed"}`
	strayPayment = `{"id": "evt_3", "type": "charge.succeeded", "data": {"object": {"amount": 100, "currency": "eur"}}}`
)

// play posts a payment, and what a door at the internet also sees.
func (s *sender) play(ctx context.Context, out io.Writer, url string) error {
	now := time.Now()
	for _, d := range []struct{ what, body, signature string }{
		{"a payment", payment, s.sign(payment, now)},
		{"the same once more: the answer was lost", payment, s.sign(payment, now.Add(time.Second))},
		{"a payment that somebody has made up", payment, (&sender{"whsec_guessed"}).sign(payment, now)},
		{"one that somebody recorded an hour ago", payment, s.sign(payment, now.Add(-time.Hour))},
		{"one of another kind", refusedCard, s.sign(refusedCard, now)},
		{"one without its order", strayPayment, s.sign(strayPayment, now)},
	} {
		answer, err := post(ctx, url, d.body, d.signature)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "%-42s %s\n", d.what, answer); err != nil {
			return err
		}
	}
	return nil
}

func (s *sender) sign(body string, at time.Time) string {
	t := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(s.secret))
	mac.Write([]byte(t + "." + body))
	return "t=" + t + ",v1=" + hex.EncodeToString(mac.Sum(nil))
}

// post is the answer to a delivery: its status, and what it says.
func post(ctx context.Context, url, body, signature string) (string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	r.Header.Set("Stripe-Signature", signature)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	return strings.TrimSpace(fmt.Sprintf("%d %s", answer.StatusCode, text)), err
}
