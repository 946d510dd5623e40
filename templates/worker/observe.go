//retryc:when observed

package worker

import (
	"errors"
	"slices"
	"sync/atomic"
	"time"
)

// instrument is one of what is counted or measured. Its labels have few values, all of them from retry.yaml: neither a
// tenant nor a job is among them.
type instrument struct {
	name   string // as OpenTelemetry writes it; at Prometheus its dots are underscores, and its unit and kind come behind it
	unit   string // "s" or one in braces
	help   string
	labels []string
	bounds []float64 // of a histogram
}

// What is counted. A process counts from its start.
var (
	attemptsEnded = instrument{name: "retryc.attempts", unit: "{attempt}", help: "Attempts that ended, as the ledger has them. The class is empty where they succeeded.", labels: []string{"queue", "outcome", "class"}}
	deadLetters   = instrument{name: "retryc.dead_letters", unit: "{job}", help: "Jobs that died.", labels: []string{"queue", "class"}}
	crashesSeen   = instrument{name: "retryc.crashes", unit: "{attempt}", help: "Attempts whose process died, as the process that found them counts them.", labels: []string{"queue"}}
	leasesLost    = instrument{name: "retryc.lease_losses", unit: "{attempt}", help: "Late results that were discarded: the lease of their attempt had been lost.", labels: []string{"queue"}}
	lastRungs     = instrument{name: "retryc.last_rungs", unit: "{job}", help: "Jobs that wait for the last attempt they have: the same end once more, and they are dead.", labels: []string{"queue"}}
	sentBack      = instrument{name: "retryc.redrives", unit: "{job}", help: "Dead jobs that were sent back, by the outcome of their first attempt after that.", labels: []string{"queue", "outcome"}}

	counters = []*instrument{&attemptsEnded, &deadLetters, &crashesSeen, &leasesLost, &lastRungs, &sentBack}
)

// What is measured.
var (
	handlerTime = instrument{name: "retryc.handler", unit: "s", help: "How long handlers ran.", labels: []string{"queue", "outcome"},
		bounds: []float64{0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60, 300, 1800}}
	retryWaits = instrument{name: "retryc.retry_wait", unit: "s", help: "How long jobs wait for their next attempt.", labels: []string{"queue"},
		bounds: []float64{0.1, 1, 10, 30, 60, 300, 900, 3600, 21600, 86400}}

	histograms = []*instrument{&handlerTime, &retryWaits}
)

// observer is a client library, as the worker uses it. Nothing of it waits, and several goroutines may use it at once.
type observer interface {
	// add counts n more, with a value for each label. Of 0, it makes the series be there before something has happened.
	add(i *instrument, n int, values ...string)
	// record measures.
	record(i *instrument, seconds float64, values ...string)
	// close ends what goes on by itself.
	close()
}

// observation is what a store tells a client library.
type observation struct {
	observer

	//retryc:if observed_otel
	tracer tracer
	//retryc:end
}

// observed is the observation of a store; nil: nobody observes it.
type observed struct{ atomic.Pointer[observation] }

// observe binds the store to a client library, until Close.
func (s *Store) observe(o *observation) error {
	if !s.seen.CompareAndSwap(nil, o) {
		o.close()
		return errors.New("the store is observed already")
	}
	for _, q := range observedQueues {
		o.begin(q)
	}
	return nil
}

func (s *Store) unobserve() {
	if o := s.seen.Load(); o != nil {
		o.close()
	}
}

// begin makes the series of a queue: of one that is there only once something has happened, the first time is no increase.
func (o *observation) begin(q *queueTable) {
	o.add(&attemptsEnded, 0, q.name, string(ok), "")
	for _, class := range classesOf(q.policy) {
		o.add(&attemptsEnded, 0, q.name, string(class.outcome), class.name)
		o.add(&deadLetters, 0, q.name, class.name)
	}
	for _, i := range []*instrument{&crashesSeen, &leasesLost, &lastRungs} {
		o.add(i, 0, q.name)
	}
}

// classesOf are those of retry.yaml, and those that none has to declare.
func classesOf(p *policyTable) []errorClass {
	return append(slices.Clone(p.classes),
		errorClass{name: classCrashed, outcome: transient},
		errorClass{name: classInterrupted, outcome: transient},
		errorClass{name: classTimeout, outcome: transient},
		errorClass{name: classPanic, outcome: p.unmatched},
		errorClass{name: classExited, outcome: p.unmatched},
		errorClass{name: classUndecodable, outcome: permanent},
		errorClass{name: classInvalid, outcome: permanent},
		errorClass{name: classMarked, outcome: permanent},
		errorClass{name: classMarked, outcome: transient},
		errorClass{name: classSnoozed, outcome: transient},
		errorClass{name: classUnmatched, outcome: p.unmatched})
}

// attempt counts one whose end is in the database.
func (o *observation) attempt(c *claimed, r *result, took time.Duration) {
	if o == nil || r.PutBack {
		return
	}
	o.add(&attemptsEnded, 1, c.queue, string(r.Outcome), r.Class)
	if r.Reaped {
		o.add(&crashesSeen, 1, c.queue)
	} else {
		o.record(&handlerTime, took.Seconds(), c.queue, string(r.Outcome))
	}
	if c.generation > 1 && c.used == (used{}) {
		o.add(&sentBack, 1, c.queue, string(r.Outcome))
	}
	switch r.Decision {
	case "retry":
		o.record(&retryWaits, milliseconds(r.DelayMS).Seconds(), c.queue)
		if r.last {
			o.add(&lastRungs, 1, c.queue)
		}
	case "dead":
		o.add(&deadLetters, 1, c.queue, r.Class)
	}
}

// landed counts an attempt of this process, whether its end was taken or its lease had been lost.
func (o *observation) landed(f *flight, accepted bool) {
	//retryc:if observed_otel
	if f.seen != nil {
		f.seen.endSpan(f, accepted)
	}
	//retryc:end
	switch {
	case o == nil:
	case accepted:
		o.attempt(&f.claimed, &f.result, f.took)
	default:
		o.add(&leasesLost, 1, f.queue)
	}
}

// last says that a job which goes on after e would be dead after the same end once more.
func (q *queueTable) last(e ended, delay time.Duration) bool {
	e.used[e.budget]++
	e.elapsed += delay
	return q.decide(e).deadReason != ""
}
