//retryc:when broker_message

package worker

// depth counts the messages of a queue.
type depth struct {
	ready    int // to be received now
	delayed  int // not yet
	received int // and not yet acknowledged
}
