//retryc:when webhook

package worker

import "context"

// inTransaction runs fn in a transaction of its own.
func (s *Store) inTransaction(ctx context.Context, fn func(Tx) error) error { return s.write(ctx, fn) }
