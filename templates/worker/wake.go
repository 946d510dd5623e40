package worker

import (
	"context"
	"slices"
	"sync"
)

// wakes are the processes of this program that wait for new jobs, each on a channel of its own.
type wakes struct {
	mu   sync.Mutex
	ears []chan struct{}

	//retryc:if broker
	announcers map[string]*announcer // by queue, of those with a broker
	silent     bool                  // nothing is announced, and no broker is needed
	//retryc:end
}

// add makes one, until ctx ends.
func (w *wakes) add(ctx context.Context) <-chan struct{} {
	ear := make(chan struct{}, 1)
	w.mu.Lock()
	w.ears = append(w.ears, ear)
	w.mu.Unlock()
	context.AfterFunc(ctx, func() {
		w.mu.Lock()
		w.ears = slices.DeleteFunc(w.ears, func(e chan struct{}) bool { return e == ear })
		w.mu.Unlock()
	})
	return ear
}

// rouse makes all of them look for due jobs now.
func (w *wakes) rouse() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, ear := range w.ears {
		select {
		case ear <- struct{}{}:
		default:
		}
	}
}
