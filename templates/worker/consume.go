//retryc:when broker

package worker

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// ask is a consumer's question for slots. The answer may be none: its messages are for another process.
type ask struct {
	lane  *lane
	n     int
	peek  bool // only to know how many there are
	slots chan int

	//retryc:if broker_message
	alone bool      // for one, while nothing else runs
	since time.Time // when it was asked
	//retryc:end
}

// arrival is what a consumer has claimed in the slots that it was given.
type arrival struct {
	lane  *lane
	slots int
	jobs  []claimed
	lone  bool // a job is due that has to run alone
	err   error

	//retryc:if broker_message
	alone bool // it was asked for while nothing else ran
	//retryc:end
}

// consumeAll takes the messages of every lane that has a broker, each on a goroutine of its own.
func (p *process) consumeAll(ctx context.Context, group *sync.WaitGroup) {
	for _, l := range p.lanes {
		if l.broker != nil {
			group.Go(func() { p.consume(ctx, l) })
		}
	}
}

// announced says that every lane has a broker: then the poll is for what a broker has lost, and comes no sooner than that.
func (p *process) announced() bool {
	return !slices.ContainsFunc(p.lanes, func(l *lane) bool { return l.broker == nil })
}

// consume receives messages until ctx ends, and claims the jobs that they announce as slots get free. A message is
// acknowledged once its claim has committed; one that was not comes again.
func (p *process) consume(ctx context.Context, l *lane) {
	for wait := time.Second; ctx.Err() == nil; {
		messages, err := l.broker.receive(ctx, p.room(ctx, l))
		if err != nil && ctx.Err() == nil {
			slog.WarnContext(ctx, "no messages can be received; trying again", "queue", l.queue.name, "error", err, "next_try", wait)
			pause(ctx, wait)
			wait = min(2*wait, time.Minute)
			continue
		}
		wait = time.Second
		//retryc:if broker_message
		l.custody.take(messages)
		//retryc:end
		pending := p.read(ctx, l, messages)
		for len(pending) > 0 {
			n := p.slotsFor(ctx, &ask{lane: l, n: len(pending), slots: make(chan int, 1)})
			if n == 0 {
				break
			}
			p.take(ctx, l, pending[:n])
			pending = pending[n:]
		}
		for _, a := range pending { // for another process
			p.putBack(l, a.delivery, 0)
		}
	}
}

// room is for how many messages there is: all that can run at once, where slots get free all the time. Where they do not,
// it is as many as are free, and the others are left to processes that have some.
func (p *process) room(ctx context.Context, l *lane) int {
	asked := time.Now()
	free := p.slotsFor(ctx, &ask{lane: l, n: l.queue.concurrency, peek: true, slots: make(chan int, 1)})
	if time.Since(asked) < shortWait {
		return l.queue.concurrency
	}
	return free
}

// shortWait is how long a message can be held for a slot that gets free, while others might have one.
const shortWait = time.Second

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// slotsFor waits for slots. None: the process stops, or has had none for long.
func (p *process) slotsFor(ctx context.Context, a *ask) int {
	//retryc:if broker_message
	a.since = time.Now()
	//retryc:end
	select {
	case p.asks <- a:
		return <-a.slots
	case <-ctx.Done():
		return 0
	}
}

// take claims what is announced, hands it to the loop, and answers the broker.
func (p *process) take(ctx context.Context, l *lane, now []announced) {
	jobs, others, err := p.claimNamed(l, now, false)
	lone := false
	for _, f := range others {
		lone = lone || f.whole && f.alone && f.due()
	}
	//retryc:if broker_message
	load(now, jobs)
	//retryc:end
	p.arrived <- arrival{lane: l, slots: len(now), jobs: jobs, lone: lone, err: err}
	if err != nil {
		slog.ErrorContext(ctx, "what was announced could not be claimed", "queue", l.queue.name, "jobs", len(now), "error", err)
		for _, a := range now {
			p.putBack(l, a.delivery, p.policy().poll)
		}
		return
	}
	//retryc:if broker_message
	now = p.settleCarried(ctx, l, now, jobs, others)
	//retryc:end
	done := make([]delivery, 0, len(now))
	for _, a := range now {
		if f, there := others[a.JobID]; !there || !f.early(a) || p.again(l, a, f.in) {
			done = append(done, a.delivery)
		}
	}
	p.acknowledge(l, done...)
}

// claimNamed is the store's, in time.
func (p *process) claimNamed(l *lane, now []announced, alone bool) (jobs []claimed, others map[string]found, err error) {
	ctx, cancel := context.WithTimeout(p.writing, p.answerTime())
	defer cancel()
	return p.store.claimNamed(ctx, l.queue, p.token, p.name, alone, now)
}

// found is a job as it was found that was announced and not claimed.
type found struct {
	generation, attempt int
	state               string
	alone               bool
	whole               bool          // the row has the payload
	sum                 string        // SHA-256 of the payload
	in                  time.Duration // until it is due; of one that runs, until its lease is over
}

func (f found) due() bool { return f.state == "scheduled" && f.in <= 0 }

// early says that the announcement has come too soon. Any other that claims nothing has come too late.
func (f found) early(a announced) bool {
	return f.state == "scheduled" && f.in > 0 && f.generation == a.Generation && f.attempt == a.Attempt-1
}

// again announces a job for the rest of its wait, and reports whether the broker has that for good. Else the message that
// came early comes again.
func (p *process) again(l *lane, a announced, rest time.Duration) bool {
	ctx, cancel := context.WithTimeout(p.writing, announceTime)
	defer cancel()
	err := l.broker.publish(ctx, []message{a.announcement.message(l.broker, rest)})
	if err != nil {
		slog.WarnContext(ctx, "a job could not be announced again: its message stays", "job_id", a.JobID, "queue", l.queue.name, "error", err)
		p.putBack(l, a.delivery, p.policy().poll)
	}
	return err == nil
}

// acknowledge removes messages. One that stays comes again, and finds its job taken.
func (p *process) acknowledge(l *lane, messages ...delivery) {
	if len(messages) == 0 {
		return
	}
	//retryc:if broker_message
	defer l.custody.release(messages...)
	//retryc:end
	ctx, cancel := context.WithTimeout(p.writing, announceTime)
	defer cancel()
	if err := l.broker.acknowledge(ctx, messages); err != nil {
		slog.WarnContext(ctx, "messages could not be acknowledged: they come again", "queue", l.queue.name, "messages", len(messages), "error", err)
	}
}

func (p *process) putBack(l *lane, m delivery, delay time.Duration) {
	//retryc:if broker_message
	defer l.custody.release(m)
	//retryc:end
	ctx, cancel := context.WithTimeout(p.writing, announceTime)
	defer cancel()
	if err := l.broker.putBack(ctx, m, delay); err != nil {
		slog.WarnContext(ctx, "a message could not be put back: it comes again when the broker lets it", "queue", l.queue.name, "message_id", m.messageID, "error", err)
	}
}

// grant answers consumers that ask for slots. While a job runs alone or has to, and while the database does not answer,
// they wait.
func (p *process) grant(stopping bool) {
	for _, l := range p.lanes {
		if l.asking == nil {
			continue
		}
		free := min(l.asking.n, l.queue.concurrency-l.running-l.reserved)
		//retryc:if broker_message
		if p.loneAsked() && !(l.asking.alone && p.out == 0 && p.running() == len(p.stubborn)) {
			free = 0
		}
		//retryc:end
		switch {
		case stopping:
			free = 0
		case free <= 0 || p.alone || p.loneDue || p.failing > 0 || p.astray:
			//retryc:if broker_message
			if l.leaves() {
				l.asking.slots <- 0
				l.asking = nil
			}
			//retryc:end
			continue
		case l.asking.peek:
		default:
			//retryc:if broker_message
			p.alone = l.asking.alone
			//retryc:end
			l.reserved += free
			p.out++
			p.claims++
		}
		l.asking.slots <- free
		l.asking = nil
	}
}

// arrive starts what a consumer has claimed.
func (p *process) arrive(a arrival) {
	p.out--
	p.claims--
	a.lane.reserved -= a.slots
	p.loneDue = p.loneDue || a.lone
	//retryc:if broker_message
	p.alone = p.alone && !(a.alone && len(a.jobs) == 0)
	//retryc:end
	if a.err != nil {
		p.astray = p.astray || away(a.err)
		if away(a.err) {
			p.failing++
			p.outage()
		}
		return
	}
	for _, c := range a.jobs {
		p.start(a.lane, c)
	}
}
