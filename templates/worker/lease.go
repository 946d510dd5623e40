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
	tick := time.NewTicker(min(p.policy().poll, p.shortestLease()/6))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := p.renew(ctx, time.Now()); err != nil && ctx.Err() == nil {
			p.outage()
			slog.ErrorContext(ctx, "leases could not be renewed", "error", err)
		}
		if time.Now().UnixNano() < p.judgeAfter.Load() {
			continue
		}
		if err := p.reap(ctx); err != nil && ctx.Err() == nil {
			p.outage()
			slog.ErrorContext(ctx, "expired leases could not be looked at", "error", err)
		}
	}
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
	p.judgeAfter.Store(time.Now().Add(longest).UnixNano())
}

// renew extends the leases that are a third over, and ends the context of attempts whose lease is lost or was not
// renewed for four fifths of its length.
func (p *process) renew(ctx context.Context, now time.Time) error {
	due := map[string]*flight{}
	var ask []leased
	p.mu.Lock()
	for id, f := range p.flights {
		if lease := f.lane.queue.lease; now.Sub(f.renewed) >= lease/3 {
			due[id] = f
			ask = append(ask, leased{id, f.attempt, lease.Milliseconds()})
		}
	}
	p.mu.Unlock()
	if len(ask) == 0 {
		return nil
	}
	answers, err := p.store.renew(ctx, ask, p.token)
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
		case now.Sub(f.renewed) > f.lane.queue.lease*4/5:
			f.lost(ErrLeaseLost)
		}
	}
	return err
}

// reap ends attempts whose lease is over: a row in the ledger for each, and the policy's decision about its job. Only
// queues of this process are judged.
func (p *process) reap(ctx context.Context) error {
	queues := map[string]*queueTable{}
	for _, l := range p.lanes {
		queues[l.queue.name] = l.queue
	}
	ended, err := p.store.reap(ctx, slices.Sorted(maps.Keys(queues)), func(c claimed) result {
		q := queues[c.queue]
		return q.rule(c, q.policy.crash(c.company), errCrashed)
	})
	for c, r := range ended {
		r.log(c.logger(), "attempt crashed")
	}
	return err
}
