//retryc:when retention

package worker

import (
	"context"
	"strings"
)

// purgeText is the statement of Purge.
type purgeText struct{ purge string }

// purgeBatch deletes what is over among the oldest attempts after a moment, and answers up to which it has looked; 0: there
// are none that are old enough.
func (s *Store) purgeBatch(ctx context.Context, keep retentionTable, after int64) (done Purged, upTo int64, err error) {
	query := strings.ReplaceAll(purging.purge, "{now}", s.clock)
	args := []any{after, keep.attempts.Milliseconds(), keep.keys.Milliseconds(), purgeAttempts}
	err = s.each(ctx, nil, query, args, func(rows dbRows) error { return rows.Scan(&upTo, &done.Jobs, &done.Attempts) })
	if err != nil {
		return Purged{}, 0, err
	}
	return done, upTo, nil
}
