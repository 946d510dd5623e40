//retryc:when broker

package worker

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"regexp"
	"strings"
)

// announced is an announcement that has come.
type announced struct {
	announcement
	delivery
}

// uuidForm is how a job_id is written. The database would refuse a statement with any other.
var uuidForm = regexp.MustCompile("^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")

// readAnnouncement reads a message. One without a version is a payload, which another program has sent: it is no job yet.
func readAnnouncement(m delivery) (a announced, whole bool) {
	m.messageID = strings.ToValidUTF8(strings.ReplaceAll(m.messageID, "\x00", ""), "") // whoever sent it may have chosen it
	a.delivery = m
	err := json.Unmarshal(m.body, &a.announcement)
	return a, err == nil && a.Version == 1 && counts(a.Generation) && counts(a.Attempt) && uuidForm.MatchString(a.JobID)
}

// counts says that n can be a number of a generation or of an attempt. The database would refuse a statement with any other.
func counts(n int) bool { return n > 0 && n <= math.MaxInt32 }

// adopted makes a job of a message that is a payload. Its key is the payload's, or else the message's own, so that a
// message that comes twice is one job. What is no such payload becomes a job all the same, and a dead letter when it runs.
func adopted[P payload](q *queueTable, m delivery) newJob {
	var p P
	if err := decode(m.body, &p); err != nil {
		return bare(q, m)
	}
	j, err := newJobOf(q, p)
	if err != nil {
		return bare(q, m)
	}
	if !covers(p, m.body) { // it has a field that this program does not know, and waits for one that does
		j = j.with(m.body)
		j.SchemaHash = ""
	}
	if j.Key == "" {
		j = j.keyedBy(m)
	}
	return j
}

// bare is a job of which nothing is known but its message.
func bare(q *queueTable, m delivery) newJob {
	j := newJob{JobID: randomID(), Queue: q.name, SchemaHash: q.schema, PolicyHash: q.policy.hash}
	return j.with(m.body).keyedBy(m)
}

// with gives a job the bytes of a message for its payload.
func (j newJob) with(body []byte) newJob {
	sum := sha256.Sum256(body)
	j.Payload, j.PayloadSHA256 = string(body), hex.EncodeToString(sum[:])
	return j
}

// keyedBy gives a job the key of its message, which is the key of no payload: those are arrays.
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
