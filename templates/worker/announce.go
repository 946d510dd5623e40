//retryc:when broker

package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// announcement says which attempt of a job is due. Its JSON is the message; what it announces is in the table.
type announcement struct {
	Version    int    `json:"retryc"` // of this form
	Queue      string `json:"queue"`
	JobID      string `json:"job_id"`
	Generation int    `json:"generation"`
	Attempt    int    `json:"attempt"` // the one that is due
}

// message is the announcement, to come after a delay, or after as much of it as the broker can hold it back: the rest is
// added when it comes too early.
func (a announcement) message(b broker, delay time.Duration) message {
	body, err := json.Marshal(a)
	if err != nil {
		panic(err) // it is made of texts and numbers
	}
	return message{id: randomID(), body: body, delay: min(max(0, delay), b.longestDelay())}
}

// announcer tells a broker of jobs that are due, beside the program: what it cannot tell costs only time, for the poll
// finds every job.
type announcer struct {
	queue  string
	broker broker
	ctx    context.Context // of what is published
	stop   context.CancelFunc

	//retryc:if broker_message
	carries bool // jobs, and not only the news of them
	//retryc:end

	mu      sync.Mutex
	pending []message
	sending bool
	closing bool // nothing more is taken
	sent    sync.WaitGroup
}

const (
	announceBatch  = 100
	announceTime   = 30 * time.Second // for a batch
	announcePause  = time.Second      // after a batch that failed
	announceRest   = 2 * time.Second  // for what is pending when the store is closed
	mostToAnnounce = 10000            // kept for a broker that is not there
)

// attach makes the store announce the jobs of a queue on a broker, until Close.
func (s *Store) attach(q *queueTable, b broker, err error) error {
	if err != nil {
		return fmt.Errorf("connect the queue %s: %w", q.name, err)
	}
	s.wakes.mu.Lock()
	defer s.wakes.mu.Unlock()
	if s.wakes.announcers[q.name] != nil {
		return errors.Join(fmt.Errorf("the queue %s is connected already", q.name), b.close())
	}
	if s.wakes.announcers == nil {
		s.wakes.announcers = map[string]*announcer{}
	}
	a := &announcer{queue: q.name, broker: b}
	a.ctx, a.stop = context.WithCancel(context.Background())
	s.wakes.announcers[q.name] = a
	//retryc:if broker_message
	if a.carries = q.carried; q.carried {
		b.hold(q.lease, q.timeout+q.lease)
	}
	//retryc:end
	return nil
}

// announcer is that of a queue; nil: it has no broker, or nobody has connected it.
func (w *wakes) announcer(queue string) *announcer {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.announcers[queue]
}

// connected refuses a queue whose broker nobody has connected.
func (s *Store) connected(q *queueTable) error {
	if q.connect != "" && s.wakes.announcer(q.name) == nil && !s.wakes.silent {
		return fmt.Errorf("the queue %s has no connection to its broker: call %s first", q.name, q.connect)
	}
	return nil
}

// announceNew announces the jobs that an enqueue has made.
func (s *Store) announceNew(q *queueTable, receipts []Receipt) {
	a := s.wakes.announcer(q.name)
	if a == nil {
		return
	}
	var messages []message
	for _, r := range receipts {
		if !r.Duplicate {
			messages = append(messages, announcement{1, q.name, r.JobID, 1, 1}.message(a.broker, 0))
		}
	}
	a.announce(messages...)
}

// announceNext announces the attempt that follows one that has ended.
func (s *Store) announceNext(q *queueTable, c claimed, r result) {
	a := s.wakes.announcer(q.name)
	if a == nil || r.Next != "scheduled" {
		return
	}
	//retryc:if broker_message
	if c.message != nil || len(c.payload) == 0 { // its message comes again
		return
	}
	//retryc:end
	next := announcement{1, q.name, c.jobID, c.generation, c.attempt + 1}
	if r.PutBack {
		next.Attempt = c.attempt
	}
	a.announce(next.message(a.broker, milliseconds(r.DelayMS)))
}

func (a *announcer) announce(messages ...message) {
	a.mu.Lock()
	defer a.mu.Unlock()
	room := mostToAnnounce - len(a.pending)
	if a.closing {
		room = 0
	}
	if room < len(messages) {
		slog.Warn("jobs are not announced: the poll finds them", "queue", a.queue, "jobs", len(messages)-room)
		messages = messages[:room]
	}
	a.pending = append(a.pending, messages...)
	if len(a.pending) > 0 && !a.sending {
		a.sending = true
		a.sent.Add(1)
		go a.send()
	}
}

// send publishes what is pending, until nothing is.
func (a *announcer) send() {
	defer a.sent.Done()
	for {
		a.mu.Lock()
		batch := a.pending[:min(len(a.pending), announceBatch)]
		a.pending = a.pending[len(batch):]
		a.sending = len(batch) > 0
		a.mu.Unlock()
		if len(batch) == 0 {
			return
		}
		ctx, cancel := context.WithTimeout(a.ctx, announceTime)
		err := a.broker.publish(ctx, batch)
		cancel()
		if err != nil {
			failed := len(batch)
			if a.ctx.Err() != nil { // the time of the rest is over
				failed += a.drop()
			}
			slog.Warn("jobs are not announced: the poll finds them", "queue", a.queue, "jobs", failed, "error", err)
			pause(a.ctx, announcePause)
		}
	}
}

// drop forgets what is pending, and answers how much that is.
func (a *announcer) drop() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := len(a.pending)
	a.pending = nil
	return n
}

// disconnect announces what is still pending, for as long as it takes no time, and closes the connections to the brokers.
func (s *Store) disconnect() {
	for _, a := range s.wakes.announcers {
		a.mu.Lock()
		a.closing = true
		a.mu.Unlock()
		defer time.AfterFunc(announceRest, a.stop).Stop()
	}
	for _, a := range s.wakes.announcers {
		a.sent.Wait()
		a.stop()
		if err := a.broker.close(); err != nil {
			slog.Warn("the connection to a broker was not closed well", "queue", a.queue, "error", err)
		}
	}
}
