package jobs

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

// sqsMadeDead makes a queue whose redrive policy names another one.
func sqsMadeDead(t *testing.T, client *sqs.Client, dead string) string {
	t.Helper()
	return sqsMade(t, client, map[string]string{"RedrivePolicy": fmt.Sprintf(
		`{"deadLetterTargetArn":"arn:aws:sqs:eu-central-1:000000000000:%s","maxReceiveCount":"1000"}`, dead[strings.LastIndex(dead, "/")+1:])})
}

// sqsWay is a network to SQS on which some requests get no answer.
type sqsWay func(operation string) (cut bool)

func (w sqsWay) Do(r *http.Request) (*http.Response, error) {
	if w(strings.TrimPrefix(r.Header.Get("X-Amz-Target"), "AmazonSQS.")) {
		return nil, errors.New("the connection was cut")
	}
	return http.DefaultClient.Do(r)
}

// over is the same queue over another network.
func (w sqsWay) over(q *sqsQueue) *sqsQueue {
	through := *q
	through.client = sqsClientOf(*q.client.Options().BaseEndpoint, func(o *sqs.Options) { o.HTTPClient, o.RetryMaxAttempts = w, 1 })
	return &through
}

// newSQS is a queue of its own on the emulator, with a queue of dead letters.
func newSQS(t *testing.T) (q, dead *sqsQueue) {
	t.Helper()
	client := sqsClientOf(sqsServer(t, "RETRYC_TEST_SQS"))
	deadURL := sqsMade(t, client, nil)
	q, err := connectSQSDead(t.Context(), client, sqsMadeDead(t, client, deadURL))
	if err != nil {
		t.Fatal(err)
	}
	return q, &sqsQueue{client: client, url: deadURL}
}

func (q *sqsQueue) send(t *testing.T, messages ...message) {
	t.Helper()
	if err := q.publish(t.Context(), messages); err != nil {
		t.Fatal(err)
	}
}

// take waits for n messages, and answers them.
func (q *sqsQueue) take(t *testing.T, n int) (all []delivery) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for len(all) < n {
		came, err := q.receive(ctx, n-len(all))
		if err != nil {
			t.Fatalf("%d of %d messages have come: %v", len(all), n, err)
		}
		all = append(all, came...)
	}
	return all
}

func (q *sqsQueue) wantDepth(t *testing.T, want depth) {
	t.Helper()
	if got, err := q.depth(t.Context()); err != nil || got != want {
		t.Errorf("depth: %+v, want %+v (%v)", got, want, err)
	}
}

// bodiesOf are the bodies of messages, in order of their text.
func bodiesOf(messages []delivery) (bodies []string) {
	for _, m := range messages {
		bodies = append(bodies, string(m.body))
	}
	slices.Sort(bodies)
	return bodies
}
