package worker

import (
	"context"
	"errors"
	"time"
)

// flight is an attempt in flight, from its claim until its end is in the database.
type flight struct {
	claimed
	lane    *lane
	lost    context.CancelCauseFunc
	run     context.Context
	cancel  context.CancelFunc
	begun   time.Time
	renewed time.Time // the lease, last; guarded by process.mu

	ending   time.Time // since when its context has been over, as far as known; guarded by process.mu
	landed   bool      // its end is known: the handler has returned, or has been given up; guarded by process.mu
	result   result
	settled  bool // its end was written together with its effects
	accepted bool

	//retryc:if observed
	took time.Duration // that its handler ran
	//retryc:end

	//retryc:if observed_otel
	seen *observation // that has a span of it; nil: none has
	//retryc:end
}

// start begins an attempt. A job whose handler still runs here, on a lease that was lost, is put back: its own retry never
// overlaps it in one process. One that has landed may be ahead of the news that its end is written.
func (p *process) start(l *lane, c claimed) {
	l.running++
	now := time.Now()
	f := &flight{claimed: c, lane: l, begun: now, renewed: now}
	p.mu.Lock()
	before := p.flights[c.jobID]
	overlaps := before != nil && !before.landed || p.stuck[c.jobID]
	if !overlaps {
		f.run, f.lost = context.WithCancelCause(p.handling)
		f.run, f.cancel = context.WithTimeoutCause(f.run, l.queue.timeout, errTimeout)
		//retryc:if observed_otel
		p.store.seen.Load().beginSpan(f)
		//retryc:end
		p.flights[c.jobID] = f
	}
	p.mu.Unlock()
	if overlaps {
		f.result = l.queue.putBack(c, errOverlaps)
		p.ended <- f
		return
	}
	go p.fly(f, c)
}

// fly runs the handler, on this goroutine of its own, and lands. Neither a panic nor runtime.Goexit goes any further:
// both are ends like any other. c is a copy: f may land while the handler still runs.
func (p *process) fly(f *flight, c claimed) {
	growStack(0)
	effects, err := []effect(nil), errExited
	defer func() {
		if v := recover(); v != nil {
			err = panicked(v)
		}
		if p.landing(f) {
			p.land(f, effects, err)
		}
	}()
	if over := context.Cause(f.run); over != nil { // it has waited too long for a processor
		err = over
		return
	}
	effects, err = f.lane.worker.run(f.run, c)
}

// growStack makes a goroutine's stack as large as decoding a payload needs it, in one step and while there is little on
// it to copy. It would else be copied twice in the middle of that, which costs more than the decoding.
//
//go:noinline
func growStack(i int) byte {
	var room [6 << 10]byte
	return room[i]
}

// land says how the attempt has ended. One with effects is settled here, in a transaction of its own.
func (p *process) land(f *flight, effects []effect, err error) {
	f.elapsed += time.Since(f.begun)
	//retryc:if observed
	f.took = time.Since(f.begun)
	//retryc:end
	f.result = f.lane.queue.judge(f.claimed, err, context.Cause(f.run))
	f.cancel()
	f.lost(nil)
	if err == nil && len(effects) > 0 {
		p.settle(f, effects)
	}
	p.ended <- f
}

// settle writes the end of an attempt together with its effects, again and again until the database has taken or
// refused both. A process that can wait no longer has interrupted the attempt. The effects have a time of their own:
// that the handler took long is no reason to do its work again. It is short: the lease of the row that they hold cannot be renewed meanwhile.
func (p *process) settle(f *flight, effects []effect) {
	limit := p.shortestLease() / 4
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, 5*time.Second) {
		ctx, cancel := context.WithTimeoutCause(context.WithValue(p.writing, insideEffect{}, true), limit, errTimeout)
		//retryc:if observed_otel
		ctx = withSpanOf(f.run, ctx)
		//retryc:end
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
	p.abandon(f.jobID, returned)
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
	f.lane.expect()
	p.mu.Lock()
	if p.flights[f.jobID] == f {
		delete(p.flights, f.jobID)
	}
	p.mu.Unlock()
	//retryc:if observed
	p.store.seen.Load().landed(f, accepted)
	//retryc:end
	//retryc:if broker_message
	if f.message != nil {
		p.answer(f, accepted)
	}
	//retryc:end
	log := f.logger()
	if !accepted {
		log.Warn("late result discarded", "error", ErrLeaseLost)
		return
	}
	f.result.log(log, "attempt ended")
	//retryc:if broker
	p.store.announceNext(f.lane.queue, f.claimed, f.result)
	//retryc:end
}
