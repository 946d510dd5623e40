package worker

import (
	"context"
	"log/slog"
	"time"
)

// want is a claim: up to n due jobs of a queue, or one that has to run alone.
type want struct {
	queue string
	n     int
	lease time.Duration
	alone bool
}

// turn writes what has ended and claims as many jobs as can start now, in one transaction.
func (p *process) turn(ctx context.Context, stopping bool) {
	if p.astray && !p.giveBack(ctx) {
		return
	}
	batch := p.unwritten
	wants := p.wants(len(batch), stopping)
	if len(batch)+len(wants) == 0 {
		return
	}
	accepted, jobs, err := p.finish(ctx, resultsOf(batch), wants)
	if err != nil {
		slog.ErrorContext(ctx, "a turn failed; its attempts are kept", "attempts", len(batch), "error", err)
		p.astray = p.astray || len(wants) > 0 && away(err)
		p.unwritten = p.salvage(ctx, batch, err)
		return
	}
	p.failing, p.unwritten = 0, nil
	soon := p.policy().poll
	for _, f := range batch {
		p.conclude(f, accepted[f.jobID])
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
	for i := range jobs {
		p.claimed(wants[i], jobs[i])
	}
}

// wants are no more than the slots that are free once the batch is written. A due job that has to run alone stops all
// claims until nothing runs, and is then claimed before any other. An end that the database refuses is no handler that
// runs.
func (p *process) wants(written int, stopping bool) (wants []want) {
	idle := p.running() == written+len(p.stubborn)
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
	byLane := map[*lane]int{}
	for _, f := range p.unwritten {
		byLane[f.lane]++
	}
	for _, l := range p.lanes {
		if free := l.queue.concurrency - l.running + byLane[l]; free > 0 && (l.more || byLane[l] > 0) { // beside an end it costs next to nothing
			wants = append(wants, want{queue: l.queue.name, n: free, lease: l.queue.lease})
		}
	}
	return wants
}

// claimed starts the jobs that a want brought.
func (p *process) claimed(w want, jobs []claimed) {
	for _, l := range p.lanes {
		if l.queue.name != w.queue {
			continue
		}
		if !w.alone {
			l.more = len(jobs) == w.n
		}
		for _, c := range jobs {
			p.alone = p.alone || w.alone
			p.start(l, c)
		}
	}
	if w.alone && len(jobs) == 0 && !p.alone {
		p.loneDue = false
	}
}

// salvage finds out what of a batch that failed with err is in the database all the same, since the answer to a commit
// can be lost, and writes the rest in halves, so that one row never holds back the others. A database that takes nothing
// is no row's fault: then all is kept as it is. It answers what has to be tried again.
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
