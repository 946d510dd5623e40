package worker

import "time"

// outcome says whether another attempt can help.
type outcome string

const (
	ok        outcome = "ok"
	transient outcome = "transient"
	permanent outcome = "permanent"
)

// budget is one of the counters that bound a job. They are apart, so that a throttled job does not burn its
// failures, and a deploy burns neither.
type budget int

const (
	failures budget = iota
	throttles
	crashes
	sharedCrashes // in a process that ran other jobs too
	interrupts
	snoozes
	budgetCount
)

// String is the column of the job row that counts b.
func (b budget) String() string {
	return [...]string{"failures", "throttles", "crashes", "shared_crashes", "interrupts", "snoozes"}[b]
}

// deadReason is that of a job that used b up.
func (b budget) deadReason() string {
	if b == sharedCrashes {
		b = crashes
	}
	return b.String()
}

// used is what a job has spent of each budget in its generation.
type used [budgetCount]int

// policyTable is retry.yaml as data.
type policyTable struct {
	hash      string // of the whole policy; it is on every row
	caps      caps
	classes   []errorClass // the first that matches wins
	unmatched outcome
	declared  []error            // that handlers return on purpose
	tiers     map[string]*ladder // ladders by tenant tier
	detail    detailTable        // of the error text on a row
	poll      time.Duration      // how often the table is looked at
	grace     time.Duration      // how long a stopping worker lets its handlers end
}

// caps are ceilings that no ladder, class or tier passes. The attempt that reaches a counter's cap is the last.
type caps struct {
	attempts   int // counted failures, the first included
	throttles  int
	crashes    int
	interrupts int
	snoozes    int
	delay      time.Duration // the longest wait that a ladder gives
	retryAfter time.Duration // the longest wait that a server may ask for
	window     time.Duration // from the first attempt to giving up
}

// of is the cap of b. A crash in company may be another job's doing, so three times as many are allowed.
func (c caps) of(b budget) int {
	return [...]int{c.attempts, c.throttles, c.crashes, 3 * c.crashes, c.interrupts, c.snoozes}[b]
}

// errorClass is one entry of error_classes.
type errorClass struct {
	name       string
	outcome    outcome
	when       []condition // any one of them
	on         []error     // ends of a run that are no error of the handler's
	retryAfter bool        // honour the server's Retry-After
	budget     budget
	ladder     *ladder // nil: the tier's, else the queue's
}

// ladder is the waits between attempts: the k-th failure waits rungs[k-1] times a factor drawn from min … max.
type ladder struct {
	rungs    []time.Duration
	min, max float64
}

// queueTable is one entry of queues.
type queueTable struct {
	name        string
	schema      string // hash of the payload's fields
	policy      *policyTable
	ladder      *ladder
	concurrency int           // handlers at once in this process
	timeout     time.Duration // of one handler run
	lease       time.Duration // how long a silent worker keeps a job

	//retryc:if broker
	connect string // the function that connects it to its broker; empty: it has none
	//retryc:end

	//retryc:if broker_message
	carried bool // its messages carry the payloads, and are acknowledged last
	//retryc:end

	//retryc:if broker_dead
	deadLetter bool // what is dead goes to the broker's own dead letters too
	//retryc:end
}
