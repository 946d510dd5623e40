//retryc:when broker_message

package worker

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// newSQSWithDeadLetters is a queue with another one for its dead letters.
func newSQSWithDeadLetters(t *testing.T, variable string) (q, dead *sqsQueue) {
	t.Helper()
	client := sqsClientOf(sqsServer(t, variable))
	dead = &sqsQueue{client: client, url: sqsMade(t, client, nil)}
	attributes, err := dead.attributes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	q, err = connectSQS(t.Context(), client, sqsMade(t, client, map[string]string{
		"RedrivePolicy": fmt.Sprintf(`{"deadLetterTargetArn":"%s","maxReceiveCount":"100"}`, attributes["QueueArn"]),
	}))
	if err != nil {
		t.Fatal(err)
	}
	return q, dead
}

func TestSQSExtend(t *testing.T) {
	q := newSQS(t, map[string]string{"VisibilityTimeout": "1"})
	if err := q.publish(t.Context(), sqsMessages(12)); err != nil {
		t.Fatal(err)
	}
	came, err := q.receive(t.Context(), 12)
	if err != nil || len(came) != 12 {
		t.Fatalf("%v have come (%v)", came, err)
	}
	began := time.Now()
	if err := q.extend(t.Context(), came, 1900*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	again, err := q.receive(t.Context(), 12)
	if took := time.Since(began); err != nil || len(again) == 0 || took < 1900*time.Millisecond {
		t.Errorf("%d have come after %s (%v)", len(again), took, err)
	}
	if err := q.extend(t.Context(), []delivery{{}, {}}, time.Second); err == nil || !strings.Contains(err.Error(), "2 of 2 messages were not extended") {
		t.Errorf("%v", err)
	}
}

func TestSQSDepth(t *testing.T) {
	q := newSQS(t, nil)
	messages := sqsMessages(6)
	messages[0].delay = time.Minute
	if err := q.publish(t.Context(), messages); err != nil {
		t.Fatal(err)
	}
	if came, err := q.receive(t.Context(), 2); err != nil || len(came) != 2 {
		t.Fatalf("%v have come (%v)", came, err)
	}
	if got, err := q.depth(t.Context()); err != nil || got != (depth{ready: 3, delayed: 1, received: 2}) {
		t.Errorf("%+v (%v)", got, err)
	}
}

func TestSQSDeadLetterAndRedrive(t *testing.T) {
	q, dead := newSQSWithDeadLetters(t, "RETRYC_TEST_SQS_LIMITS")
	if err := q.publish(t.Context(), sqsMessages(1)); err != nil {
		t.Fatal(err)
	}
	came := q.now(t)
	if len(came) != 1 {
		t.Fatalf("%v have come", came)
	}
	if err := q.deadLetter(t.Context(), came[0]); err != nil {
		t.Fatal(err)
	}
	if here, there := q.depthNow(t), dead.depthNow(t); here != 0 || there != 1 {
		t.Errorf("%d are left, %d are dead letters", here, there)
	}
	task, err := q.redrive(t.Context())
	if err != nil || task == "" {
		t.Fatalf("task %q (%v)", task, err)
	}
	for end := time.Now().Add(10 * time.Second); q.depthNow(t) == 0 && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
	}
	if again := q.now(t); len(again) != 1 || string(again[0].body) != string(came[0].body) {
		t.Errorf("%v have come back", again)
	}
	plain, err := connectSQS(t.Context(), q.client, sqsMade(t, q.client, nil))
	if err != nil {
		t.Fatal(err)
	}
	if err := plain.deadLetter(t.Context(), came[0]); err == nil || !strings.Contains(err.Error(), "has no dead-letter queue: give it a redrive policy") {
		t.Errorf("%v", err)
	}
}
