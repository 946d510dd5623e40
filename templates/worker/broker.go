//retryc:when broker

package worker

import (
	"context"
	"time"
)

// broker is one queue at a message broker, as the worker uses it: every method may be called by several goroutines at once.
// What a broker cannot promise is made good by the table: a message that is lost costs time, and one that comes twice
// finds its job taken.
type broker interface {
	// receive waits for messages and takes at most limit of them. It answers none where the broker had none for as long as
	// it lets a caller wait.
	receive(ctx context.Context, limit int) ([]delivery, error)
	// acknowledge removes messages for good. Those that it could not remove come again.
	acknowledge(ctx context.Context, messages []delivery) error
	// putBack lets a message come again, no sooner than after delay.
	putBack(ctx context.Context, m delivery, delay time.Duration) error
	// publish sends messages, and returns once the broker has all of them for good.
	publish(ctx context.Context, messages []message) error
	// longestDelay is how long a message can be held back.
	longestDelay() time.Duration
	//retryc:if broker_message
	// hold sets, before the first receive, for how long what is received is kept from others: lease where that can be extended,
	// else longest.
	hold(lease, longest time.Duration)
	// extend keeps messages from others for lease from now on.
	extend(ctx context.Context, messages []delivery, lease time.Duration) error
	// depth is about how many messages there are.
	depth(ctx context.Context) (depth, error)
	//retryc:end

	//retryc:if broker_dead
	// deadLetter moves a message to the broker's own dead letters.
	deadLetter(ctx context.Context, m delivery) error
	// redrive moves at most limit of the broker's own dead letters back into the queue, and answers how many.
	redrive(ctx context.Context, limit int) (moved int, err error)
	//retryc:end

	// close lets go of what was received and not acknowledged: it comes again.
	close() error
}

// message is what is published.
type message struct {
	id    string        // another one for each announcement: a broker that knows it takes the message for sent
	body  []byte        // JSON
	delay time.Duration // it does not come sooner; no more than longestDelay
}

// delivery is a message that has come, and that the broker keeps from others for a while.
type delivery struct {
	messageID string // the broker's, or the sender's where the broker has none
	count     int    // how often it has come, this time included; 0 where the broker does not tell
	body      []byte
	receipt   any // what the broker wants to have back

	//retryc:if broker_message
	number int // among those that this process has to answer
	//retryc:end
}
