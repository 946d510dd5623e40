//retryc:when broker_dead

package worker

import "context"

func (b *memoryBroker) deadLetter(ctx context.Context, m delivery) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.inFlight, m.receipt.(string))
	b.dead = append(b.dead, m)
	return nil
}

func (b *memoryBroker) redrive(ctx context.Context, limit int) (int, error) {
	b.mu.Lock()
	moved := b.dead[:min(limit, len(b.dead))]
	b.dead = b.dead[len(moved):]
	b.mu.Unlock()
	for _, m := range moved {
		if err := b.publish(ctx, []message{{id: m.messageID, body: m.body}}); err != nil {
			return 0, err
		}
	}
	return len(moved), nil
}
