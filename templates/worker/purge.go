//retryc:when retention

package worker

import (
	"context"
	"fmt"
	"time"
)

// Purged counts what Purge has deleted.
type Purged struct {
	Jobs     int // with a key or without: all attempts of each are gone
	Attempts int // rows of the ledger
}

// retentionTable is how long finished jobs are kept, from their end.
type retentionTable struct {
	attempts time.Duration // of jobs without a key, which have nothing but their attempts
	keys     time.Duration // jobs with a key, and their attempts
}

// Purge deletes the jobs that are finished and past their retention, with all their attempts. A job that is not finished
// and a dead one stay, however old they are. Nothing calls it but your own program: once a day is often enough. It deletes
// about a thousand attempts in a transaction, which also records that it did, and rests in between as long as that took,
// so that workers get their turn. It can be stopped at any time, by the end of ctx: what it counts is done, and the
// next call does the rest. Two at once do no harm.
func (s *Store) Purge(ctx context.Context) (Purged, error) { return s.purge(ctx, retention) }

func (s *Store) purge(ctx context.Context, keep retentionTable) (Purged, error) {
	var all Purged
	for after := int64(0); ; {
		started := time.Now()
		done, upTo, err := s.purgeBatch(ctx, keep, after)
		if err != nil {
			return all, fmt.Errorf("purge: %w", err)
		}
		all.Jobs += done.Jobs
		all.Attempts += done.Attempts
		if upTo == 0 {
			return all, nil
		}
		after = upTo
		select {
		case <-time.After(time.Since(started)):
		case <-ctx.Done():
			return all, fmt.Errorf("purge: %w", context.Cause(ctx))
		}
	}
}

// purgeAttempts is how many attempts a batch looks at.
const purgeAttempts = 1000
