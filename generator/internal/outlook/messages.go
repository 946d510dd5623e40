package outlook

import "github.com/retryc/retryc/generator/internal/plan"

// Traffic is what a job sends through its queue's broker until it is dead. All of it is zero where the queue has none.
type Traffic struct {
	Messages int // published: one announces each attempt, and more where a wait is longer than the broker holds one back
	Requests int // that these take where each goes alone: those of a batch share them
}

// Traffic is that of the course, with the longest waits.
func (c Course) Traffic() Traffic {
	waits := make([]Span, 0, c.Soonest.Attempts)
	for _, s := range c.Steps[:min(len(c.Steps), c.Soonest.Attempts-1)] {
		waits = append(waits, s.Wait)
	}
	return traffic(c.Queue, waits)
}

func traffic(q *plan.Queue, waits []Span) Traffic {
	if q.Backend == nil {
		return Traffic{}
	}
	t := Traffic{Messages: 1}
	for _, w := range waits {
		t.Messages += q.Backend.Broker.Limits.Messages(w.Longest)
	}
	if q.Backend.DeadLetter {
		t.Messages++
	}
	t.Requests = t.Messages * q.Backend.Broker.Limits.Requests
	return t
}
