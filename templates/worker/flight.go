package worker

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// flight is an attempt in flight, from its claim until its end is in the database.
type flight struct {
	claimed
	lane    *lane
	lost    context.CancelCauseFunc
	run     context.Context
	cancel  context.CancelFunc
	renewed time.Time // the lease, last; guarded by process.mu

	returned chan struct{} // closed when the handler has
	landed   atomic.Bool   // its end is known: the handler has returned, or has been given up
	result   result
	settled  bool // its end was written together with its effects
	accepted bool
}

// start begins an attempt. A job that is still in flight here, on a lease that was lost, is put back: its own retry
// never overlaps it in one process.
func (p *process) start(l *lane, c claimed) {
	l.running++
	f := &flight{claimed: c, lane: l, renewed: time.Now(), returned: make(chan struct{})}
	p.mu.Lock()
	_, overlaps := p.flights[c.jobID]
	overlaps = overlaps || p.stuck[c.jobID]
	if !overlaps {
		f.run, f.lost = context.WithCancelCause(p.handling)
		f.run, f.cancel = context.WithTimeoutCause(f.run, l.queue.timeout, errTimeout)
		p.flights[c.jobID] = f
	}
	p.mu.Unlock()
	if overlaps {
		f.result = l.queue.putBack(c, errOverlaps)
		p.ended <- f
		return
	}
	go p.fly(f)
}

// fly runs the handler, on this goroutine of its own, and lands. Neither a panic nor runtime.Goexit goes any further:
// both are ends like any other.
func (p *process) fly(f *flight) {
	begun, c := time.Now(), f.claimed // a copy: f may land while the handler still runs
	unwatch := context.AfterFunc(f.run, func() { p.watch(f, begun) })
	effects, err := []effect(nil), errExited
	defer func() {
		if v := recover(); v != nil {
			err = panicked(v)
		}
		unwatch()
		givenUp := f.landed.Swap(true)
		close(f.returned)
		if !givenUp {
			p.land(f, begun, effects, err)
		}
	}()
	effects, err = f.lane.worker.run(f.run, c)
}

// watch waits for a handler whose context has ended. One that has not returned a lease later, or when the process can
// wait no longer, is given up: it loses its slot, and its job does not run in this process before it has returned.
func (p *process) watch(f *flight, begun time.Time) {
	patience := time.NewTimer(f.lane.queue.lease)
	defer patience.Stop()
	select {
	case <-f.returned:
	case <-patience.C:
	case <-p.giveUp:
	}
	if f.landed.Swap(true) {
		return
	}
	f.logger().Error("handler ignores the end of its context")
	p.abandon(f.jobID, func() { <-f.returned })
	p.land(f, begun, nil, fmt.Errorf("the handler did not return: %w", context.Cause(f.run)))
}

// land says how the attempt has ended. One with effects is settled here, in a transaction of its own.
func (p *process) land(f *flight, begun time.Time, effects []effect, err error) {
	f.elapsed += time.Since(begun)
	f.result = f.lane.queue.judge(f.claimed, err, context.Cause(f.run))
	f.cancel()
	f.lost(nil)
	if err == nil && len(effects) > 0 {
		p.settle(f, effects)
	}
	p.ended <- f
}

// manyStuck is how many handlers may ignore their context for as long as they like, however few slots there are.
const manyStuck = 10

// abandon notes that code of the product goes on for a job whose attempt is over, until returned returns.
func (p *process) abandon(jobID string, returned func()) {
	p.mu.Lock()
	p.stuck[jobID] = true
	if len(p.stuck) >= max(manyStuck, p.slots) {
		p.quit()
	}
	p.mu.Unlock()
	go func() {
		returned()
		p.mu.Lock()
		delete(p.stuck, jobID)
		p.mu.Unlock()
	}()
}

// settle writes the end of an attempt together with its effects, again and again until the database has taken or
// refused both. A process that can wait no longer has interrupted the attempt. The effects have a time of their own:
// that the handler took long is no reason to do its work again. It is short: the lease of the row that they hold cannot be renewed meanwhile.
func (p *process) settle(f *flight, effects []effect) {
	limit := p.shortestLease() / 4
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, 5*time.Second) {
		ctx, cancel := context.WithTimeoutCause(context.WithValue(p.writing, insideEffect{}, true), limit, errTimeout)
		accepted, err := p.store.finishWith(ctx, f.result, func(tx Tx) error {
			for _, fn := range effects {
				if err := p.bounded(ctx, f, func() error { return fn(ctx, tx) }); err != nil {
					return &effectError{err}
				}
			}
			return nil
		})
		cause := context.Cause(ctx)
		cancel()
		var failed *effectError
		if err != nil { // the answer to the commit may be what was lost
			if recorded, askErr := p.recorded(p.writing, []result{f.result}); askErr == nil && recorded[f.jobID] {
				if errors.As(err, &failed) { // nobody but an effect can have committed
					f.logger().Error("an effect committed the end of its attempt, and what came after it may be lost", "error", err)
				}
				accepted, err = true, nil
			}
		}
		switch {
		case err == nil:
			f.settled, f.accepted = true, accepted
			return
		case errors.As(err, &failed): // that is how the attempt ended
			f.result = f.lane.queue.judge(f.claimed, failed.err, cause)
			return
		}
		p.outage()
		f.logger().Error("effects could not be committed; trying again", "error", err)
		select {
		case <-time.After(wait):
		case <-p.giveUp:
			f.result = f.lane.queue.judge(f.claimed, ErrStopped, ErrStopped)
			return
		}
	}
}

// bounded runs an effect. One that goes on after the end of its context is given up: its transaction is rolled back
// by then, and whoever waits for what it holds must not wait for it.
func (p *process) bounded(ctx context.Context, f *flight, fn func() error) error {
	returned := make(chan error, 1)
	go func() { returned <- contained(fn) }()
	select {
	case err := <-returned:
		return err
	case <-ctx.Done():
	}
	patience := time.NewTimer(p.shortestLease() / 16)
	defer patience.Stop()
	select {
	case err := <-returned:
		return err
	case <-patience.C:
	}
	f.logger().Error("a function given to OnCommit ignores the end of its context")
	p.abandon(f.jobID, func() { <-returned })
	return context.Cause(ctx)
}

// effectError is an error of a function given to OnCommit, and not of the database that would take it.
type effectError struct{ err error }

// errEffectEndedTx is the end of an attempt whose effect took the transaction out of the worker's hands.
var errEffectEndedTx = errors.New("a function given to OnCommit ended its transaction: commit and roll back are the worker's")

func (e *effectError) Error() string { return e.err.Error() }

// insideEffect marks the context of a function given to OnCommit.
type insideEffect struct{}

// conclude frees the slot of an attempt whose end is in the database, or whose lease was lost.
func (p *process) conclude(f *flight, accepted bool) {
	f.lane.running--
	f.lane.more = true
	p.mu.Lock()
	if p.flights[f.jobID] == f {
		delete(p.flights, f.jobID)
	}
	p.mu.Unlock()
	log := f.logger()
	if !accepted {
		log.Warn("late result discarded", "error", ErrLeaseLost)
		return
	}
	f.result.log(log, "attempt ended")
}
