package worker

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"time"
)

// After a failure the next try to connect comes later each time, from the first of these up to the second.
const rabbitFirstWait, rabbitLastWait = 250 * time.Millisecond, 15 * time.Second

// rabbitSession is what one connection is used for.
type rabbitSession interface {
	over() bool // it cannot be used any more
	end() error
}

// rabbitLink is a session that is begun again by whoever needs it, where it is over.
type rabbitLink[S rabbitSession] struct {
	url, name string
	begin     func(context.Context, *rabbitConn) (S, error)
	life      context.Context // ends with close
	stop      context.CancelCauseFunc
	trouble   atomic.Pointer[error] // why there is no session
	turn      chan struct{}         // held by the one who looks at what is below

	session S
	begun   bool
}

func newRabbitLink[S rabbitSession](url, name string, begin func(context.Context, *rabbitConn) (S, error)) *rabbitLink[S] {
	l := &rabbitLink[S]{url: url, name: name, begin: begin, turn: make(chan struct{}, 1)}
	l.life, l.stop = context.WithCancelCause(context.Background())
	return l
}

// first begins the session, or says why it cannot.
func (l *rabbitLink[S]) first(ctx context.Context) (err error) {
	l.session, err = l.connect(ctx)
	l.begun = err == nil
	return err
}

// current is the session. Where it is over it is begun again, for as long as ctx lasts.
func (l *rabbitLink[S]) current(ctx context.Context) (none S, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(l.life, func() { cancel(context.Cause(l.life)) })()
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return none, l.without(ctx)
	}
	if ctx.Err() != nil {
		return none, l.without(ctx)
	}
	if l.begun && !l.session.over() {
		return l.session, nil
	}
	lost := l.begun
	if lost {
		slog.Warn("the connection to RabbitMQ is lost, and made anew", "connection", l.name)
		_ = l.session.end() // it is over
		l.begun = false
	}
	for wait := rabbitFirstWait; ; wait = min(2*wait, rabbitLastWait) {
		session, err := l.connect(ctx)
		if err == nil {
			if l.trouble.Swap(nil) != nil || lost {
				slog.Info("connected to RabbitMQ again", "connection", l.name)
			}
			l.session, l.begun = session, true
			return session, nil
		}
		if ctx.Err() != nil {
			return none, l.without(ctx)
		}
		l.trouble.Store(&err)
		pause := wait/2 + rand.N(wait/2) // so that not all processes come at once
		slog.Warn("no connection to RabbitMQ", "connection", l.name, "error", err, "next_try", pause)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return none, l.without(ctx)
		}
	}
}

// without is the error of one whose ctx ended before there was a session.
func (l *rabbitLink[S]) without(ctx context.Context) error {
	if why := l.trouble.Load(); why != nil {
		return fmt.Errorf("%w; %w", *why, context.Cause(ctx))
	}
	return fmt.Errorf("RabbitMQ: %w", context.Cause(ctx))
}

// connect makes a connection and begins its session.
func (l *rabbitLink[S]) connect(ctx context.Context) (none S, err error) {
	conn, err := rabbitDial(ctx, l.url, l.name)
	if err != nil {
		return none, err
	}
	ctx, cancel := context.WithTimeout(ctx, rabbitPatience)
	defer cancel()
	session, err := l.begin(ctx, conn)
	if err != nil {
		_ = conn.hangUp() // the error says enough
		return none, err
	}
	return session, nil
}

// close ends the session for good.
func (l *rabbitLink[S]) close() error {
	l.stop(errRabbitClosed)
	l.turn <- struct{}{}
	defer func() { <-l.turn }()
	if !l.begun || l.session.over() {
		return nil
	}
	return l.session.end()
}
