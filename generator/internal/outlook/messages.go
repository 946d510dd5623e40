package outlook

import (
	"fmt"
	"time"

	"github.com/retryc/retryc/generator/internal/plan"
)

// Traffic is what a job sends through its queue's broker until it is dead, with the longest waits. All of it is zero where the
// queue has none.
type Traffic struct {
	Messages int // published: one announces each attempt, and more where a wait is longer than the broker holds one back
	Requests int // that these take where each goes alone: those of a batch share them
}

// Traffic is that of the course.
func (c Course) Traffic() Traffic {
	waits := make([]Span, 0, c.Soonest.Attempts)
	for _, s := range c.Steps[:min(len(c.Steps), c.Soonest.Attempts-1)] {
		waits = append(waits, s.Wait)
	}
	return traffic(c.Queue, waits)
}

// traffic is that of a job with an attempt before each of the waits, and one after them.
func traffic(q *plan.Queue, waits []Span) Traffic {
	switch {
	case q.Backend == nil:
		return Traffic{}
	case q.Backend.Carried:
		return carried(q, waits)
	}
	t := Traffic{Messages: 1}
	for _, w := range waits {
		t.Messages += q.Backend.Broker.Limits.Messages(w.Longest)
	}
	each := q.Backend.Broker.Limits.Requests
	if q.Backend.PushSecret != "" {
		each = 1 // to publish it: it comes by itself, and its answer removes it
	}
	t.Requests = t.Messages * each
	return t
}

// carried is that of a job whose message carries it, and is put back for each wait.
func carried(q *plan.Queue, waits []Span) Traffic {
	b := q.Backend.Broker
	can := b.Carrying()
	t := Traffic{Messages: 1, Requests: 1}
	receives := 1
	for _, w := range waits {
		if can.PutBack > 0 {
			n := pieces(w.Longest, can.PutBack)
			t.Requests, receives = t.Requests+n, receives+n
			continue
		}
		n := b.Limits.Messages(w.Longest)
		t.Messages, t.Requests, receives = t.Messages+n, t.Requests+2*n, receives+n // each is sent, and the one before removed
	}
	t.Requests++ // the last is removed
	if q.Backend.DeadLetter && !can.Dead {
		t.Messages, t.Requests = t.Messages+1, t.Requests+1
	}
	if can.Polled {
		t.Requests += receives
	}
	if can.Extended {
		t.Requests += (len(waits) + 1) * int(q.Timeout.V/(q.Lease.V/3))
	}
	return t
}

// Route is what the traffic of a queue's jobs depends on, beside their attempts and waits: two queues with the same one have the
// same.
func Route(q *plan.Queue) string {
	switch b := q.Backend; {
	case b == nil:
		return ""
	case b.Carried:
		return fmt.Sprint(b.Broker.Name, " carried ", b.DeadLetter, q.Lease.V)
	case b.PushSecret != "":
		return b.Broker.Name + " posted"
	default:
		return b.Broker.Name
	}
}

func pieces(wait, longest time.Duration) int { return int((max(wait, 1)-1)/longest) + 1 }
