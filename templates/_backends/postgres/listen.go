package worker

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Wake makes the workers of all processes look for due jobs now. Call it after the commit of a transaction that has
// enqueued; without it they find the jobs at their next poll.
func (s *Store) Wake() {
	s.wakes.rouse()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.untold = true
	if !s.telling {
		s.telling = true
		s.tellers.Add(1)
		go s.tell()
	}
}

// tellPause is how long one NOTIFY stands for all that is enqueued after it. The commits of a NOTIFY stand in line in
// the whole server, which is why none is part of an enqueue.
const tellPause = 10 * time.Millisecond

// tell wakes the other processes, once for all that was enqueued meanwhile. One that fails costs only time.
func (s *Store) tell() {
	defer s.tellers.Done()
	for s.stillUntold() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		if _, err := s.pool.Exec(ctx, "notify "+s.channel()); err != nil {
			slog.Warn("other processes are not told of new jobs: they find them at their next poll", "error", err)
		}
		cancel()
		time.Sleep(tellPause)
	}
}

func (s *Store) stillUntold() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.telling, s.untold = s.untold, false
	return s.telling
}

func (s *Store) channel() string { return pgx.Identifier{s.text.channel}.Sanitize() }

// listen is where a working process waits for what is enqueued, in this process or another, until ctx ends. While any
// listens, connections are kept back for leases.
func (s *Store) listen(ctx context.Context) <-chan struct{} {
	wake := s.wakes.add(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.working++; s.working == 1 {
		s.keepBack()
	}
	context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.working--; s.working == 0 {
			s.deaf()
		}
	})
	return wake
}

// keepBack opens a pool of its own for renewals and reaping, so that handlers which take all connections of the other
// cannot cost a lease, and listens on a connection of it.
func (s *Store) keepBack() {
	ctx, stop := context.WithCancel(context.Background())
	s.deaf = stop
	config := s.pool.Config()
	config.MaxConns, config.MinConns, config.MinIdleConns = 2, 0, 0
	kept, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		slog.Error("no connection can be kept back for the leases", "error", err)
		return
	}
	s.kept = kept
	s.deaf = func() {
		s.kept = nil
		stop()
		go kept.Close() // it waits for a renewal that is under way
	}
	go s.hear(ctx, kept)
}

// keptBack is a connection that handlers cannot take; where none comes within patience, it is one of theirs.
func (s *Store) keptBack(ctx context.Context, patience time.Duration) (*pgxpool.Conn, error) {
	s.mu.Lock()
	kept := s.kept
	s.mu.Unlock()
	if kept != nil {
		soon, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		if conn, err := kept.Acquire(soon); err == nil {
			return conn, nil
		}
	}
	return s.pool.Acquire(ctx)
}

// hear wakes this process at every NOTIFY, and connects again for as long as it takes. Meanwhile the poll finds the jobs.
func (s *Store) hear(ctx context.Context, kept *pgxpool.Pool) {
	for wait := time.Second; ; wait = min(2*wait, time.Minute) {
		begun := time.Now()
		err := s.hearOnce(ctx, kept)
		if ctx.Err() != nil {
			return
		}
		if time.Since(begun) > time.Minute {
			wait = time.Second
		}
		slog.Warn("new jobs of other processes are not heard of: the poll finds them", "error", err, "next_try", wait)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return
		}
	}
}

func (s *Store) hearOnce(ctx context.Context, kept *pgxpool.Pool) error {
	pooled, err := kept.Acquire(ctx)
	if err != nil {
		return err
	}
	conn := pooled.Hijack() // it listens from here on, and is of no other use
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, "listen "+s.channel()); err != nil {
		return err
	}
	for {
		s.wakes.rouse() // at first for what was not heard before
		if _, err := conn.WaitForNotification(ctx); err != nil {
			return err
		}
	}
}
