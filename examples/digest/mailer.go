package main

import (
	"fmt"
	"net/http"
	"sync"
)

// mailer stands in for the mail provider: it takes each key once, and is now and then busy.
type mailer struct {
	mu       sync.Mutex
	taken    map[string]bool
	requests int
	reached  chan struct{} // closed when half have arrived
	half     int
}

func newMailer(half int) *mailer {
	return &mailer{taken: map[string]bool{}, reached: make(chan struct{}), half: half}
}

func (m *mailer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests++
	if m.requests%997 == 0 {
		w.Header().Set("Retry-After", "0")
		http.Error(w, "busy", http.StatusServiceUnavailable)
		return
	}
	m.taken[r.Header.Get("Idempotency-Key")] = true
	if len(m.taken) == m.half {
		select {
		case <-m.reached:
		default:
			close(m.reached)
		}
	}
	_, _ = fmt.Fprintln(w, "taken")
}

func (m *mailer) counts() (arrived, requests int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.taken), m.requests
}
