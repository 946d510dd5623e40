package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/retryc/retryc/golden/brokers/jobs/infraitest"
)

// place is a queue at a broker, as another process can be told of it.
type place struct{ broker, server, queue string }

func (p place) connect(ctx context.Context) (broker, error) {
	switch p.broker {
	case "sqs":
		return connectSQS(ctx, sqsClientOf(p.server), p.queue)
	case "rabbitmq":
		return connectRabbitMQ(ctx, p.server, p.queue)
	}
	return connectInfrai(ctx, nil, p.server, infraitest.APIKey, p.queue)
}

// brokers make a queue of their own at each broker.
var brokers = map[string]func(t *testing.T) place{
	"sqs": func(t *testing.T) place {
		server := sqsServer(t, "RETRYC_TEST_SQS")
		return place{"sqs", server, sqsMade(t, sqsClientOf(server), map[string]string{"VisibilityTimeout": "2"})}
	},
	"rabbitmq": func(t *testing.T) place {
		url := testRabbitURL(t)
		name := "retryc-" + randomID()
		t.Cleanup(func() { rabbitRemove(url, name) })
		return place{"rabbitmq", url, name}
	},
	"infrai": func(t *testing.T) place {
		server := infraitest.New(infraitest.Options{Receipts: true, Running: true})
		t.Cleanup(server.Close)
		t.Cleanup(func() {
			if v := server.Violations(); len(v) > 0 {
				t.Errorf("the contract is broken: %s", strings.Join(v, "\n"))
			}
		})
		return place{"infrai", server.URL, "conformance"}
	},
}

// faulty is a broker that loses every third message, where none is the only one, and brings every second one twice, that holds
// none back for longer than a second, and that loses every fifth acknowledgement.
type faulty struct {
	broker
	published, acknowledged atomic.Int64
}

func (f *faulty) longestDelay() time.Duration { return time.Second }

func (f *faulty) publish(ctx context.Context, messages []message) error {
	var faults []message
	for _, m := range messages {
		n := f.published.Add(1)
		if n%3 != 0 || !losesMessages {
			faults = append(faults, m)
		}
		if n%2 == 0 {
			m.id += " again"
			faults = append(faults, m)
		}
	}
	slices.Reverse(faults)
	return f.broker.publish(ctx, faults)
}

func (f *faulty) acknowledge(ctx context.Context, messages []delivery) error {
	if f.acknowledged.Add(1)%5 == 0 {
		return errors.New("lost")
	}
	return f.broker.acknowledge(ctx, messages)
}

// station is a queue of notes at one broker, with processes that work on it.
type station struct {
	*testing.T
	queue  *queueTable
	config *pgxpool.Config
	store  *Store

	mu   sync.Mutex
	runs []string // what handlers wrote down
}

func stationQueue() *queueTable {
	p := notePolicy()
	p.poll, p.grace = 500*time.Millisecond, 5*time.Second
	return inMode(&queueTable{
		name: "notes", schema: "s1", policy: p, ladder: &ladder{rungs: []time.Duration{1500 * time.Millisecond, time.Second}, min: 1, max: 1},
		concurrency: 7, timeout: 10 * time.Second, lease: 5 * time.Second, connect: "ConnectNotes",
	})
}

func newStation(t *testing.T, b broker, err error) *station {
	t.Helper()
	s := &station{T: t, config: scratchSchema(t)}
	s.queue = stationQueue()
	s.store = s.open(b, err)
	if err := s.store.migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *station) open(b broker, err error) *Store {
	s.Helper()
	pool, poolErr := pgxpool.NewWithConfig(context.Background(), s.config)
	if poolErr != nil {
		s.Fatal(poolErr)
	}
	store := newStore(pool, statements, postgresClock)
	if err := store.attach(s.queue, b, err); err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _ = store.Close() })
	return store
}

// work runs a process on a store until the answer is called.
func (s *station) work(store *Store) (stop func()) {
	ctx, cancel := context.WithCancel(s.Context())
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, store, newWorker(s.queue, s.handle)) }()
	return func() {
		cancel()
		if err := <-ended; err != nil {
			s.Error(err)
		}
	}
}

func (s *station) handle(_ context.Context, job *Job[note]) error {
	s.mu.Lock()
	s.runs = append(s.runs, fmt.Sprint(job.ID, " ", job.Attempt))
	s.mu.Unlock()
	time.Sleep(5 * time.Millisecond)
	switch {
	case job.Payload.Text == "once" && job.Attempt == 1, job.Payload.Text == "always":
		return errors.New("broken")
	case job.Payload.Text == "refuse":
		return Permanent(errors.New("refused"))
	}
	return nil
}

func (s *station) texts(query string) []string {
	s.Helper()
	h := &harness{T: s.T, process: &process{store: s.store}}
	return h.strings(query)
}

// over waits until every job is done or dead, and compares what ran with the ledger.
func (s *station) over(jobs int) {
	s.Helper()
	for end := time.Now().Add(40 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		left := s.texts("select state from " + jobTable + " where state not in ('done', 'dead')")
		begun := s.texts("select distinct job_id::text from " + ledgerTable)
		if len(left) == 0 && len(begun) == jobs {
			break
		}
		if time.Now().After(end) {
			s.Fatalf("%d jobs are left, and %d of %d have an attempt", len(left), len(begun), jobs)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.Sort(s.runs)
	if ledger := s.texts("select job_id || ' ' || attempt from " + ledgerTable + " order by 1"); !slices.Equal(ledger, s.runs) {
		s.Errorf("the ledger has %d attempts, and %d were made:\n%q\n%q", len(ledger), len(s.runs), ledger, s.runs)
	}
}

// enqueue adds jobs of every fate, and answers how many.
func (s *station) enqueue(n int) int {
	s.Helper()
	var notes []note
	for i := range n {
		notes = append(notes, note{Text: []string{"fine", "once", "always", "refuse"}[i%4]})
	}
	if _, err := enqueueMany(s.Context(), s.store, nil, s.queue, notes); err != nil {
		s.Fatal(err)
	}
	return n
}

func TestEveryJobRunsOnceAnAttemptThroughEachBroker(t *testing.T) {
	for name, queue := range brokers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := queue(t)
			first, err := at.connect(t.Context())
			s := newStation(t, &faulty{broker: first}, err)
			second, err := at.connect(t.Context())
			stops := []func(){s.work(s.store), s.work(s.open(&faulty{broker: second}, err))}
			jobs := s.enqueue(40)
			for i := range 5 { // of another program, each sent twice
				m := message{id: fmt.Sprint("foreign ", i), body: fmt.Appendf(nil, `{"key":"foreign %d","text":"fine"}`, i)}
				for range 2 {
					if err := first.publish(t.Context(), []message{m}); err != nil {
						t.Fatal(err)
					}
					m.id += " again"
				}
				jobs++
			}
			s.over(jobs)
			for _, stop := range stops {
				stop()
			}
			if got := s.texts("select message_id from " + ledgerTable + " where message_id is not null"); len(got) == 0 {
				t.Error("no attempt was begun by a message")
			}
			if got := s.texts("select state from " + jobTable + " where (octet_length(payload) > 0) <> (state = 'dead')"); len(got) > 0 {
				t.Errorf("jobs that are %q do not have the payload that they need, or have one that they do not", got)
			}
		})
	}
}
