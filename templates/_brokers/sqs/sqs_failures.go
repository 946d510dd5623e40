package worker

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// sqsFailures counts the messages of one call that failed, by cause.
type sqsFailures struct {
	mu     sync.Mutex
	causes map[string]sqsFailure
}

type sqsFailure struct {
	n     int
	cause error
}

func (f *sqsFailures) add(n int, cause error) {
	text := cause.Error()
	var refused interface { // what the service answers to a request; its text has the request's id in it
		ErrorCode() string
		ErrorMessage() string
	}
	if errors.As(cause, &refused) {
		text = refused.ErrorCode() + ": " + refused.ErrorMessage()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.causes == nil {
		f.causes = map[string]sqsFailure{}
	}
	f.causes[text] = sqsFailure{n + f.causes[text].n, cause}
}

// err says how many of all messages failed, and why: nil if none did.
func (f *sqsFailures) err(all int, what string) error {
	n := 0
	for _, failed := range f.causes {
		n += failed.n
	}
	if n == 0 {
		return nil
	}
	err := fmt.Errorf("%d of %d messages %s", n, all, what)
	for _, text := range slices.Sorted(maps.Keys(f.causes)) {
		err = fmt.Errorf("%w; %d for: %w", err, f.causes[text].n, f.causes[text].cause)
	}
	return err
}
