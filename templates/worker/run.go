package worker

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Run works the queues until ctx ends. Then it takes no more jobs and gives the handlers in flight worker.grace to
// finish: after four fifths of it their contexts end, with ErrStopped as the cause, and such a run costs its job
// none of its failures. Run returns nil on a clean stop, ErrStuck if a handler ignored the end of its context, and
// an error at once where the workers cannot run together. It stops by itself, with ErrStuck, once ten handlers, and
// as many as it has slots, ignore the end of theirs: a new process is rid of them.
func Run(ctx context.Context, store *Store, workers ...Worker) error {
	p, err := newProcess(ctx, store, rand.Text(), workers...)
	if err != nil {
		return err
	}
	return p.run(ctx)
}

// process is one Run: the lanes of its queues, and the attempts in flight.
type process struct {
	store *Store
	lanes []*lane
	token string // of every lease: one a process start
	name  string // for the ledger

	handling context.Context // of all handlers
	stop     context.CancelCauseFunc
	giveUp   chan struct{} // closed when a stopping process waits no longer
	ended    chan *flight
	back     chan *turn         // turns that are back
	retry    chan struct{}      // a retry that was written here is due
	slots    int                // of all lanes
	share    int                // of them, for one turn
	quit     context.CancelFunc // stops the process of its own accord
	writing  context.Context    // of what is written; it ends with the grace
	unwrite  context.CancelCauseFunc

	//retryc:if broker
	asks    chan *ask
	arrived chan arrival
	claims  int // of those on their way, that are of what was announced; owned by the loop
	//retryc:end

	//retryc:if broker_message
	answering sync.WaitGroup // what brokers are told beside the loop
	//retryc:end

	// Owned by the loop.
	out       int       // on their way to the database and back
	unwritten []*flight // ended, in no turn, and not yet in the database
	stubborn  []*flight // those that the database has refused one by one
	failing   int       // turns in a row in which the database did not answer, or refused a claim
	refused   int       // rounds in a row that left something stubborn
	astray    bool      // a claim failed, and may have been taken all the same
	loneDue   bool      // a job that has to run alone is due
	alone     bool      // one is in flight, or asked for

	began      time.Time
	judgeAfter atomic.Int64 // time since began in ns: an outage is over for long enough to tell a dead process from a slow one

	mu      sync.Mutex
	flights map[string]*flight // by job
	stuck   map[string]bool    // jobs whose handler has been given up and has not returned
}

// lane is one queue of a process.
type lane struct {
	worker   Worker
	queue    *queueTable
	running  int
	share    int  // of the slots, for one turn
	reserved int  // slots that turns on their way may fill, beside those that they free
	more     bool // more may be due than the last claim took

	//retryc:if broker
	broker broker // whose messages say what is due; nil: the queue is in the table alone
	asking *ask   // for slots
	//retryc:end

	//retryc:if broker_message
	custody  custody
	removals removals
	//retryc:end
}

// expect makes the next turn look for due jobs.
func (l *lane) expect() {
	//retryc:if broker
	if l.broker != nil { // its messages say when
		return
	}
	//retryc:end
	l.more = true
}

// newProcess makes a process whose handlers see the values of ctx, and not its end.
func newProcess(ctx context.Context, store *Store, token string, workers ...Worker) (*process, error) {
	if len(workers) == 0 {
		return nil, errors.New("no worker to run")
	}
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	p := &process{
		store: store, token: token, began: time.Now(), quit: func() {}, name: fmt.Sprintf("%s:%d", host, os.Getpid()),
		giveUp: make(chan struct{}), flights: map[string]*flight{}, stuck: map[string]bool{},
	}
	p.handling, p.stop = context.WithCancelCause(context.WithoutCancel(ctx))
	p.writing, p.unwrite = context.WithCancelCause(context.WithoutCancel(ctx))
	queues := map[string]bool{}
	for _, w := range workers {
		if w.queue == nil || w.run == nil {
			return nil, errors.New("a worker has no handler")
		}
		if queues[w.queue.name] {
			return nil, fmt.Errorf("two workers for the queue %s", w.queue.name)
		}
		queues[w.queue.name] = true
		n := w.queue.concurrency
		l := &lane{worker: w, queue: w.queue, share: min(n, max(fullTurn, (n+turnsAtOnce-1)/turnsAtOnce)), more: true}
		//retryc:if broker
		if err := store.connected(l.queue); err != nil {
			return nil, err
		}
		if a := store.wakes.announcer(l.queue.name); a != nil {
			l.broker = a.broker
		}
		//retryc:end
		p.lanes = append(p.lanes, l)
		p.slots, p.share = p.slots+n, p.share+l.share
	}
	p.ended, p.back, p.retry = make(chan *flight, p.slots), make(chan *turn, turnsAtOnce), make(chan struct{}, 1)
	//retryc:if broker
	p.asks, p.arrived = make(chan *ask), make(chan arrival, len(p.lanes))
	//retryc:end
	return p, nil
}

func (p *process) policy() *policyTable { return p.lanes[0].queue.policy }

func (p *process) run(ctx context.Context) error {
	callers := ctx
	ctx, p.quit = context.WithCancel(ctx)
	defer p.quit()
	tending, untend := context.WithCancel(context.WithoutCancel(ctx))
	var tender sync.WaitGroup
	tender.Go(func() { p.tend(tending) })
	tender.Go(func() { p.watch(tending) })
	//retryc:if broker
	p.consumeAll(ctx, &tender)
	//retryc:end
	//retryc:if broker_message
	p.keepAll(tending, &tender)
	defer p.letGo()
	//retryc:end
	defer tender.Wait()
	defer untend()
	defer p.stop(nil)

	grace := p.policy().grace
	unwatch := context.AfterFunc(ctx, func() {
		slog.Info("worker stopping", "grace", grace)
		time.AfterFunc(grace*8/10, func() { p.stop(ErrStopped) })
		time.AfterFunc(grace*9/10, func() { close(p.giveUp) })
		time.AfterFunc(grace*9/10+max(grace/10, time.Second), func() { p.unwrite(ErrStopped) })
	})
	defer unwatch()
	p.loop(ctx, p.store.listen(tending))

	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case len(p.unwritten)+len(p.stubborn) > 0:
		return fmt.Errorf("the ends of %d attempts could not be written; their leases run out", len(p.unwritten)+len(p.stubborn))
	case p.astray:
		return errors.New("claims whose answer was lost could not be given back; their leases run out")
	case len(p.stuck) > 0 || callers.Err() == nil:
		return fmt.Errorf("%w: %d of them", ErrStuck, len(p.stuck))
	}
	return nil
}

// firstPoll is how soon the table is looked at again where something was due; from there the wait doubles up to
// worker.poll.
const firstPoll = 10 * time.Millisecond

// loop writes what has ended and claims what can start, in turns: what ends while turns are on their way is the next
// turn's batch, so that batches grow with the load. It returns once nothing is in flight after ctx has ended and no claim is
// astray, or once the grace is over.
func (p *process) loop(ctx context.Context, wake <-chan struct{}) {
	wait := min(firstPoll, p.policy().poll)
	//retryc:if broker
	if p.announced() {
		wait = p.policy().poll
	}
	//retryc:end
	poll := time.NewTimer(wait)
	defer poll.Stop()
	stopping, giveUp := ctx.Done(), p.giveUp
	var again <-chan time.Time // when to try what the database has refused
	for {
		if ctx.Err() != nil && p.out == 0 && (p.running() == 0 && (!p.astray || giveUp == nil) || giveUp == nil && p.lost()) {
			//retryc:if broker
			p.grant(true) // nobody else answers those that ask
			//retryc:end
			return
		}
		for p.failing == 0 && p.begin(p.writing, ctx.Err() != nil) {
		}
		if again == nil && p.out == 0 && (p.failing > 0 || len(p.stubborn) > 0) {
			again = time.After(min(50*time.Millisecond<<min(p.failing+p.refused, 7), 5*time.Second))
		}
		//retryc:if broker
		p.grant(ctx.Err() != nil)
		//retryc:end
		select {
		case f := <-p.ended:
			p.collect(f)
		case t := <-p.back:
			p.complete(p.writing, t)
		//retryc:if broker
		case a := <-p.asks:
			a.lane.asking = a
		case a := <-p.arrived:
			p.arrive(a)
		//retryc:end
		case <-again:
			again = nil
			p.refused++
			if len(p.stubborn) == 0 {
				p.refused = 0
			}
			p.unwritten, p.stubborn = append(p.unwritten, p.stubborn...), nil
			p.begin(p.writing, ctx.Err() != nil)
		case <-poll.C:
			wait = min(2*wait, p.policy().poll)
			if p.look(ctx) {
				wait = min(firstPoll, wait)
			}
			poll.Reset(wait)
		case <-wake:
			p.claimAll()
		case <-p.retry: // others of the same turn may follow
			p.claimAll()
			wait = min(firstPoll, wait)
			poll.Reset(wait)
		case <-stopping:
			stopping = nil
		case <-giveUp:
			giveUp = nil
			p.unwritten, p.stubborn = append(p.unwritten, p.stubborn...), nil
			p.failing = 0 // once more
		}
	}
}

// collect takes an attempt that has ended, and all others that have ended by now. Before it says so, it lets the handlers
// run that can: what still ends then is in this batch, and a commit costs as much for one row as for many.
func (p *process) collect(f *flight) {
	for yielded := false; ; {
		switch {
		case f == nil:
		case f.settled:
			p.conclude(f, f.accepted)
		default:
			p.unwritten = append(p.unwritten, f)
		}
		select {
		case f = <-p.ended:
			yielded = false
		default:
			if yielded {
				return
			}
			f, yielded = nil, true
			runtime.Gosched()
		}
	}
}

// claimAll is for when something new is known to be due: the claim is what looks for it.
func (p *process) claimAll() {
	for _, l := range p.lanes {
		l.expect()
	}
}

// look finds out which queues have something due, without a write, and whether that is news.
func (p *process) look(ctx context.Context) (found bool) {
	names := make([]string, len(p.lanes))
	for i, l := range p.lanes {
		names[i] = l.queue.name
	}
	asked, cancel := context.WithTimeout(p.writing, p.answerTime()) // a stop waits for the answer: it takes no time, and a connection is kept
	defer cancel()
	due, lone, err := p.store.due(asked, names)
	if err != nil {
		if ctx.Err() == nil {
			p.outage()
			slog.ErrorContext(ctx, "the queues could not be looked at", "error", err)
		}
		return false
	}
	p.loneDue = lone
	for _, l := range p.lanes {
		news := due[l.queue.name] && !l.more
		l.more = l.more || due[l.queue.name]
		//retryc:if broker
		news = news && l.broker == nil // its messages come by themselves
		//retryc:end
		found = found || news
	}
	return found || lone
}

// lost says that every handler has landed, and that the database has not taken how.
func (p *process) lost() bool {
	return p.running() == len(p.unwritten)+len(p.stubborn) && (p.failing > 0 || len(p.unwritten) == 0)
}

// running is how many slots are taken. A slot stays taken until the end of its attempt is in the database.
func (p *process) running() int {
	n := 0
	for _, l := range p.lanes {
		n += l.running
	}
	return n
}
