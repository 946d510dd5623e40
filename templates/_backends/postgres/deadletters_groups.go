//retryc:when redrive

package worker

import (
	"context"
	"fmt"
	"time"
)

// DeadGroup is dead jobs of one queue that have one cause.
type DeadGroup struct {
	Queue       string
	Class       string // empty in a plan, which does not have it
	Reason      string
	Fingerprint string
	Jobs        int
	First, Last time.Time // when the first and the last of them died
	Error       string    // the text of one of them
}

// DeadGroups are the dead letters of a filter by queue, class, reason and fingerprint, the largest group first.
func (s *Store) DeadGroups(ctx context.Context, f DeadFilter) (groups []DeadGroup, err error) {
	err = s.look(ctx, redriving.deadGroups, f.args(), func(rows dbRows) error {
		var g DeadGroup
		err := rows.Scan(&g.Queue, &g.Class, &g.Reason, &g.Fingerprint, &g.Jobs, &g.First, &g.Last, &g.Error)
		groups = append(groups, g)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("group the dead letters: %w", err)
	}
	return groups, nil
}
