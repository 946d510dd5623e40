package worker

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"log/slog"
	"time"

	"github.com/go-sql-driver/mysql"
)

// listen is where a working process waits for what is enqueued, until ctx ends. Other processes wait for their poll: the
// database has no way to wake them. While any listens, a connection is kept back for leases.
func (s *Store) listen(ctx context.Context) <-chan struct{} {
	wake := s.wakes.add(ctx)
	s.leasing <- struct{}{}
	s.working++
	<-s.leasing
	soon, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := s.lease(soon, func(Tx) error { return nil }); err != nil {
		slog.Warn("no connection is kept back for the leases yet", "error", err)
	}
	context.AfterFunc(ctx, func() {
		s.leasing <- struct{}{}
		defer func() { <-s.leasing }()
		if s.working--; s.working == 0 {
			s.letGo()
		}
	})
	return wake
}

func (s *Store) letGo() {
	if s.kept != nil {
		go func(conn *sql.Conn) { _ = conn.Close() }(s.kept) // it waits for the end of a transaction that was cut off
		s.kept = nil
	}
}

// lease runs fn in a transaction on the connection that is kept back, so that handlers which take all others cannot cost
// a lease. One that has died is replaced, and all is done again.
func (s *Store) lease(ctx context.Context, fn func(Tx) error) (err error) {
	select {
	case s.leasing <- struct{}{}:
		defer func() { <-s.leasing }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	for range 2 {
		if s.kept == nil {
			if s.kept, err = s.db.Conn(ctx); err != nil {
				s.kept = nil
				return err
			}
		}
		err = write(ctx, s.kept, fn)
		dead := errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) || errors.Is(err, mysql.ErrInvalidConn)
		if dead || ctx.Err() != nil || s.working == 0 {
			s.letGo()
		}
		if !dead || ctx.Err() != nil {
			break
		}
	}
	return err
}

// renew extends leases. A row that is locked just now is answered as ours and not renewed; a job without an answer is
// lost.
func (s *Store) renew(ctx context.Context, patience time.Duration, leases []leased, token string) (answers map[string]renewal, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	ids := make([]string, len(leases))
	for i, l := range leases {
		ids[i] = l.JobID
	}
	err = s.lease(ctx, func(tx Tx) error {
		answers = map[string]renewal{}
		locked, err := s.heldBy(ctx, tx, s.text.lock, ids, token)
		if err != nil {
			return err
		}
		var free []leased
		for _, l := range leases {
			if attempt, is := locked[l.JobID]; is {
				free = append(free, l)
				answers[l.JobID] = renewal{attempt, true}
			}
		}
		if len(free) > 0 {
			if _, err := s.exec(ctx, tx, s.text.renew, document{free}); err != nil {
				return err
			}
		}
		if len(free) == len(leases) {
			return nil
		}
		busy, err := s.heldBy(ctx, tx, s.text.ours, ids, token)
		for id, attempt := range busy {
			if !answers[id].renewed {
				answers[id] = renewal{attempt, false}
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return answers, nil
}

// heldBy answers the attempts that hold a lease under token, of the jobs asked for.
func (s *Store) heldBy(ctx context.Context, tx Tx, query string, ids []string, token string) (map[string]int, error) {
	attempts := map[string]int{}
	err := s.each(ctx, tx, query, []any{document{ids}, token}, func(rows dbRows) error {
		var id string
		var attempt int
		err := rows.Scan(&id, &attempt)
		attempts[id] = attempt
		return err
	})
	return attempts, err
}

// reap ends attempts whose lease is over, as decide says. Before, it marks the other jobs that the same processes
// were running: whichever of them brought the process down, they had company. It waits for no row: one that is locked
// has a holder, or another reaper.
func (s *Store) reap(ctx context.Context, patience time.Duration, queues []string, decide func(claimed) result) (ended map[*claimed]result, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var refused error
	err = s.lease(ctx, func(tx Tx) error {
		ended, refused = nil, nil // of an earlier try
		over, err := s.jobs(ctx, tx, s.text.expired, document{queues})
		if err != nil || len(over) == 0 {
			return err
		}
		if err := s.markCompany(ctx, tx, over); err != nil {
			return err
		}
		ended, refused, err = judged(over, decide, func(results []result) (map[string]bool, error) { return s.endInside(ctx, tx, results) })
		return err
	})
	if err != nil {
		return nil, err
	}
	return ended, refused
}

// markCompany marks all running jobs of the processes that run several of which one is over. Which do is read without
// locks. A sibling that is locked just now is left unmarked: its own process is ending or renewing it, and so is alive,
// or another reaper has marked it.
func (s *Store) markCompany(ctx context.Context, tx Tx, over []claimed) error {
	gone := map[string][]string{} // unmarked jobs by token
	for _, c := range over {
		gone[c.token] = nil
	}
	running := map[string]int{}
	err := s.each(ctx, tx, s.text.leases, nil, func(rows dbRows) error {
		var token, id string
		var marked bool
		err := rows.Scan(&token, &id, &marked)
		running[token]++
		if unmarked, is := gone[token]; is && !marked {
			gone[token] = append(unmarked, id)
		}
		return err
	})
	if err != nil {
		return err
	}
	for token, ids := range gone {
		if running[token] < 2 || len(ids) == 0 {
			continue
		}
		locked, err := s.heldBy(ctx, tx, s.text.lock, ids, token)
		if err != nil {
			return err
		}
		ids = ids[:0]
		for id := range locked {
			ids = append(ids, id)
		}
		if _, err := s.exec(ctx, tx, s.text.company, document{ids}); err != nil {
			return err
		}
	}
	for i := range over {
		over[i].company = over[i].company || running[over[i].token] > 1
	}
	return nil
}
