//retryc:when retention

package worker

import (
	"context"
	"encoding/json"
	"os"
	"strings"
)

// purgeText is the statements of Purge.
type purgeText struct {
	purgeUpTo, purgeOver, purgeJobs, purgeAttempts, purgeRecord string
}

// purgeBatch deletes what is over among the oldest attempts after a moment, and answers up to which it has looked; 0: there
// are none that are old enough.
func (s *Store) purgeBatch(ctx context.Context, keep retentionTable, after int64) (done Purged, upTo int64, err error) {
	attempts, keys := keep.attempts.Milliseconds(), keep.keys.Milliseconds()
	host, err := os.Hostname()
	if err != nil {
		return Purged{}, 0, err
	}
	err = s.write(ctx, func(tx Tx) error {
		at := func(query string) string { return strings.ReplaceAll(query, "{now}", s.clock) }
		if err := tx.QueryRowContext(ctx, at(purging.purgeUpTo), after, attempts, purgeAttempts).Scan(&upTo); err != nil || upTo == 0 {
			return err
		}
		var over []string
		err := s.each(ctx, tx, at(purging.purgeOver), []any{after, upTo, attempts, keys}, func(rows dbRows) error {
			var id string
			err := rows.Scan(&id)
			over = append(over, id)
			return err
		})
		if err != nil || len(over) == 0 {
			return err
		}
		doc, err := json.Marshal(over)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, purging.purgeJobs, string(doc)); err != nil {
			return err
		}
		n, err := affected(tx.ExecContext(ctx, purging.purgeAttempts, string(doc)))
		if err != nil {
			return err
		}
		done = Purged{Jobs: len(over), Attempts: n}
		_, err = tx.ExecContext(ctx, at(purging.purgeRecord), host, attempts, keys, done.Jobs, done.Attempts)
		return err
	})
	if err != nil {
		return Purged{}, 0, err
	}
	return done, upTo, nil
}
