package broker

import "time"

// Carrying is what a message that carries its job can do between its attempts.
type Carrying struct {
	// PutBack is the longest that a message can be held back once it was received. 0: it is sent anew, with a delay, and the one
	// that was received is removed.
	PutBack time.Duration
	// Polled says that a receive is a call. Else messages come by themselves.
	Polled bool
	// Extended says that while a handler runs, calls keep the message from others.
	Extended bool
	// Dead says that a put-back makes a dead letter of it. Else it is sent to another queue, and removed.
	Dead bool
}

// Carrying is that of the broker. What it says is what the adapters do: putBack, receive, extend and deadLetter.
func (b *Broker) Carrying() Carrying {
	switch b {
	case SQS:
		return Carrying{PutBack: b.Limits.Lease, Polled: true, Extended: true}
	case Infrai:
		return Carrying{PutBack: b.Limits.Delay, Polled: true, Dead: true}
	}
	return Carrying{}
}
