//retryc:when broker

package worker

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// ask is a consumer's question for slots. The answer may be none: the process stops.
type ask struct {
	lane  *lane
	n     int
	slots chan int
}

// arrival is what a consumer has claimed in the slots that it was given.
type arrival struct {
	lane  *lane
	slots int
	jobs  []claimed
	lone  bool // a job is due that has to run alone
	err   error
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
		messages, err := l.broker.receive(ctx, l.queue.concurrency)
		if err != nil && ctx.Err() == nil {
			slog.WarnContext(ctx, "no messages can be received: the poll finds the jobs", "queue", l.queue.name, "error", err, "next_try", wait)
			pause(ctx, wait)
			wait = min(2*wait, time.Minute)
			continue
		}
		wait = time.Second
		pending := p.read(ctx, l, messages)
		for len(pending) > 0 {
			n := p.slotsFor(ctx, l, len(pending))
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

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// read makes announcements of messages. For those that are payloads it makes the jobs first.
func (p *process) read(ctx context.Context, l *lane, messages []delivery) (pending []announced) {
	for _, m := range messages {
		a, whole := readAnnouncement(m)
		if a.Version == 0 {
			jobID, err := p.adopt(l, m)
			if err != nil {
				slog.ErrorContext(ctx, "a message cannot be made a job now", "queue", l.queue.name, "message_id", m.messageID, "error", err)
				p.putBack(l, m, l.queue.lease)
				continue
			}
			a.announcement, whole = announcement{1, l.queue.name, jobID, 1, 1}, true
		}
		switch {
		case a.Version > 1 || whole && a.Queue != l.queue.name:
			slog.ErrorContext(ctx, "a message is for another program", "queue", l.queue.name, "of", a.Queue, "version", a.Version, "message_id", m.messageID)
			p.putBack(l, m, l.queue.lease)
		case !whole: // whatever it was to announce is in the table
			slog.ErrorContext(ctx, "an announcement is broken: the poll finds its job", "queue", l.queue.name, "message_id", m.messageID)
			p.acknowledge(l, m)
		default:
			pending = append(pending, a)
		}
	}
	return pending
}

// adopt adds the job of a message that is a payload. Where the database refuses something of it, the job is the bare message.
func (p *process) adopt(l *lane, m delivery) (jobID string, err error) {
	ctx, cancel := context.WithTimeout(p.writing, p.answerTime())
	defer cancel()
	j := l.worker.adopt(m)
	_, _, err = p.store.enqueue(ctx, nil, []newJob{j})
	if err != nil && !away(err) {
		j = bare(l.queue, m)
		_, _, err = p.store.enqueue(ctx, nil, []newJob{j})
	}
	return j.JobID, err
}

// slotsFor waits for slots, at most n. None: the process stops.
func (p *process) slotsFor(ctx context.Context, l *lane, n int) int {
	a := &ask{l, n, make(chan int, 1)}
	select {
	case p.asks <- a:
		return <-a.slots
	case <-ctx.Done():
		return 0
	}
}

// take claims what is announced, hands it to the loop, and answers the broker.
func (p *process) take(ctx context.Context, l *lane, now []announced) {
	asked, cancel := context.WithTimeout(p.writing, p.answerTime())
	jobs, others, err := p.store.claimNamed(asked, l.queue, p.token, p.name, now)
	cancel()
	lone := false
	for _, f := range others {
		lone = lone || f.scheduled && f.alone && f.dueIn <= 0
	}
	p.arrived <- arrival{l, len(now), jobs, lone, err}
	if err != nil {
		slog.ErrorContext(ctx, "what was announced could not be claimed", "queue", l.queue.name, "jobs", len(now), "error", err)
		for _, a := range now {
			p.putBack(l, a.delivery, p.policy().poll)
		}
		return
	}
	done := make([]delivery, 0, len(now))
	for _, a := range now {
		if f, there := others[a.JobID]; !there || !f.early(a) || p.again(l, a, f.dueIn) {
			done = append(done, a.delivery)
		}
	}
	p.acknowledge(l, done...)
}

// found is a job as it was found that was announced and not claimed.
type found struct {
	generation, attempt int
	scheduled, alone    bool
	dueIn               time.Duration
}

// early says that the announcement has come too soon. Any other that claims nothing has come too late.
func (f found) early(a announced) bool {
	return f.scheduled && f.generation == a.Generation && f.attempt == a.Attempt-1 && f.dueIn > 0
}

// again announces a job for the rest of its wait, and reports whether the broker has that for good.
func (p *process) again(l *lane, a announced, rest time.Duration) bool {
	ctx, cancel := context.WithTimeout(p.writing, announceTime)
	defer cancel()
	err := l.broker.publish(ctx, []message{a.message(l.broker, rest)})
	if err != nil {
		slog.WarnContext(ctx, "a job could not be announced again: its message stays", "job_id", a.JobID, "queue", l.queue.name, "error", err)
	}
	return err == nil
}

// acknowledge removes messages. One that stays comes again, and finds its job taken.
func (p *process) acknowledge(l *lane, messages ...delivery) {
	if len(messages) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(p.writing, announceTime)
	defer cancel()
	if err := l.broker.acknowledge(ctx, messages); err != nil {
		slog.WarnContext(ctx, "messages could not be acknowledged: they come again", "queue", l.queue.name, "messages", len(messages), "error", err)
	}
}

func (p *process) putBack(l *lane, m delivery, delay time.Duration) {
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
		switch {
		case stopping:
			free = 0
		case free <= 0 || p.alone || p.loneDue || p.failing > 0 || p.astray:
			continue
		default:
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
