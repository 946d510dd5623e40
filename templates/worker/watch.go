package worker

import (
	"context"
	"fmt"
	"time"
)

// watch gives up handlers that ignore the end of their context: a lease later, or when the process can wait no longer. Such
// a handler loses its slot, and its job does not run in this process before it has returned.
func (p *process) watch(ctx context.Context) {
	tick := time.NewTicker(min(p.shortestLease()/8, p.policy().grace/16, time.Second))
	defer tick.Stop()
	giveUp, hurried := p.giveUp, false
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-giveUp:
			giveUp, hurried = nil, true
		}
		for _, f := range p.ignoring(time.Now(), hurried) {
			f.logger().Error("handler ignores the end of its context")
			p.land(f, nil, fmt.Errorf("the handler did not return: %w", context.Cause(f.run)))
		}
	}
}

// ignoring are the flights that are given up now. They land here, and no more when their handlers return.
func (p *process) ignoring(now time.Time, hurried bool) (given []*flight) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, f := range p.flights {
		if f.landed || f.run.Err() == nil {
			continue
		}
		if f.ending.IsZero() {
			f.ending = now
		}
		if hurried || now.Sub(f.ending) >= f.lane.queue.lease {
			f.landed = true
			p.keepFrom(id)
			given = append(given, f)
		}
	}
	return given
}

// landing says whether a handler that has returned tells how its attempt ended. One that was given up does not: its job
// may run here again.
func (p *process) landing(f *flight) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f.landed {
		delete(p.stuck, f.jobID)
		return false
	}
	f.landed = true
	return true
}

// manyStuck is how many handlers may ignore their context for as long as they like, however few slots there are.
const manyStuck = 10

// keepFrom notes that code of the product goes on for a job whose attempt is over. p.mu is held.
func (p *process) keepFrom(jobID string) {
	p.stuck[jobID] = true
	if len(p.stuck) >= max(manyStuck, p.slots) {
		p.quit()
	}
}

// abandon does so until returned is closed.
func (p *process) abandon(jobID string, returned <-chan error) {
	p.mu.Lock()
	p.keepFrom(jobID)
	p.mu.Unlock()
	go func() {
		<-returned
		p.mu.Lock()
		delete(p.stuck, jobID)
		p.mu.Unlock()
	}()
}
