//retryc:when broker_message

package worker

import (
	"context"
	"errors"
	"slices"
	"time"
)

func (b *memoryBroker) hold(_, longest time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held = longest
}

func (b *memoryBroker) extend(_ context.Context, messages []delivery, _ time.Duration) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range messages {
		if _, there := b.inFlight[m.receipt.(string)]; !there {
			return errors.New("a message was answered before")
		}
		b.extended++
	}
	return nil
}

// sent is what has been published so far.
func (b *memoryBroker) sent() []message {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.published)
}

// acknowledged is how many messages have been removed so far.
func (b *memoryBroker) acknowledged() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.removed
}

func (b *memoryBroker) depth(context.Context) (depth, error) {
	ready, delayed, inFlight := b.left()
	return depth{ready, delayed, inFlight}, nil
}
