package worker

import "time"

// QueueStats is how a queue stands.
type QueueStats struct {
	Queue     string
	Due       int           // jobs that could run now
	OldestDue time.Duration // how long the first of them has been waiting
	Scheduled int           // jobs that wait for their time
	Running   int
	Overdue   int // running, with a lease that is over: no process has taken them up yet
	Dead      []DeadStats
}

// DeadStats counts dead jobs of one class and reason.
type DeadStats struct {
	Class, Reason string
	Jobs          int
}
