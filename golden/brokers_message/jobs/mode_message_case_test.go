package jobs

// losesMessages says that a message can be lost without harm. Here it is the only one that has the payload.
const losesMessages = false

// inMode is a queue whose payloads are in messages.
func inMode(q *queueTable) *queueTable {
	q.carried = true
	return q
}
