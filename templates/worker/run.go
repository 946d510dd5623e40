package worker

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// Run works the queues until ctx ends. Then it takes no more jobs, lets the handlers in flight finish for
// worker.grace, ends the context of those that have not, and waits for them. It returns nil on a clean stop, and
// an error at once where the workers cannot run together.
func Run(ctx context.Context, store *Store, workers ...Worker) error {
	if len(workers) == 0 {
		return errors.New("no worker to run")
	}
	queues := map[string]bool{}
	for _, w := range workers {
		if queues[w.queue.name] {
			return fmt.Errorf("two workers for the queue %s", w.queue.name)
		}
		queues[w.queue.name] = true
	}
	handling, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	token := rand.Text()
	ended := make(chan struct{})
	var group sync.WaitGroup
	for _, w := range workers {
		group.Add(1)
		go func() {
			defer group.Done()
			newProcess(store, w, token).loop(ctx, handling)
		}()
	}
	go func() { group.Wait(); close(ended) }()
	<-ctx.Done()
	grace := time.NewTimer(workers[0].queue.policy.grace)
	defer grace.Stop()
	select {
	case <-ended:
	case <-grace.C:
		stop(ErrStopped)
		<-ended
	}
	return nil
}

// process is one worker of one Run.
type process struct {
	store  *Store
	worker Worker
	queue  *queueTable
	token  string // of the leases, one a process start
	name   string // of this process, for the ledger
	slots  chan struct{}
	more   chan struct{} // a slot came free while more jobs were due

	mu   sync.Mutex
	held map[string]held // attempts in flight, by job
}

type held struct {
	attempt int
	lost    context.CancelCauseFunc
}

func newProcess(store *Store, w Worker, token string) *process {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return &process{
		store: store, worker: w, queue: w.queue, token: token, name: fmt.Sprintf("%s:%d", host, os.Getpid()),
		slots: make(chan struct{}, w.queue.concurrency), more: make(chan struct{}, 1), held: map[string]held{},
	}
}

// loop claims no more jobs than can start now, so that one crash never takes a job along that had not begun.
func (p *process) loop(ctx, handling context.Context) {
	tended, untend := context.WithCancel(context.WithoutCancel(ctx))
	var tending, handlers sync.WaitGroup
	tending.Add(1)
	go func() { defer tending.Done(); p.tend(tended) }()
	defer tending.Wait()
	defer untend()
	defer handlers.Wait()
	poll := time.NewTicker(p.queue.policy.poll)
	defer poll.Stop()
	for ctx.Err() == nil {
		free := cap(p.slots) - len(p.slots)
		jobs, err := p.store.claim(ctx, p.queue.name, free, p.token, p.name, p.queue.lease)
		if err != nil && ctx.Err() == nil {
			slog.ErrorContext(ctx, "claim failed", "queue", p.queue.name, "error", err)
		}
		for _, c := range jobs {
			p.slots <- struct{}{}
			handlers.Add(1)
			go func() {
				defer handlers.Done()
				p.attempt(handling, c)
				<-p.slots
				select {
				case p.more <- struct{}{}:
				default:
				}
			}()
		}
		if len(jobs) < free { // nothing else is due: wait for the poll, not for a slot
			select {
			case <-ctx.Done():
			case <-poll.C:
			}
			continue
		}
		select {
		case <-ctx.Done():
		case <-poll.C:
		case <-p.more:
		}
	}
}
