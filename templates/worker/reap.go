package worker

import (
	"errors"
	"fmt"
	"maps"
)

// judged decides about attempts whose lease is over, and has end write it, which leaves nothing behind where it fails. One
// that the database refuses holds back no other. It answers what was taken, and what was refused.
func judged(over []claimed, decide func(claimed) result, end func([]result) (map[string]bool, error)) (ended map[*claimed]result, refused, err error) {
	results := make([]result, len(over))
	for i, c := range over {
		results[i] = decide(c)
		results[i].Reaped = true
	}
	accepted, err := end(results)
	if err != nil && !away(err) {
		accepted, err = map[string]bool{}, nil
		for _, r := range results {
			one, oneErr := end([]result{r})
			if oneErr != nil && away(oneErr) {
				return nil, nil, oneErr
			}
			if oneErr != nil {
				refused = errors.Join(refused, fmt.Errorf("job %s: %w", r.JobID, oneErr))
			}
			maps.Copy(accepted, one)
		}
	}
	ended = map[*claimed]result{}
	for i, r := range results {
		if accepted[r.JobID] {
			ended[&over[i]] = r
		}
	}
	return ended, refused, err
}
