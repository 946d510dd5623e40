//retryc:when webhook

package worker

import "context"

// inTransaction runs fn in a transaction of its own, again where that was in the way of others.
func (s *Store) inTransaction(ctx context.Context, fn func(Tx) error) error {
	return retried(ctx, func() error { return write(ctx, s.db, fn) }, deadlock, duplicateEntry)
}
