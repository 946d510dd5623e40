//retryc:when retention

package worker

import (
	"context"
	"slices"
	"strings"
)

// purgeText is the statements of Purge.
type purgeText struct {
	purgeUpTo, purgeOver, purgeKeyed, purgeLock, purgeAttempts, purgeJobs, purgeRecord string
}

// purgeBatch deletes what is over among the oldest attempts after a moment, and answers up to which it has looked; 0: there
// are none that are old enough.
func (s *Store) purgeBatch(ctx context.Context, keep retentionTable, after int64) (done Purged, upTo int64, err error) {
	at := func(query string) string { return strings.ReplaceAll(query, "{now}", s.clock) }
	attempts, keys := keep.attempts.Microseconds(), keep.keys.Microseconds()
	try := func(tx Tx) error {
		done = Purged{}
		err := tx.QueryRowContext(ctx, at(purging.purgeUpTo), after, attempts, purgeAttempts).Scan(&upTo)
		if err != nil || upTo == 0 {
			return err
		}
		over, keyed, err := s.over(ctx, tx, at(purging.purgeOver), after, upTo, attempts, keys)
		if err != nil {
			return err
		}
		if keyed, err = s.locked(ctx, tx, at(purging.purgeKeyed), keyed, keys); err != nil {
			return err
		}
		over = append(over, keyed...)
		slices.Sort(over) // the order in which every purge locks
		if over, err = s.locked(ctx, tx, purging.purgeLock, over); err != nil || len(over) == 0 {
			return err
		}
		done.Jobs = len(over)
		if done.Attempts, err = s.exec(ctx, tx, purging.purgeAttempts, document{over}); err != nil {
			return err
		}
		if len(keyed) > 0 {
			if _, err := s.exec(ctx, tx, purging.purgeJobs, document{keyed}); err != nil {
				return err
			}
		}
		_, err = s.exec(ctx, tx, at(purging.purgeRecord), attempts, keys, done.Jobs, done.Attempts)
		return err
	}
	if err := retried(ctx, func() error { return write(ctx, s.db, try) }, deadlock); err != nil {
		return Purged{}, 0, err
	}
	return done, upTo, nil
}

// over are the jobs that a query answers, in its order: those without a key, and those with one.
func (s *Store) over(ctx context.Context, tx Tx, query string, args ...any) (plain, keyed []string, err error) {
	err = s.each(ctx, tx, query, args, func(rows dbRows) error {
		var id string
		var hasKey bool
		err := rows.Scan(&id, &hasKey)
		if hasKey {
			keyed = append(keyed, id)
		} else {
			plain = append(plain, id)
		}
		return err
	})
	return plain, keyed, err
}

// locked are those of the jobs that a query has found and locked.
func (s *Store) locked(ctx context.Context, tx Tx, query string, ids []string, args ...any) (found []string, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	err = s.each(ctx, tx, query, append([]any{document{ids}}, args...), func(rows dbRows) error {
		var id string
		err := rows.Scan(&id)
		found = append(found, id)
		return err
	})
	return found, err
}
