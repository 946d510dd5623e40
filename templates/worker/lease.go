package worker

import (
	"context"
	"log/slog"
	"time"
)

func (p *process) hold(c claimed, lost context.CancelCauseFunc) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held[c.jobID] = held{c.attempt, lost}
}

func (p *process) release(c claimed) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held[c.jobID].attempt == c.attempt {
		delete(p.held, c.jobID)
	}
}

// tend renews the leases of this process at a third of their length, and ends the attempts of processes that have
// gone silent. It renews before it reaps, and goes on until the last handler has returned.
func (p *process) tend(ctx context.Context) {
	tick := time.NewTicker(min(p.queue.policy.poll, p.queue.lease/3))
	defer tick.Stop()
	renewed := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if time.Since(renewed) >= p.queue.lease/3-p.queue.policy.poll {
			if err := p.renew(ctx); err != nil {
				slog.ErrorContext(ctx, "renewal failed", "queue", p.queue.name, "error", err)
				continue
			}
			renewed = time.Now()
		}
		if err := p.reap(ctx); err != nil && ctx.Err() == nil {
			slog.ErrorContext(ctx, "reaping failed", "queue", p.queue.name, "error", err)
		}
	}
}

// renew extends the leases of the attempts in flight, and ends the context of those that are no longer ours.
func (p *process) renew(ctx context.Context) error {
	p.mu.Lock()
	asked := make(map[string]held, len(p.held))
	ids := make([]string, 0, len(p.held))
	for id, h := range p.held {
		asked[id] = h
		ids = append(ids, id)
	}
	p.mu.Unlock()
	if len(ids) == 0 {
		return nil
	}
	owned, err := p.store.renew(ctx, ids, p.token, p.queue.lease)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, h := range asked {
		// An attempt that ended while the statement ran is no lost one.
		if owned[id] != h.attempt && p.held[id].attempt == h.attempt {
			h.lost(ErrLeaseLost)
		}
	}
	return nil
}

// reap ends the attempts whose lease is over: a row in the ledger, and the policy's decision about the job.
func (p *process) reap(ctx context.Context) error {
	over, err := p.store.expired(ctx, p.queue.name, 100)
	if err != nil {
		return err
	}
	for _, c := range over {
		r := p.queue.rule(c, p.queue.policy.crash(), errCrashed)
		r.Reaped = true
		accepted, err := p.store.finish(ctx, r, nil)
		if err != nil {
			return err
		}
		if accepted {
			r.log(slog.With("job_id", c.jobID, "queue", p.queue.name, "attempt", c.attempt), "attempt crashed")
		}
	}
	return nil
}
