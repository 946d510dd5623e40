//retryc:when webhook

package worker

import (
	"context"
	"errors"
)

// inTransaction runs fn in a transaction of its own.
func (s *Store) inTransaction(ctx context.Context, fn func(Tx) error) error {
	return write(ctx, s.pool, fn)
}

// unstorable says that a row was refused for a text that its column cannot hold.
func unstorable(err error) bool { return errors.Is(err, errNUL) }
