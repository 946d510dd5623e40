package jobs

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

var _ broker = (*sqsQueue)(nil)

func TestSQSMessagesAreHeldForTheLeaseAndExtended(t *testing.T) {
	q, _ := newSQS(t)
	q.hold(time.Second, time.Hour)
	q.send(t, sqsMessages(24)...)
	first := q.take(t, 24)
	if err := q.extend(t.Context(), first[:12], time.Hour); err != nil { // two batches
		t.Fatal(err)
	}
	again := q.take(t, 12)
	if got, want := bodiesOf(again), bodiesOf(first[12:]); !slices.Equal(got, want) || again[0].count != 2 {
		t.Errorf("%v have come again, want %v", got, want)
	}
	if err := q.acknowledge(t.Context(), first[:12]); err != nil {
		t.Error(err)
	}
	if err := q.extend(t.Context(), first[:1], time.Hour); err == nil || !strings.Contains(err.Error(), "1 of 1 messages are not kept from others any more at the SQS queue "+q.url) {
		t.Errorf("extend of what is gone: %v", err)
	}
	if err := q.extend(t.Context(), nil, time.Hour); err != nil {
		t.Error(err)
	}
}

func TestSQSReceivesWithTheTimeoutOfTheHold(t *testing.T) {
	for hold, want := range map[time.Duration]int{time.Minute: 60, 1500 * time.Millisecond: 2, 100 * time.Hour: 43200} {
		q := sqsAnswers(func(_ context.Context, _ string, in sqsRequest) (int, any) {
			if in.VisibilityTimeout != want {
				t.Errorf("%s: a visibility timeout of %d s, want %d", hold, in.VisibilityTimeout, want)
			}
			return http.StatusOK, struct{}{}
		}).queue()
		q.hold(hold, 0)
		if _, err := q.receive(t.Context(), 10); err != nil {
			t.Error(err)
		}
	}
}

func TestSQSSaysThatFewReceivesTakeJobsAway(t *testing.T) {
	for policy, warns := range map[string]bool{"": false, `{"maxReceiveCount":"99"}`: true, `{"maxReceiveCount":100}`: false} {
		var log bytes.Buffer
		before := slog.Default()
		slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
		defer slog.SetDefault(before)
		q := sqsAnswers(nil).queue()
		q.read(t.Context(), map[string]string{"RedrivePolicy": policy})
		if log.Len() > 0 {
			t.Errorf("%s: %s", policy, &log)
		}
		q.hold(time.Minute, time.Hour)
		if strings.Contains(log.String(), "max_receive_count=99") != warns || log.Len() > 0 != warns {
			t.Errorf("%s: %s", policy, &log)
		}
	}
}

// A message that has been here for 12 hours is not made visible by what is to hide it.
func TestSQSExtendsNoMessageBeyond12Hours(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		requests, entries := 0, 0
		q := sqsAnswers(func(_ context.Context, _ string, in sqsRequest) (int, any) {
			requests, entries = requests+1, entries+len(in.Entries)
			return http.StatusOK, sqsFailed{}
		}).queue()
		old := delivery{messageID: "old", receipt: sqsReceipt{"r1", time.Now()}}
		time.Sleep(11 * time.Hour)
		young := delivery{messageID: "young", receipt: sqsReceipt{"r2", time.Now()}}
		if err := q.extend(t.Context(), []delivery{old, young}, 2*time.Hour); err != nil || requests != 1 || entries != 2 {
			t.Errorf("%d entries in %d requests (%v)", entries, requests, err)
		}
		time.Sleep(time.Hour)
		want := "1 of 2 messages are not kept from others any more at the SQS queue http://sqs.invalid/1/q; 1 for: it was received 12h0m0s ago"
		if err := q.extend(t.Context(), []delivery{old, young}, 2*time.Hour); err == nil || err.Error() != want || requests != 2 || entries != 3 {
			t.Errorf("%d entries in %d requests: %v", entries, requests, err)
		}
		if err := q.extend(t.Context(), []delivery{old}, 2*time.Hour); err == nil || requests != 2 {
			t.Errorf("%d requests: %v", requests, err)
		}
	})
}

func TestSQSDepth(t *testing.T) {
	q, _ := newSQS(t)
	q.send(t, sqsMessages(3)...)
	q.send(t, message{body: []byte("{}"), delay: 15 * time.Minute})
	q.take(t, 1)
	q.wantDepth(t, depth{ready: 2, delayed: 1, received: 1})
}

func TestSQSDeadLettersAndRedrive(t *testing.T) {
	q, dead := newSQS(t)
	q.send(t, sqsMessages(25)...)
	all := q.take(t, 25)
	for _, m := range all {
		if err := q.deadLetter(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	q.wantDepth(t, depth{})
	dead.wantDepth(t, depth{ready: 25})
	for _, c := range []struct{ limit, want int }{{0, 0}, {12, 12}, {100, 13}, {1, 0}} {
		if n, err := q.redrive(t.Context(), c.limit); err != nil || n != c.want {
			t.Errorf("of at most %d dead letters %d were moved, want %d (%v)", c.limit, n, c.want, err)
		}
	}
	dead.wantDepth(t, depth{})
	if back := q.take(t, 25); !slices.Equal(bodiesOf(back), bodiesOf(all)) || back[0].count != 1 {
		t.Errorf("%v are back", bodiesOf(back))
	}
}

// What is cut off in between leaves a message twice, and never none.
func TestSQSDeadLettersLoseNothing(t *testing.T) {
	q, dead := newSQS(t)
	cut := ""
	broken := sqsWay(func(operation string) bool { return operation == cut }).over(q)
	q.send(t, message{body: []byte(`{"n":1}`)})
	m := q.take(t, 1)[0]
	for _, step := range []struct {
		cut        string
		do         func() error
		says       string
		left, gone int // messages here, and dead letters
	}{
		{"GetQueueUrl", func() error { return broken.deadLetter(t.Context(), m) }, "was not dead-lettered: the dead-letter queue arn:", 1, 0},
		{"SendMessageBatch", func() error { return broken.deadLetter(t.Context(), m) }, "message " + m.messageID + " of the SQS queue " + q.url + " was not dead-lettered", 1, 0},
		{"DeleteMessageBatch", func() error { return broken.deadLetter(t.Context(), m) }, "1 of 1 messages were not deleted", 1, 1},
		{"ReceiveMessage", func() error { _, err := broken.redrive(t.Context(), 9); return err }, "after 0 dead letters of the SQS queue " + q.url, 1, 1},
		{"DeleteMessageBatch", func() error { _, err := broken.redrive(t.Context(), 9); return err }, "after 1 dead letters of the SQS queue " + q.url, 2, 1},
	} {
		cut = step.cut
		if err := step.do(); err == nil || !strings.Contains(err.Error(), step.says) {
			t.Errorf("%s: %v", step.cut, err)
		}
		for of, want := range map[*sqsQueue]int{q: step.left, dead: step.gone} {
			if d, err := of.depth(t.Context()); err != nil || d.ready+d.received != want {
				t.Errorf("%s: %s has %+v, want %d (%v)", step.cut, of.url, d, want, err)
			}
		}
	}
}

func TestSQSDeadLettersNeedAQueue(t *testing.T) {
	client := sqsClientOf(sqsServer(t, "RETRYC_TEST_SQS"))
	plain := sqsMade(t, client, nil)
	for url, says := range map[string]string{
		plain:       "the SQS queue " + plain + " has no dead-letter queue: give it a redrive policy",
		plain + "x": "there is no SQS queue " + plain + "x",
	} {
		if q, err := connectSQSDead(t.Context(), client, url); q != nil || err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", url, err)
		}
	}
	q := sqsAnswers(func(_ context.Context, operation string, _ sqsRequest) (int, any) {
		if operation == "GetQueueUrl" {
			return http.StatusBadRequest, map[string]string{"__type": "com.amazonaws.sqs#QueueDoesNotExist"}
		}
		return http.StatusOK, map[string]any{"Attributes": map[string]string{"RedrivePolicy": `{"deadLetterTargetArn":"arn:aws:sqs:eu-central-1:1:gone"}`}}
	}).queue()
	want := "the dead-letter queue arn:aws:sqs:eu-central-1:1:gone of the SQS queue http://sqs.invalid/1/q was not found"
	if _, err := connectSQSDead(t.Context(), q.client, q.url); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}
