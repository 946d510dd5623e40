//retryc:when broker

package worker

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"math"
	"regexp"
	"strings"
)

// announced is an announcement that has come.
type announced struct {
	announcement
	delivery
	job *newJob // that the message carries; nil: the table has it
}

// parcel is an announcement that carries its job.
type parcel struct {
	announcement
	Key     string          `json:"key,omitempty"`
	Schema  string          `json:"schema,omitempty"`
	Payload json.RawMessage `json:"payload,omitempty"`

	//retryc:if observed_otel
	Traceparent string `json:"traceparent,omitempty"`
	//retryc:end
}

// uuidForm is how a job_id is written. The database would refuse a statement with any other.
var uuidForm = regexp.MustCompile("^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")

// readParcel reads a message. One without a version is a payload, which another program has sent: it is no job yet.
func readParcel(body []byte) (p parcel, whole bool) {
	err := json.Unmarshal(body, &p)
	return p, err == nil && p.Version == 1 && counts(p.Generation) && counts(p.Attempt) && uuidForm.MatchString(p.JobID) && !strings.Contains(p.Key+p.Schema, "\x00")
}

// counts says that n can be a number of a generation or of an attempt. The database would refuse a statement with any other.
func counts(n int) bool { return n > 0 && n <= math.MaxInt32 }

// read makes announcements of messages, and the jobs that they carry.
func (p *process) read(ctx context.Context, l *lane, messages []delivery) (pending []announced) {
	for _, m := range messages {
		m.messageID = strings.ToValidUTF8(strings.ReplaceAll(m.messageID, "\x00", ""), "") // whoever sent it may have chosen it
		from, whole := readParcel(m.body)
		a := announced{from.announcement, m, nil}
		switch {
		case a.Version > 1 || whole && a.Queue != l.queue.name:
			slog.ErrorContext(ctx, "a message is for another program", "queue", l.queue.name, "of", a.Queue, "version", a.Version, "message_id", m.messageID)
			p.putBack(l, m, l.queue.lease)
			continue
		case whole && from.Payload != nil:
			j := l.worker.adopt(from.Payload).with(canonical(from.Payload))
			j.JobID, j.Key, j.SchemaHash = a.JobID, from.Key, from.Schema
			//retryc:if observed_otel
			j.Traceparent = cleanTraceparent(from.Traceparent)
			//retryc:end
			a.job = &j
		case whole: // the table has its job
		case a.Version != 0 && from.Payload == nil: // whatever it was to announce is in the table
			slog.ErrorContext(ctx, "an announcement is broken: the poll finds its job", "queue", l.queue.name, "message_id", m.messageID)
			p.acknowledge(l, m)
			continue
		default:
			j := l.worker.adopt(m.body)
			if j.Key == "" {
				j = j.keyedBy(m)
			}
			//retryc:if broker_message
			j.carriedSHA256 = j.with(canonical(m.body)).PayloadSHA256
			if l.queue.carried {
				j = j.with(canonical(m.body))
				if j.Key == "" && p.identify(ctx, l, m, j) {
					continue
				}
				if j.Key == "" {
					j = j.keyedBy(delivery{messageID: "sha256 " + j.PayloadSHA256})
				}
			}
			//retryc:end
			a.announcement, a.job = announcement{1, l.queue.name, j.JobID, 1, 1}, &j
		}
		pending = append(pending, a)
	}
	return p.admit(ctx, l, pending)
}

// admit adds the jobs that messages carry to the table, and answers what can be claimed. Where the database refuses
// something of a job, it is the bare message. One that does not answer is let rest, or all that waits at the broker would be
// taken and put back meanwhile.
func (p *process) admit(ctx context.Context, l *lane, pending []announced) (admitted []announced) {
	err := p.addAll(l, pending)
	if err == nil {
		return pending
	}
	if away(err) {
		slog.ErrorContext(ctx, "messages cannot be made jobs now", "queue", l.queue.name, "messages", len(pending), "error", err)
		for _, a := range pending {
			p.putBack(l, a.delivery, l.queue.lease)
		}
		pause(ctx, p.policy().poll)
		return nil
	}
	for _, a := range pending { // one by one, so that none holds up the others
		err := p.addAll(l, []announced{a})
		if err != nil && !away(err) {
			a.job.Tenant, a.job.Tier, a.job.Columns = "", "", nil
			err = p.addAll(l, []announced{a})
		}
		if err != nil {
			slog.ErrorContext(ctx, "a message cannot be made a job now", "queue", l.queue.name, "message_id", a.messageID, "error", err)
			p.putBack(l, a.delivery, l.queue.lease)
			continue
		}
		admitted = append(admitted, a)
	}
	return admitted
}

func (p *process) addAll(l *lane, pending []announced) error {
	var jobs []newJob
	for _, a := range pending {
		if a.job != nil {
			jobs = append(jobs, *a.job)
		}
	}
	//retryc:if broker_message
	for i := range jobs {
		if l.queue.carried { // the message keeps it
			jobs[i].Payload = ""
		}
	}
	//retryc:end
	if len(jobs) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(p.writing, p.answerTime())
	defer cancel()
	return p.store.admit(ctx, l.queue, jobs)
}

// adopted makes a job of a payload that has come with a message. Its key is the payload's. What is no such payload becomes
// a job all the same, and a dead letter when it runs.
func adopted[P payload](q *queueTable, body []byte) newJob {
	bare := newJob{JobID: randomID(), Queue: q.name, SchemaHash: q.schema, PolicyHash: q.policy.hash}.with(body)
	var p P
	if decode(body, &p) != nil {
		return bare
	}
	j, err := newJobOf(q, p)
	if err != nil {
		return bare
	}
	if !covers(p, body) { // it has a field that this program does not know, and waits for one that does
		j = j.with(body)
		j.SchemaHash = ""
	}
	return j
}

// with gives a job the bytes of a message for its payload.
func (j newJob) with(body []byte) newJob {
	sum := sha256.Sum256(body)
	j.Payload, j.PayloadSHA256 = string(body), hex.EncodeToString(sum[:])
	return j
}

// canonical is JSON with its keys in order and without spaces, so that a payload is the same bytes each time it comes: not
// every broker gives back the ones that it was given. What is no JSON stays as it is.
func canonical(body []byte) []byte {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var v any
	if !json.Valid(body) || decoder.Decode(&v) != nil {
		return body
	}
	ordered, err := json.Marshal(v)
	if err != nil {
		return body
	}
	return ordered
}

// keyedBy gives a job the key of its message, which is the key of no payload: those are arrays. So a message that comes
// twice is one job.
func (j newJob) keyedBy(m delivery) newJob {
	if m.messageID == "" {
		return j
	}
	key, err := json.Marshal(map[string]string{"message_id": m.messageID})
	if err != nil {
		panic(err) // it is a map of texts
	}
	j.Key = string(key)
	j.JobID = derivedID(j.Queue, j.Key)
	return j
}
