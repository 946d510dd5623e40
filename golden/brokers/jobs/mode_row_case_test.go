package jobs

// losesMessages says that a message can be lost without harm.
const losesMessages = true

// inMode is a queue whose payloads are rows.
func inMode(q *queueTable) *queueTable { return q }
