//retryc:when broker_message

package worker

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"
)

// load gives the jobs that were claimed the payloads that their messages carry. Such a job keeps its message until its end
// is in the database: that may be the only copy.
func load(now []announced, jobs []claimed) {
	type copied struct{ jobID, sum string } // two may have one key and different payloads
	carried := map[copied]*announced{}
	for i, a := range now {
		if a.job != nil {
			carried[copied{a.JobID, a.job.PayloadSHA256}] = &now[i]
		}
	}
	for i := range jobs {
		c := &jobs[i]
		if a := carried[copied{c.jobID, c.sum}]; a != nil && len(c.payload) == 0 {
			c.payload, c.message = []byte(a.job.Payload), &a.delivery
		}
	}
}

// settleCarried answers the messages that carry their jobs, and leaves those that only announce one or are over.
func (p *process) settleCarried(ctx context.Context, l *lane, now []announced, jobs []claimed, others map[string]found) (rest []announced) {
	begun := map[string]*claimed{}
	for i := range jobs {
		begun[jobs[i].jobID] = &jobs[i]
	}
	var lone []announced
	for _, a := range now {
		f, there := others[a.JobID]
		c, runs := begun[a.JobID]
		switch {
		case a.job == nil || !l.queue.carried || !there && !runs:
			rest = append(rest, a)
		case runs && c.message == nil: // the table has its payload
			rest = append(rest, a)
		case runs && c.message.number == a.number: // answered when its attempt has ended
		case runs && c.sum == a.job.PayloadSHA256:
			p.putBack(l, a.delivery, l.queue.lease)
		case runs || !l.carries(a, f.sum):
			p.contradict(ctx, l, a)
		case f.state == "dead" && f.generation == a.Generation:
			p.bury(l, a.delivery, *a.job, f.whole)
		case f.state == "done" || f.state == "cancelled" || f.whole:
			rest = append(rest, a)
		case f.generation > a.Generation: // it was sent back before its payload was here
			if p.keepPayload(l, a.delivery, *a.job) {
				rest = append(rest, a)
			}
		case f.in > 0: // it is not due yet, or it runs
			p.putBack(l, a.delivery, f.in)
		case f.due() && f.alone && f.generation == a.Generation:
			lone = append(lone, a)
		default: // somebody has its row just now
			p.putBack(l, a.delivery, p.policy().poll)
		}
	}
	for _, a := range lone {
		p.takeAlone(ctx, l, a)
	}
	return rest
}

// carries says that a message has the payload with this sum. A job that was added to the table by itself, before its queue's
// messages carried them, has that of the payload as this program writes it.
func (l *lane) carries(a announced, sum string) bool {
	return sum == a.job.PayloadSHA256 || sum == l.worker.adopt([]byte(a.job.Payload)).PayloadSHA256
}

// contradict makes a dead letter of a job that has the key of another one and a different payload. Only the first of them
// runs, and whoever sent this one has to learn of it.
func (p *process) contradict(ctx context.Context, l *lane, a announced) {
	j := *a.job
	j.Key = contradicts + j.JobID + `","payload_sha256":"` + j.PayloadSHA256 + `"}`
	j.JobID = derivedID(j.Queue, j.Key)
	asked, cancel := context.WithTimeout(p.writing, p.answerTime())
	defer cancel()
	if err := p.store.admit(asked, l.queue, []newJob{j}); err != nil {
		slog.ErrorContext(ctx, "a message cannot be made a job now", "queue", l.queue.name, "message_id", a.messageID, "error", err)
		p.putBack(l, a.delivery, l.queue.lease)
		return
	}
	p.acknowledge(l, a.delivery)
}

// contradicts begins the key of such a job. It is the key of no payload: those are arrays.
const contradicts = `{"contradicts":"`

func (c *claimed) contradiction() error {
	rest, contradiction := strings.CutPrefix(c.key, contradicts)
	if first, _, _ := strings.Cut(rest, `"`); contradiction && uuidForm.MatchString(first) {
		return fmt.Errorf("%w: the job %s has its key, and a different payload", errInvalid, first)
	}
	return nil // a producer in another language may give any key
}

// loneAsked says that a consumer waits until nothing else runs.
func (p *process) loneAsked() bool {
	return slices.ContainsFunc(p.lanes, func(l *lane) bool { return l.asking != nil && l.asking.alone })
}

// leaves says that messages have waited for slots for long enough: others may have some, and those that carry jobs come to
// nobody else before they are put back. What a message only announces is in the table, for all to find.
func (l *lane) leaves() bool {
	return l.queue.carried && !l.asking.peek && !l.asking.alone && time.Since(l.asking.since) > l.queue.lease
}

// takeAlone claims a job that has to run alone, once nothing else runs here.
func (p *process) takeAlone(ctx context.Context, l *lane, a announced) {
	if p.slotsFor(ctx, &ask{lane: l, n: 1, slots: make(chan int, 1), alone: true}) == 0 {
		p.putBack(l, a.delivery, 0)
		return
	}
	now := []announced{a}
	jobs, _, err := p.claimNamed(l, now, true)
	load(now, jobs)
	p.arrived <- arrival{lane: l, slots: 1, jobs: jobs, alone: true, err: err}
	if len(jobs) == 0 || jobs[0].message == nil { // the table may have the payload by now
		p.putBack(l, a.delivery, p.policy().poll)
	}
}

// answer tells the broker what becomes of the message of an attempt whose end is in the database, beside the loop.
func (p *process) answer(f *flight, accepted bool) {
	m, r, l := *f.message, f.result, f.lane
	if accepted && r.Decision == "done" {
		p.remove(l, m)
		return
	}
	p.answering.Go(func() {
		switch {
		case !accepted: // the job is somebody else's, who needs it
			p.putBack(l, m, p.policy().poll)
		case r.Next == "scheduled":
			p.putBack(l, m, milliseconds(r.DelayMS))
		default:
			p.bury(l, m, newJob{
				JobID: f.jobID, Queue: f.queue, Key: f.key, Payload: string(f.payload), PayloadSHA256: f.sum, SchemaHash: f.schema,
			}, false)
		}
	})
}

// removals is the messages of a lane that are to be removed.
type removals struct {
	mu       sync.Mutex
	pending  []delivery
	removing bool
}

// remove acknowledges a message beside the loop, together with those that have come up meanwhile.
func (p *process) remove(l *lane, m delivery) {
	r := &l.removals
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pending = append(r.pending, m)
	if r.removing {
		return
	}
	r.removing = true
	p.answering.Go(func() {
		for {
			r.mu.Lock()
			batch := r.pending
			r.pending, r.removing = nil, len(batch) > 0
			r.mu.Unlock()
			if len(batch) == 0 {
				return
			}
			p.acknowledge(l, batch...)
		}
	})
}

// bury puts the payload of a dead job where a person finds it, and only then removes its message.
func (p *process) bury(l *lane, m delivery, j newJob, whole bool) {
	if !whole && !p.keepPayload(l, m, j) {
		return
	}
	//retryc:if broker_dead
	if l.queue.deadLetter {
		if whole {
			slog.Warn("a dead letter of the broker has come back, and its job is dead: it goes there again, for a job is sent back by a decision about the job", "queue", l.queue.name, "job_id", j.JobID)
		}
		p.deadLetter(l, m, j)
		return
	}
	//retryc:end
	p.acknowledge(l, m)
}

// keepPayload puts what a message carries on the row of its job. If it cannot, the message comes again.
func (p *process) keepPayload(l *lane, m delivery, j newJob) bool {
	ctx, cancel := context.WithTimeout(p.writing, p.answerTime())
	defer cancel()
	err := p.store.fill(ctx, []newJob{j})
	if err != nil {
		slog.Error("the payload of a job could not be kept: its message stays", "job_id", j.JobID, "queue", l.queue.name, "error", err)
		p.putBack(l, m, l.queue.lease)
	}
	return err == nil
}
