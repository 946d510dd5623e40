package worker

import (
	"context"
	"errors"
)

// claimNamed stands in for that of a dialect whose jobs can be announced.
func (s *Store) claimNamed(context.Context, *queueTable, string, string, []announced) ([]claimed, map[string]found, error) {
	return nil, nil, errors.New("jobs in SQLite are not announced")
}
