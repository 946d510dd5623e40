package jobs

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// newSQS is a queue of its own on the emulator.
func newSQS(t *testing.T, attributes map[string]string) *sqsQueue {
	t.Helper()
	client := sqsClientOf(sqsServer(t, "RETRYC_TEST_SQS"))
	q, err := connectSQS(t.Context(), client, sqsMade(t, client, attributes))
	if err != nil {
		t.Fatal(err)
	}
	return q
}

var _ broker = (*sqsQueue)(nil)

func sqsBodies[M message | delivery](messages []M) []string {
	var bodies []string
	for _, m := range messages {
		switch m := any(m).(type) {
		case message:
			bodies = append(bodies, string(m.body))
		case delivery:
			bodies = append(bodies, string(m.body))
		}
	}
	slices.Sort(bodies)
	return bodies
}

// take receives n messages, and calls each with those that have come together.
func (q *sqsQueue) take(t *testing.T, n int, each func([]delivery)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for left := n; left > 0; {
		came, err := q.receive(ctx, left)
		if err != nil {
			t.Fatalf("%d of %d messages have not come: %v", left, n, err)
		}
		left -= len(came)
		each(came)
	}
}

// now is what the queue has at once.
func (q *sqsQueue) now(t *testing.T) []delivery {
	t.Helper()
	came, err := q.receiveOnce(t.Context(), sqsBatch, 0)
	if err != nil {
		t.Fatal(err)
	}
	return came
}

func TestSQSBatchesOverItsLimit(t *testing.T) {
	q := newSQS(t, nil)
	messages := sqsMessages(43)
	if err := q.publish(t.Context(), messages); err != nil {
		t.Fatal(err)
	}
	var all []delivery
	for _, limit := range []int{3, 25, 100} {
		came, err := q.receive(t.Context(), limit)
		if want := min(limit, len(messages)-len(all)); err != nil || len(came) != want {
			t.Fatalf("%d have come, want %d (%v)", len(came), want, err)
		}
		all = append(all, came...)
	}
	if got, want := sqsBodies(all), sqsBodies(messages); !slices.Equal(got, want) {
		t.Errorf("%v have come, want %v", got, want)
	}
	ids := map[string]bool{}
	for _, m := range all {
		if ids[m.messageID] || m.messageID == "" || m.count != 1 {
			t.Errorf("message %q has come %d times", m.messageID, m.count)
		}
		ids[m.messageID] = true
	}
	if err := q.acknowledge(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	if n := q.depthNow(t); n != 0 {
		t.Errorf("%d messages are left", n)
	}
}

// depthNow is how many messages the queue has, hidden ones included.
func (q *sqsQueue) depthNow(t *testing.T) (n int) {
	t.Helper()
	out, err := q.client.GetQueueAttributes(t.Context(), &sqs.GetQueueAttributesInput{QueueUrl: &q.url, AttributeNames: []types.QueueAttributeName{"All"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range out.Attributes {
		if strings.HasPrefix(name, "ApproximateNumberOfMessages") {
			var more int
			if _, err := fmt.Sscan(value, &more); err != nil {
				t.Fatal(err)
			}
			n += more
		}
	}
	return n
}

func TestSQSFullReceiveIsNotHeldUpByTheQueuesWait(t *testing.T) {
	for wait, longest := range map[string]time.Duration{"0": 500 * time.Millisecond, "20": 3 * time.Second} {
		q := newSQS(t, map[string]string{"ReceiveMessageWaitTimeSeconds": wait})
		if err := q.publish(t.Context(), sqsMessages(10)); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		came, err := q.receive(t.Context(), 20)
		if took := time.Since(began); err != nil || len(came) != 10 || took > longest {
			t.Errorf("%d have come after %s (%v)", len(came), took, err)
		}
	}
}

func TestSQSNothingToDo(t *testing.T) {
	q := newSQS(t, nil)
	came, err := q.receive(t.Context(), 0)
	if err := errors.Join(err, q.publish(t.Context(), nil), q.acknowledge(t.Context(), nil), q.close()); err != nil || came != nil {
		t.Errorf("%v have come (%v)", came, err)
	}
}

func TestSQSDelayIsNeverCutShort(t *testing.T) {
	q := newSQS(t, nil)
	delays := []time.Duration{-time.Hour, 0, time.Millisecond, time.Second, 1100 * time.Millisecond}
	due := map[string]time.Duration{}
	var messages []message
	for _, delay := range delays {
		m := message{id: rand.Text(), body: fmt.Appendf(nil, "%q", delay), delay: delay}
		messages, due[string(m.body)] = append(messages, m), delay
	}
	began := time.Now()
	if err := q.publish(t.Context(), messages); err != nil {
		t.Fatal(err)
	}
	q.take(t, len(messages), func(came []delivery) {
		for _, m := range came {
			if after := time.Since(began); after < due[string(m.body)] || after > max(due[string(m.body)], 0)+2*time.Second {
				t.Errorf("%s has come after %s", m.body, after)
			}
		}
	})
	err := q.publish(t.Context(), []message{{body: []byte("1"), delay: q.longestDelay() + 1}, {body: []byte("2"), delay: q.longestDelay()}})
	if err == nil || !strings.Contains(err.Error(), "1 of 2 messages were not sent") {
		t.Errorf("%v", err)
	}
}

func TestSQSPutBack(t *testing.T) {
	q := newSQS(t, nil)
	if err := q.publish(t.Context(), sqsMessages(1)); err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, delay := range []time.Duration{-time.Second, 0, 1100 * time.Millisecond, 24 * time.Hour} {
		count++
		came, err := q.receive(t.Context(), 1)
		if err != nil || len(came) != 1 || came[0].count != count {
			t.Fatalf("%v have come (%v)", came, err)
		}
		began := time.Now()
		if err := q.putBack(t.Context(), came[0], delay); err != nil {
			t.Fatal(err)
		}
		if 0 < delay && delay < time.Minute {
			if came = q.now(t); len(came) != 0 {
				t.Fatalf("%v have come", came)
			}
			came, err = q.receive(t.Context(), 1)
			if after := time.Since(began); err != nil || len(came) != 1 || after < delay {
				t.Fatalf("%v have come after %s (%v)", came, after, err)
			}
			count++
			if err := q.putBack(t.Context(), came[0], 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	if came := q.now(t); len(came) != 0 {
		t.Errorf("%v have come", came)
	}
	if err := q.putBack(t.Context(), delivery{messageID: "m1"}, 0); err == nil || !strings.Contains(err.Error(), "message m1 was not put back") {
		t.Errorf("%v", err)
	}
}

func TestSQSMessageThatIsNotAcknowledgedComesAgain(t *testing.T) {
	q := newSQS(t, map[string]string{"VisibilityTimeout": "1"})
	if err := q.publish(t.Context(), sqsMessages(12)); err != nil {
		t.Fatal(err)
	}
	first, err := q.receive(t.Context(), 12)
	if err != nil || len(first) != 12 {
		t.Fatalf("%v have come (%v)", first, err)
	}
	broken := sqsProxy(t, q, func(operation string) bool { return operation == "DeleteMessageBatch" })
	if err := broken.acknowledge(t.Context(), first); err == nil || !strings.Contains(err.Error(), "12 of 12 messages were not deleted") {
		t.Errorf("%v", err)
	}
	if err := broken.close(); err != nil {
		t.Error(err)
	}
	var again []delivery
	q.take(t, 12, func(came []delivery) {
		again = append(again, came...)
		if err := q.acknowledge(t.Context(), came); err != nil {
			t.Fatal(err)
		}
	})
	if got := sqsBodies(again); !slices.Equal(got, sqsBodies(first)) || again[0].count != 2 {
		t.Errorf("%v have come again", got)
	}
	if n := q.depthNow(t); n != 0 {
		t.Errorf("%d messages are left", n)
	}
}

// sqsProxy is a way to the same queue on which some requests, or while down answers true all of them, get no answer.
func sqsProxy(t *testing.T, q *sqsQueue, down func(operation string) bool) *sqsQueue {
	t.Helper()
	target, err := url.Parse(*q.client.Options().BaseEndpoint)
	if err != nil {
		t.Fatal(err)
	}
	forward := httputil.NewSingleHostReverseProxy(target)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if down(strings.TrimPrefix(r.Header.Get("X-Amz-Target"), "AmazonSQS.")) {
			panic(http.ErrAbortHandler)
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	through := *q
	through.client = sqsClientOf(server.URL, func(o *sqs.Options) { o.RetryMaxAttempts = 1 })
	return &through
}

func TestSQSIsThereAgainAfterAnOutage(t *testing.T) {
	var down atomic.Bool
	q := sqsProxy(t, newSQS(t, nil), func(string) bool { return down.Load() })
	for range 2 {
		if err := q.publish(t.Context(), sqsMessages(1)); err != nil {
			t.Fatal(err)
		}
		down.Store(true)
		if came, err := q.receive(t.Context(), 10); err == nil || came != nil || errors.Is(err, context.Canceled) {
			t.Errorf("%v have come (%v)", came, err)
		}
		if err := q.publish(t.Context(), sqsMessages(30)); err == nil || !strings.Contains(err.Error(), "30 of 30 messages were not sent to the SQS queue "+q.url+"; 30 for: ") {
			t.Errorf("%v", err)
		}
		down.Store(false)
		came, err := q.receive(t.Context(), 10)
		if err != nil || len(came) != 1 {
			t.Fatalf("%v have come (%v)", came, err)
		}
		if err := q.acknowledge(t.Context(), came); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSQSReceiveEndsWithItsContext(t *testing.T) {
	q := newSQS(t, map[string]string{"VisibilityTimeout": "1"})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(300*time.Millisecond, cancel)
	began := time.Now()
	came, err := q.receive(ctx, 10)
	if took := time.Since(began); err != context.Canceled || came != nil || took > 3*time.Second {
		t.Errorf("%v have come after %s (%v)", came, took, err)
	}
	if err := q.publish(ctx, sqsMessages(3)); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "3 of 3 messages") {
		t.Errorf("%v", err)
	}
	// What comes after it, comes.
	if err := q.publish(t.Context(), sqsMessages(1)); err != nil {
		t.Fatal(err)
	}
	if came, err = q.receive(t.Context(), 10); err != nil || len(came) != 1 {
		t.Errorf("%v have come (%v)", came, err)
	}
}

func TestSQSUsedByManyAtOnce(t *testing.T) {
	q := newSQS(t, nil)
	const publishers, each = 6, 35
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var mu sync.Mutex
	seen := map[string]int{}
	var all sync.WaitGroup
	for p := range publishers {
		all.Go(func() {
			messages := sqsMessages(each)
			for i := range messages {
				messages[i].body = fmt.Appendf(nil, "[%d,%d]", p, i)
			}
			if err := q.publish(ctx, messages); err != nil {
				t.Error(err)
			}
		})
		all.Go(func() {
			for ctx.Err() == nil {
				came, err := q.receive(ctx, 25)
				if err != nil && ctx.Err() == nil {
					t.Error(err)
				}
				if err := q.acknowledge(t.Context(), came); err != nil {
					t.Error(err)
				}
				mu.Lock()
				for _, m := range came {
					seen[string(m.body)]++
				}
				if len(seen) == publishers*each {
					cancel()
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if len(seen) != publishers*each {
		t.Errorf("%d of %d messages have come", len(seen), publishers*each)
	}
}

func TestSQSBodies(t *testing.T) {
	q := newSQS(t, nil)
	odd, err := json.Marshal("\x00\x1f\"\\\t\u007f\u0085\ufffd\ufffe\uffff漢字 </>&\u2028")
	if err != nil {
		t.Fatal(err)
	}
	large := func(c string, n int) []byte { return []byte(`"` + strings.Repeat(c, n-2) + `"`) }
	messages := []message{{body: odd}, {body: []byte("\"\xff\"")}, {body: large("x", sqsBatchBytes+1)}}
	for range 5 { // two batches, by size
		messages = append(messages, message{body: large("y", 240_000)})
	}
	messages = append(messages, message{body: large("z", sqsBatchBytes)})
	err = q.publish(t.Context(), messages)
	if err == nil || !strings.Contains(err.Error(), "2 of 9 messages were not sent") || !strings.Contains(err.Error(), "1 for: a body that is not UTF-8") {
		t.Errorf("%v", err)
	}
	lengths := map[int]int{}
	q.take(t, 7, func(came []delivery) {
		for _, m := range came {
			if lengths[len(m.body)]++; len(m.body) > 200 {
				continue
			}
			var got, want string
			if err := cmp.Or(json.Unmarshal(m.body, &got), json.Unmarshal(odd, &want)); err != nil || got != want {
				t.Errorf("%q has come, want %q (%v)", got, want, err)
			}
		}
	})
	if lengths[240_000] != 5 || lengths[sqsBatchBytes] != 1 || len(lengths) != 3 {
		t.Errorf("%v", lengths)
	}
}

func TestConnectSQS(t *testing.T) {
	client := sqsClientOf(sqsServer(t, "RETRYC_TEST_SQS"))
	standard := sqsMade(t, client, nil)
	dead := fmt.Sprintf(`{"deadLetterTargetArn":"arn:aws:sqs:eu-central-1:000000000000:%s","maxReceiveCount":`, standard[strings.LastIndex(standard, "/")+1:])
	for _, c := range []struct {
		name       string
		url        string
		attributes map[string]string
		err, warn  string
	}{
		{name: "standard", attributes: map[string]string{"RedrivePolicy": dead + `"5"}`}},
		{name: "missing", url: standard + "x", err: "there is no SQS queue " + standard + "x: create a standard queue, or correct the URL or the client's region, eu-central-1"},
		{name: "FIFO", attributes: map[string]string{"FifoQueue": "true"}, err: "is a FIFO queue, which cannot delay one message"},
		{name: "few receives", attributes: map[string]string{"RedrivePolicy": dead + `"4"}`}, warn: "max_receive_count=4"},
		{name: "few receives", attributes: map[string]string{"RedrivePolicy": dead + `1}`}, warn: "max_receive_count=1"},
		{name: "slow", attributes: map[string]string{"DelaySeconds": "7"}, warn: "seconds=7"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log bytes.Buffer
			before := slog.Default()
			defer slog.SetDefault(before)
			slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
			if c.url == "" {
				c.url = sqsMade(t, client, c.attributes)
			}
			q, err := connectSQS(t.Context(), client, c.url)
			if (q == nil) != (err != nil) || (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("%v, want %q", err, c.err)
			}
			if (log.Len() > 0) != (c.warn != "") || !strings.Contains(log.String(), c.warn) {
				t.Errorf("%s, want %q", &log, c.warn)
			}
		})
	}
	if _, err := connectSQS(t.Context(), nil, standard); err == nil {
		t.Error("no client")
	}
}

// The longest delay, the longest visibility timeout and the largest batch are within what the service takes.
func TestSQSLimits(t *testing.T) {
	client := sqsClientOf(sqsServer(t, "RETRYC_TEST_SQS_LIMITS"))
	q, err := connectSQS(t.Context(), client, sqsMade(t, client, nil))
	if err != nil {
		t.Fatal(err)
	}
	messages := sqsMessages(25)
	for i := range messages {
		messages[i].delay = q.longestDelay()
	}
	messages[0] = message{body: []byte(`"🙂"`)}
	if err := q.publish(t.Context(), messages); err != nil {
		t.Fatal(err)
	}
	came := q.now(t)
	if len(came) != 1 || !bytes.Equal(came[0].body, messages[0].body) {
		t.Fatalf("%v have come", came)
	}
	if err := q.putBack(t.Context(), came[0], sqsMaxHidden); err != nil {
		t.Error(err)
	}
	_, err = client.SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: &q.url, MessageBody: aws.String("1"), DelaySeconds: sqsSeconds(q.longestDelay() + 1)})
	if err == nil || !strings.Contains(err.Error(), "DelaySeconds must be >= 0 and <= 900") {
		t.Errorf("%v", err)
	}
}
