package worker

import (
	"context"
	"errors"
)

var errNotAnnounced = errors.New("jobs in SQLite are not announced")

// claimNamed stands in for that of a dialect whose jobs can be announced, as do the others here.
func (s *Store) claimNamed(context.Context, *queueTable, string, string, bool, []announced) ([]claimed, map[string]found, error) {
	return nil, nil, errNotAnnounced
}

func (s *Store) admit(context.Context, *queueTable, []newJob) error { return errNotAnnounced }

func (s *Store) fill(context.Context, []newJob) error { return errNotAnnounced }
