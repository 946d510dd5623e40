//retryc:when broker_message

package worker

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"
)

// custody is the messages of a lane that have come and are not answered yet.
type custody struct {
	mu   sync.Mutex
	last int
	held map[int]delivery
}

// take numbers messages and keeps them in mind.
func (c *custody) take(messages []delivery) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held == nil {
		c.held = map[int]delivery{}
	}
	for i := range messages {
		c.last++
		messages[i].number = c.last
		c.held[c.last] = messages[i]
	}
}

func (c *custody) release(messages ...delivery) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range messages {
		delete(c.held, m.number)
	}
}

func (c *custody) all() []delivery {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Collect(maps.Values(c.held))
}

// keepAll keeps the messages of every lane whose messages carry its jobs from others, for as long as they are here.
func (p *process) keepAll(ctx context.Context, group *sync.WaitGroup) {
	for _, l := range p.lanes {
		if l.queue.carried && l.broker != nil {
			group.Go(func() { p.keep(ctx, l) })
		}
	}
}

func (p *process) keep(ctx context.Context, l *lane) {
	tick := time.NewTicker(l.queue.lease / 3)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		messages := l.custody.all()
		if len(messages) == 0 {
			continue
		}
		asked, cancel := context.WithTimeout(ctx, l.queue.lease/3)
		err := l.broker.extend(asked, messages, l.queue.lease)
		cancel()
		if err != nil && ctx.Err() == nil {
			slog.WarnContext(ctx, "messages could not be kept from others: they may come again", "queue", l.queue.name, "messages", len(messages), "error", err)
		}
	}
}

// letGo waits until the broker has been told of what has ended, and lets all else come again.
func (p *process) letGo() {
	p.answering.Wait()
	for _, l := range p.lanes {
		for _, m := range l.custody.all() {
			p.putBack(l, m, 0)
		}
	}
}
