//retryc:when observed

package worker

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"
)

// observeText is a statement of the observation.
type observeText struct{ fingerprints string }

// How the queues stand, which is read from the database.
var (
	dueJobs       = instrument{name: "retryc.due_jobs", unit: "{job}", help: "Jobs that could run now.", labels: []string{"queue"}}
	oldestDue     = instrument{name: "retryc.oldest_due", unit: "s", help: "How long the first of them has been waiting.", labels: []string{"queue"}}
	scheduledJobs = instrument{name: "retryc.scheduled_jobs", unit: "{job}", help: "Jobs that wait for their time.", labels: []string{"queue"}}
	runningJobs   = instrument{name: "retryc.running_jobs", unit: "{job}", help: "Jobs that run, in any process.", labels: []string{"queue"}}
	overdueJobs   = instrument{name: "retryc.overdue_jobs", unit: "{job}", help: "Jobs that run on a lease which is over: no process has taken them up yet.", labels: []string{"queue"}}
	deadJobs      = instrument{name: "retryc.dead_jobs", unit: "{job}", help: "Dead jobs that nobody has dealt with.", labels: []string{"queue", "class"}}
	newestError   = instrument{name: "retryc.newest_fingerprint_age", unit: "s", help: "How long ago a job died of an error of which no job of its queue had died that is still dead.", labels: []string{"queue"}}
	readingAge    = instrument{name: "retryc.reading_age", unit: "s", help: "How long ago the database was asked for all these."}

	//retryc:if broker_message
	brokerMessages = instrument{name: "retryc.broker_messages", unit: "{message}", help: "About how many messages the broker has of a queue whose messages carry its jobs.", labels: []string{"queue"}}
	//retryc:end

	gauges = []*instrument{
		&dueJobs, &oldestDue, &scheduledJobs, &runningJobs, &overdueJobs, &deadJobs, &newestError, &readingAge,
		//retryc:if broker_message
		&brokerMessages,
		//retryc:end
	}
)

// others is what queues and classes are called that retry.yaml does not have: jobs of an earlier one can be there.
const others = "_other"

const (
	readEvery  = 10 * time.Second // the database is asked no more often
	readTime   = 30 * time.Second // for an answer
	readWait   = 2 * time.Second  // that whoever asks waits for it; then the answer before is good enough
	readExpiry = 5 * time.Minute  // an answer that is older is none
)

// reading is one value.
type reading struct {
	of     *instrument
	value  float64
	values []string // of the labels
}

// readings are how the queues stood when the database was last asked. However many ask and however long it takes, it is asked
// once at a time, and not again at once where it has failed.
type readings struct {
	store *Store
	ctx   context.Context // of what is asked
	stop  context.CancelFunc

	mu      sync.Mutex
	asked   time.Time     // when it was last asked
	asking  chan struct{} // closed with the answer; nil: nobody waits for one
	read    time.Time     // when the last answer was asked for
	answers []reading
}

func newReadings(store *Store) *readings {
	r := &readings{store: store}
	r.ctx, r.stop = context.WithCancel(context.Background())
	return r
}

// now answers what is known, and asks for more where that is old.
func (r *readings) now() []reading {
	r.mu.Lock()
	if r.asking == nil && time.Since(r.asked) >= readEvery {
		r.asked, r.asking = time.Now(), make(chan struct{})
		go r.ask(r.asked, r.asking)
	}
	asking := r.asking
	r.mu.Unlock()
	if asking != nil {
		select {
		case <-asking:
		case <-time.After(readWait):
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	age := time.Since(r.read)
	if r.read.IsZero() {
		return nil
	}
	known := []reading{{of: &readingAge, value: age.Seconds()}}
	if age < readExpiry {
		known = append(known, r.answers...)
	}
	return known
}

func (r *readings) ask(at time.Time, answered chan struct{}) {
	ctx, cancel := context.WithTimeout(r.ctx, readTime)
	defer cancel()
	stats, err := r.store.Stats(ctx)
	var newest map[string]time.Duration
	if err == nil {
		newest, err = r.store.newestFingerprints(ctx)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case err == nil:
		r.read, r.answers = at, readingsOf(stats, newest)
	case r.ctx.Err() == nil:
		slog.Warn("the queues could not be looked at for those who observe them", "error", err)
	}
	r.asking = nil
	close(answered)
}

// newestFingerprints are by queue how long ago a job died of an error that is new among the dead.
func (s *Store) newestFingerprints(ctx context.Context) (map[string]time.Duration, error) {
	newest := map[string]time.Duration{}
	err := s.each(ctx, nil, strings.ReplaceAll(observing.fingerprints, "{now}", s.clock), nil, func(rows dbRows) error {
		var queue string
		var age int64
		err := rows.Scan(&queue, &age)
		newest[queue] = milliseconds(age)
		return err
	})
	return newest, err
}
