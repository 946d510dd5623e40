// Package infraitest is a server that answers as Infrai's queue does, for tests.
package infraitest

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"time"
)

// APIKey is the key that a Server wants.
const APIKey = "ifr_test_key"

// Options choose among the forms that the service's answers have had. The zero value is the newest.
type Options struct {
	List     string // what a list of messages is called: "items" if empty, "messages", or "array" for a bare list
	OldNames bool   // messages have id and body for message_id and payload; a subscription wants endpoint for url
	Receipts bool   // each delivery has a receipt_handle, without which it cannot be acknowledged
	Running  bool   // the clock goes by itself, for a worker beside it; else it stands still until Advance
	Upsert   bool   // creating a queue that exists is answered with its record, and not refused
}

// Server is the service, on loopback, with a clock to move and faults to order. It refuses whatever breaks the service's
// contract, and remembers it as a violation. A FIFO queue is kept as a standard one. Its methods may be called by several
// goroutines at once.
//
//	server := infraitest.New(infraitest.Options{})
//	defer server.Close()
//	… a client of server.URL with the API key infraitest.APIKey …
//	server.Advance(time.Minute)
//	if v := server.Violations(); len(v) > 0 {
//		t.Error(v)
//	}
type Server struct {
	URL string // to use as the base URL

	options Options
	http    *httptest.Server
	closing chan struct{}

	mu         sync.Mutex
	now        time.Time
	told       time.Time // when now was, by the clock of this process
	queues     map[string]*queue
	answered   map[string]answered // by Idempotency-Key
	faults     []Fault
	requests   []Request
	violations []string
	serial     int
}

// Request is one that came.
type Request struct {
	Call           string // such as publish, or dlq/list
	IdempotencyKey string
	Body           []byte
}

// New starts a server. Its clock begins at a fixed time.
func New(options Options) *Server {
	s := &Server{
		options: options, closing: make(chan struct{}), told: time.Now(), now: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC),
		queues: map[string]*queue{}, answered: map[string]answered{},
	}
	s.http = httptest.NewServer(s.routes())
	s.URL = s.http.URL
	return s
}

// Close stops the server.
func (s *Server) Close() {
	close(s.closing)
	s.http.Close()
}

// Client is one for this server, which leaves no connection behind when the server is closed.
func (s *Server) Client() *http.Client { return s.http.Client() }

// Now is the time of the server's clock.
func (s *Server) Now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tick()
	return s.now
}

// tick lets a running clock go on. s.mu is held.
func (s *Server) tick() {
	if s.options.Running {
		now := time.Now()
		s.now, s.told = s.now.Add(now.Sub(s.told)), now
	}
}

// Advance moves the clock on.
func (s *Server) Advance(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(d)
}

// Requests are all that came so far, those too that a fault kept from being applied.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Violations are the breaches of the contract so far. A test does well to end with none.
func (s *Server) Violations() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.violations)
}
