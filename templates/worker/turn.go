package worker

import (
	"context"
	"log/slog"
	"slices"
	"time"
)

// want is a claim: up to n due jobs of a queue, or one that has to run alone.
type want struct {
	queue string
	n     int
	lease time.Duration
	alone bool
}

// turn goes to the database and back once: it writes what has ended and claims as many jobs as can start, in one transaction.
type turn struct {
	batch    []*flight
	wants    []want
	reserved map[*lane]int // slots that it may fill beside those that its batch frees

	accepted map[string]bool
	jobs     [][]claimed
	err      error
}

// fullTurn is how many jobs make a turn worth its own cost, which is that of a commit: it is not split below that.
const fullTurn = 64

// begin sends a turn off, where there is work for one and no more are on their way than help. A database that has failed
// gets one at a time.
func (p *process) begin(ctx context.Context, stopping bool) bool {
	turns := p.out
	//retryc:if broker
	turns -= p.claims
	//retryc:end
	if turns > 0 && (turns == turnsAtOnce || p.failing > 0) || p.astray && p.out > 0 {
		return false
	}
	if p.astray && !p.giveBack(ctx) {
		return false
	}
	t := &turn{batch: p.unwritten, reserved: map[*lane]int{}}
	ends := map[*lane]int{}
	for _, f := range t.batch {
		ends[f.lane]++
	}
	t.wants = p.wants(ends, stopping)
	load := len(t.batch)
	for _, w := range t.wants {
		load += w.n
	}
	if load == 0 && turns == 0 {
		p.failing = 0 // nothing is left to try the database with
	}
	if load == 0 || turns > 0 && load < max(p.slots-p.share, fullTurn/2) { // a commit costs as much for one row as for many
		return false
	}
	for _, w := range t.wants {
		l := p.laneOf(w)
		p.alone = p.alone || w.alone
		l.more = l.more && w.alone
		if more := w.n - ends[l]; more > 0 {
			t.reserved[l] += more
			l.reserved += more
		}
	}
	p.unwritten = nil
	p.out++
	go func() {
		t.accepted, t.jobs, t.err = p.finish(ctx, resultsOf(t.batch), t.wants)
		p.back <- t
	}()
	return true
}

// complete takes in what a turn has brought back.
func (p *process) complete(ctx context.Context, t *turn) {
	p.out--
	for l, n := range t.reserved {
		l.reserved -= n
	}
	if t.err != nil {
		slog.ErrorContext(ctx, "a turn failed; its attempts are kept", "attempts", len(t.batch), "error", t.err)
		p.astray = p.astray || len(t.wants) > 0 && away(t.err)
		for _, w := range t.wants {
			p.laneOf(w).more = true
		}
		p.unwritten = append(p.salvage(ctx, t.batch, t.err), p.unwritten...)
		return
	}
	p.failing = 0
	soon := p.policy().poll
	for _, f := range t.batch {
		p.conclude(f, t.accepted[f.jobID])
		//retryc:if broker
		if f.lane.broker != nil { // a message is on its way
			continue
		}
		//retryc:end
		if f.result.Decision == "retry" {
			soon = min(soon, milliseconds(f.result.DelayMS))
		}
	}
	if soon < p.policy().poll { // the poll would come too late
		time.AfterFunc(soon, func() {
			select {
			case p.retry <- struct{}{}:
			default:
			}
		})
	}
	for i, w := range t.wants {
		l := p.laneOf(w)
		switch {
		case i >= len(t.jobs): // it was not looked at, behind a job that runs alone
			l.more = true
			continue
		case w.alone:
			p.alone = len(t.jobs[i]) > 0
			p.loneDue = p.alone
		case len(t.jobs[i]) == w.n:
			l.more = true
		}
		for _, c := range t.jobs[i] {
			p.start(l, c)
		}
	}
}

// wants are no more than the slots that are free once a batch is written that ends so many attempts of each lane, and no
// more than this turn's share, so that handlers run while the next turn is on its way. A due job that has to run alone stops
// all claims until nothing runs, and is then claimed before any other. An end that the database refuses is no handler that
// runs.
func (p *process) wants(ends map[*lane]int, stopping bool) (wants []want) {
	written := len(p.stubborn)
	for _, n := range ends {
		written += n
	}
	idle := p.out == 0 && p.running() == written
	if idle {
		p.alone = false
	}
	if stopping || !idle && (p.alone || p.loneDue) {
		return nil
	}
	if p.loneDue {
		for _, l := range p.lanes {
			wants = append(wants, want{queue: l.queue.name, n: 1, lease: l.queue.lease, alone: true})
		}
	}
	//retryc:if broker_message
	if p.loneAsked() { // by a message: that comes next
		return wants
	}
	//retryc:end
	for _, l := range p.lanes {
		free := min(l.queue.concurrency-l.running-l.reserved+ends[l], l.share)
		due := l.more || ends[l] > 0 // beside an end it costs next to nothing to look
		//retryc:if broker
		due = due && (l.more || l.broker == nil)
		//retryc:end
		if free > 0 && due {
			wants = append(wants, want{queue: l.queue.name, n: free, lease: l.queue.lease})
		}
	}
	return wants
}

func (p *process) laneOf(w want) *lane {
	return p.lanes[slices.IndexFunc(p.lanes, func(l *lane) bool { return l.queue.name == w.queue })]
}

// salvage finds out what of a batch that failed with err is in the database all the same, since the answer to a commit
// can be lost, and writes the rest in halves, so that one row never holds back the others. A database that takes nothing
// is no row's fault: then all is kept as it is. Nor is it where there is none: then a claim was refused. It answers what
// has to be tried again.
func (p *process) salvage(ctx context.Context, batch []*flight, err error) (left []*flight) {
	recorded, unknown := p.recorded(ctx, resultsOf(batch))
	var rest []*flight
	for _, f := range batch {
		if recorded[f.jobID] {
			p.conclude(f, true)
		} else {
			rest = append(rest, f)
		}
	}
	if unknown != nil || away(err) {
		p.failing++
		p.outage()
		return rest
	}
	if len(batch) == 0 {
		p.failing++
		return nil
	}
	p.failing = 0
	if len(rest) == 1 {
		return p.writeAlone(ctx, rest[0])
	}
	for len(rest) > 0 {
		half := rest[:(len(rest)+1)/2]
		rest = rest[len(half):]
		accepted, _, err := p.finish(ctx, resultsOf(half), nil)
		if err != nil {
			left = append(left, p.salvage(ctx, half, err)...)
			if p.failing > 0 { // it does not answer any more
				return append(left, rest...)
			}
			continue
		}
		for _, f := range half {
			p.conclude(f, accepted[f.jobID])
		}
	}
	return left
}

// writeAlone writes a row that others failed with. If the database takes it without its text, that was what it refused.
func (p *process) writeAlone(ctx context.Context, f *flight) (left []*flight) {
	accepted, _, err := p.finish(ctx, resultsOf([]*flight{f}), nil)
	if err != nil && !away(err) && f.result.Detail != "" {
		stub := f.result
		stub.Detail = "the database refused the error's text"
		if accepted, _, err = p.finish(ctx, []result{stub}, nil); err == nil {
			f.result = stub
		}
	}
	if err == nil {
		p.conclude(f, accepted[f.jobID])
		return nil
	}
	if away(err) {
		p.failing++
		p.outage()
		return []*flight{f}
	}
	f.logger().Error("the end of an attempt is refused; trying again", "error", err)
	p.stubborn = append(p.stubborn, f)
	return nil
}

func resultsOf(batch []*flight) []result {
	results := make([]result, len(batch))
	for i, f := range batch {
		results[i] = f.result
	}
	return results
}
