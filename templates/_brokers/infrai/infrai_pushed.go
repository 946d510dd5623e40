//retryc:when broker_push

package worker

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

const (
	infraiOffer    = 5 * time.Second  // that a message which was posted waits to be received
	infraiVerdict  = 20 * time.Second // that it then waits to be acknowledged or put back
	infraiPushPoll = 20 * time.Second // after which the queue is asked for what nobody could post
)

// infraiPushes are the messages of a queue that Infrai posts, on their way to whoever receives.
type infraiPushes struct {
	secret []byte
	came   chan delivery // nobody keeps them: each is with its request until it is received

	mu   sync.Mutex
	poll time.Time // the next one
}

// infraiPush is the receipt of a message that was posted: its answer is that to the request.
type infraiPush struct {
	answered chan time.Duration // for how long it is put back; infraiDone if it is acknowledged
	over     chan struct{}      // closed once the request has been answered
}

const infraiDone time.Duration = -1

var errInfraiOver = errors.New("the request that brought it is over, and it comes again")

func (p *infraiPush) answer(again time.Duration) error {
	select {
	case p.answered <- again:
		return nil
	case <-p.over:
		return errInfraiOver
	}
}

// offer waits until a message was received and acknowledged, or put back: then it is to come again after a while.
func (p *infraiPushes) offer(ctx context.Context, m delivery) (put bool, again time.Duration) {
	receipt := &infraiPush{make(chan time.Duration), make(chan struct{})}
	defer close(receipt.over)
	m.receipt = receipt
	wait := time.NewTimer(infraiOffer)
	defer wait.Stop()
	select {
	case p.came <- m:
	case <-wait.C:
		return true, 0
	case <-ctx.Done():
		return true, 0
	}
	wait.Reset(infraiVerdict)
	select {
	case again = <-receipt.answered:
		return again != infraiDone, again
	case <-wait.C:
	case <-ctx.Done():
	}
	return true, 0
}

// waiting are messages that were posted and wait to be received, at most so many.
func (p *infraiPushes) waiting(limit int) (came []delivery) {
	for len(came) < limit {
		select {
		case m := <-p.came:
			came = append(came, m)
		default:
			return came
		}
	}
	return came
}

// due says that it is time to ask the queue, and when it is next.
func (p *infraiPushes) due() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if now.Before(p.poll) {
		return false
	}
	p.poll = now.Add(infraiPushPoll)
	return true
}

// hurry makes the next poll due: there may be more, or the wait for it is over.
func (p *infraiPushes) hurry() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.poll = time.Time{}
}

// receivePushed takes what is posted, and polls for what is not: the queue may have no subscription yet, and what nobody took
// stays in it.
func (q *infraiQueue) receivePushed(ctx context.Context, limit int) ([]delivery, error) {
	if came := q.push.waiting(limit); len(came) > 0 {
		return came, nil
	}
	if q.push.due() {
		came, err := q.consume(ctx, min(limit, infraiBatch))
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil: // what is posted comes nevertheless
			slog.WarnContext(ctx, "the Infrai queue could not be asked for messages", "queue", q.name, "error", err)
		case len(came) > 0:
			q.push.hurry()
			return came, nil
		}
	}
	resting, stop := context.WithCancel(ctx)
	defer stop()
	rested := make(chan error, 1)
	go func() { rested <- q.api.pause(resting, infraiPushPoll) }()
	select {
	case m := <-q.push.came:
		return append(q.push.waiting(limit-1), m), nil
	case err := <-rested:
		q.push.hurry()
		return nil, err
	}
}
