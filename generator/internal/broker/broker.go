// Package broker is the catalogue of message brokers and of what they can do, one file each. The rules of lint and what is
// emitted read the same figures.
//
// Each figure says where it is from: [T] tried on the broker or an emulator of it, [S] read in the source of the client,
// [D] the vendor's documentation, [M] said by many and checked by nobody, so that a rule on it may only warn.
package broker

import (
	"slices"
	"time"
)

// Broker is one message broker.
type Broker struct {
	Name  string // as the key of backend has it
	Title string // as a sentence has it
	// Module and Version are the client that the emitted code imports, at the version it is tested with; empty: it needs none.
	Module, Version string
	// Kept is how no queue's name at the broker may begin; "": there is no such rule.
	Kept string
	// RetentionSetting and ReceivesSetting are what a team changes at the broker for more of either.
	RetentionSetting, ReceivesSetting string
	Limits                            Limits
}

// Limits are what a broker can do for the worker. What it does not bound, or does not say, is zero.
type Limits struct {
	// Delay is the longest that a message can be held back when it is sent.
	Delay time.Duration
	// Step is what delays are whole numbers of. Where Steps has any, there are only those, up to Delay.
	Step  time.Duration
	Steps []time.Duration
	// Wait is how long a receive can wait for a message.
	Wait time.Duration
	// Lease is the longest that a message which was received can be kept from others, DefaultLease what a queue has that
	// nobody has set up otherwise.
	Lease, DefaultLease time.Duration
	// Fixed says that a receive decides how long the message is kept from others, and nothing later does.
	Fixed bool
	// Connected says that a message is kept for as long as the connection is there over which it came, whatever the lease.
	Connected bool
	// Receives is the highest count that can be set up after which a message goes to the dead letters of the broker,
	// DefaultReceives what a queue has that the worker makes, or that nobody has set up otherwise.
	Receives, DefaultReceives int
	// Body is how many bytes a message can have.
	Body int
	// Batch is how many messages one call can send, receive or remove, BatchBytes how large all that it sends can be.
	Batch, BatchBytes int
	// Retention is the longest that a message can be kept, DefaultRetention what a queue has that the worker makes, or that
	// nobody has set up otherwise, both from when it was sent, however long it was held back and however often it was received.
	Retention, DefaultRetention time.Duration
	// Requests is how many calls a message takes that is alone: to publish it, to receive it and to remove it.
	Requests int
	// Dedup is how long a message with the id of another is taken for it.
	Dedup time.Duration
}

// All is every broker.
var All = []*Broker{SQS, RabbitMQ, Infrai}

// ByName finds one; nil where there is none.
func ByName(name string) *Broker {
	for _, b := range All {
		if b.Name == name {
			return b
		}
	}
	return nil
}

// Messages is how many messages follow each other until a wait is over, where one can be held back for less.
func (l Limits) Messages(wait time.Duration) int {
	if l.Delay == 0 || wait <= 0 {
		return 1
	}
	return int((wait-1)/l.Delay) + 1
}

// Held is how long a message is held back that is to be so for wait: nothing comes early, and what is longer than Delay
// takes several messages.
func (l Limits) Held(wait time.Duration) time.Duration {
	if wait <= 0 {
		return 0
	}
	before := (wait - 1) / l.Delay * l.Delay // in the messages before the last
	rest := wait - before
	if len(l.Steps) == 0 {
		return before + (rest+l.Step-1)/l.Step*l.Step
	}
	i, _ := slices.BinarySearch(l.Steps, rest)
	return before + l.Steps[i]
}

// HeldWithin are the lengths of time, in order, for which messages are held back whose waits are spread from low to high: at
// most so many as most.
func (l Limits) HeldWithin(low, high time.Duration, most int) []time.Duration {
	held := []time.Duration{l.Held(low)}
	for last := l.Held(high); held[len(held)-1] < last && len(held) < most; {
		held = append(held, l.Held(held[len(held)-1]+1))
	}
	return held
}
