package worker

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"time"
)

// leased is one lease to renew, and renewal the answer: the lease was renewed, or it is ours but the row is busy. A
// job without an answer is lost.
type leased struct {
	JobID   string `json:"job_id"`
	Attempt int    `json:"attempt"`
	LeaseMS int64  `json:"lease_ms"`
}

type renewal struct {
	attempt int
	renewed bool
}

// tend keeps the leases of this process, and ends the attempts of processes that have gone silent: it renews before it
// reaps, and goes on until the last handler has returned.
func (p *process) tend(ctx context.Context) {
	shortest := p.shortestLease()
	tick := time.NewTicker(min(p.policy().poll, shortest/6))
	defer tick.Stop()
	for last := time.Now(); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := p.renew(ctx, time.Now()); err != nil && ctx.Err() == nil {
			p.outage()
			slog.ErrorContext(ctx, "leases could not be renewed", "error", err)
		}
		now := time.Now()
		if passed(last, now) > shortest/2 { // this process stood still or had to wait: so may the others have
			p.outage()
		}
		last = now
		if time.Since(p.began) < time.Duration(p.judgeAfter.Load()) {
			continue
		}
		if err := p.reap(ctx); err != nil && ctx.Err() == nil {
			if away(err) {
				p.outage()
			}
			slog.ErrorContext(ctx, "expired leases could not be looked at", "error", err)
		}
	}
}

// passed is the time between two readings of the clock, by the monotonic clock or by the wall clock, whichever says
// more: the first stands still while a machine sleeps, and the leases run on.
func passed(from, to time.Time) time.Duration {
	return max(to.Sub(from), to.Round(0).Sub(from.Round(0)))
}

func (p *process) shortestLease() time.Duration {
	shortest := p.lanes[0].queue.lease
	for _, l := range p.lanes {
		shortest = min(shortest, l.queue.lease)
	}
	return shortest
}

// outage makes the reaper wait for one lease: the others could not renew theirs either.
func (p *process) outage() {
	longest := time.Duration(0)
	for _, l := range p.lanes {
		longest = max(longest, l.queue.lease)
	}
	p.judgeAfter.Store(int64(time.Since(p.began) + longest))
}

// renew extends the leases that are a third over, and ends the context of attempts whose lease is lost or was not
// renewed for four fifths of its length. A database that does not answer is not waited for any longer than that.
func (p *process) renew(ctx context.Context, now time.Time) error {
	due := map[string]*flight{}
	var ask []leased
	p.mu.Lock()
	for id, f := range p.flights {
		if lease := f.lane.queue.lease; passed(f.renewed, now) >= lease/3 {
			due[id] = f
			ask = append(ask, leased{id, f.attempt, lease.Milliseconds()})
		}
	}
	p.mu.Unlock()
	if len(ask) == 0 {
		return nil
	}
	asked := time.Now()
	answers, err := p.store.renew(ctx, p.shortestLease()/3, ask, p.token)
	waited := time.Since(asked)
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, f := range due {
		if p.flights[id] != f {
			continue // it has ended since
		}
		switch a, ours := answers[id]; {
		case err == nil && !ours || ours && a.attempt != f.attempt:
			f.lost(ErrLeaseLost)
		case ours && a.renewed:
			f.renewed = now
		case now.Sub(f.renewed)+waited > f.lane.queue.lease*4/5:
			f.lost(ErrLeaseLost)
		}
	}
	return err
}

// reap ends attempts whose lease is over: a row in the ledger for each, and the policy's decision about its job. Only
// queues of this process are judged. It gives up on a database that lets it wait: the holders may have to wait too.
func (p *process) reap(ctx context.Context) error {
	queues := map[string]*queueTable{}
	for _, l := range p.lanes {
		queues[l.queue.name] = l.queue
	}
	ended, err := p.store.reap(ctx, p.shortestLease()/3, slices.Sorted(maps.Keys(queues)), func(c claimed) result {
		q := queues[c.queue]
		return q.rule(c, q.policy.crash(c.company), errCrashed)
	})
	for c, r := range ended {
		r.log(c.logger(), "attempt crashed")
		//retryc:if observed
		p.store.seen.Load().attempt(c, &r, 0)
		//retryc:end
		//retryc:if broker
		p.store.announceNext(queues[c.queue], *c, r)
		//retryc:end
	}
	return err
}
