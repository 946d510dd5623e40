package worker

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

// sqsAnswers stands in for the network: what it answers to a request. Inside a synctest bubble no time passes.
type sqsAnswers func(ctx context.Context, operation string, in sqsRequest) (status int, body any)

// sqsRequest is what the tests look at of a request.
type sqsRequest struct {
	Entries []struct {
		Id, MessageBody string
		DelaySeconds    int
	}
	WaitTimeSeconds, VisibilityTimeout int
}

func (a sqsAnswers) Do(r *http.Request) (*http.Response, error) {
	var in sqsRequest
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return nil, err
	}
	status, out := a(r.Context(), strings.TrimPrefix(r.Header.Get("X-Amz-Target"), "AmazonSQS."), in)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	body, err := json.Marshal(out)
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}}, Body: io.NopCloser(bytes.NewReader(body))}, err
}

func (a sqsAnswers) queue() *sqsQueue {
	return &sqsQueue{client: sqsClientOf("http://sqs.invalid", func(o *sqs.Options) { o.HTTPClient = a }), url: "http://sqs.invalid/1/q"}
}

// sqsClientOf is a client of a stand-in for SQS.
func sqsClientOf(server string, settings ...func(*sqs.Options)) *sqs.Client {
	return sqs.New(sqs.Options{
		Region: "eu-central-1", BaseEndpoint: &server,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
		}),
	}, settings...)
}

func sqsMessages(n int) []message {
	messages := make([]message, n)
	for i := range messages {
		messages[i] = message{id: rand.Text(), body: fmt.Appendf(nil, `{"n":%d}`, i)}
	}
	return messages
}

// sqsFailed is the answer to a batch some of whose entries fail.
type sqsFailed struct{ Failed []sqsFailedEntry }

type sqsFailedEntry struct {
	Id, Code, Message string
	SenderFault       bool
}

func TestSQSEntriesThatFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		asked := map[string]int{}
		q := sqsAnswers(func(_ context.Context, operation string, in sqsRequest) (int, any) {
			var out sqsFailed
			for _, entry := range in.Entries {
				mu.Lock()
				asked[entry.Id]++
				n := asked[entry.Id]
				mu.Unlock()
				switch {
				case entry.Id == "3" || entry.Id == "14":
					out.Failed = append(out.Failed, sqsFailedEntry{entry.Id, "InvalidParameterValue", "no such thing", true})
				case entry.Id == "7" || entry.Id == "11" && n < 3:
					out.Failed = append(out.Failed, sqsFailedEntry{entry.Id, "InternalError", "try again", false})
				}
			}
			return http.StatusOK, out
		}).queue()
		for name, do := range map[string]func() error{
			"sent to":      func() error { return q.publish(t.Context(), sqsMessages(25)) },
			"deleted from": func() error { return q.acknowledge(t.Context(), make([]delivery, 25)) },
		} {
			clear(asked)
			want := "3 of 25 messages were not " + name + " the SQS queue http://sqs.invalid/1/q; 1 for: InternalError: try again; 2 for: InvalidParameterValue: no such thing"
			if err := do(); err == nil || err.Error() != want {
				t.Errorf("%v, want %s", err, want)
			}
			for id, n := range asked {
				if want := map[string]int{"7": 3, "11": 3}[id]; n != max(want, 1) {
					t.Errorf("message %s was asked for %d times", id, n)
				}
			}
			if len(asked) != 25 {
				t.Errorf("%d messages were asked for", len(asked))
			}
		}
	})
}

func TestSQSBatchThatFailsHoldsBackNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		sent := 0
		q := sqsAnswers(func(_ context.Context, _ string, in sqsRequest) (int, any) {
			if in.Entries[0].Id == "10" {
				return http.StatusForbidden, map[string]string{"__type": "com.amazonaws.sqs#AccessDenied", "message": "not for you"}
			}
			mu.Lock()
			defer mu.Unlock()
			sent += len(in.Entries)
			return http.StatusOK, sqsFailed{}
		}).queue()
		err := q.publish(t.Context(), sqsMessages(95))
		if err == nil || !strings.Contains(err.Error(), "10 of 95 messages") || !strings.Contains(err.Error(), "not for you") || sent != 85 {
			t.Errorf("%d were sent: %v", sent, err)
		}
	})
}

func TestSQSStopsTryingWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		q := sqsAnswers(func(_ context.Context, _ string, in sqsRequest) (int, any) {
			return http.StatusOK, sqsFailed{[]sqsFailedEntry{{in.Entries[0].Id, "InternalError", "", false}}}
		}).queue()
		began := time.Now()
		if err := q.publish(ctx, sqsMessages(1)); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Millisecond {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
	})
}

func TestSQSBatchesBySize(t *testing.T) {
	var mu sync.Mutex
	var sizes []int
	q := sqsAnswers(func(_ context.Context, _ string, in sqsRequest) (int, any) {
		size := 0
		for _, entry := range in.Entries {
			size += len(entry.MessageBody)
		}
		mu.Lock()
		defer mu.Unlock()
		sizes = append(sizes, size)
		return http.StatusOK, sqsFailed{}
	}).queue()
	const half = sqsBatchBytes / 2
	var messages []message
	for _, n := range []int{1, half, half, half, 1, sqsBatchBytes, sqsBatchBytes + 1, 1} {
		messages = append(messages, message{body: []byte(strings.Repeat("x", n))})
	}
	if err := q.publish(t.Context(), messages); err != nil {
		t.Fatal(err)
	}
	total := map[int]int{}
	for _, size := range sizes {
		total[size]++
	}
	if want := (map[int]int{1: 2, half + 1: 1, sqsBatchBytes: 2, sqsBatchBytes + 1: 1}); !maps.Equal(total, want) {
		t.Errorf("batches of %v bytes", sizes)
	}
}

func TestSQSReceiveThatIsNotAnsweredIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := sqsAnswers(func(ctx context.Context, _ string, in sqsRequest) (int, any) {
			if in.WaitTimeSeconds != 20 {
				t.Errorf("it waits for %d s", in.WaitTimeSeconds)
			}
			<-ctx.Done()
			return 0, nil
		}).queue()
		began := time.Now()
		_, err := q.receive(t.Context(), 10)
		if took := time.Since(began); !errors.Is(err, errSQSSilent) || took != 30*time.Second {
			t.Errorf("after %s: %v", took, err)
		}
	})
}

func TestSQSWhatHasComeIsNotLostToAnError(t *testing.T) {
	n := 0
	q := sqsAnswers(func(_ context.Context, _ string, in sqsRequest) (int, any) {
		if n++; n > 1 {
			return http.StatusForbidden, map[string]string{"__type": "com.amazonaws.sqs#AccessDenied"}
		}
		return http.StatusOK, map[string]any{"Messages": make([]map[string]string, 10)}
	}).queue()
	came, err := q.receive(t.Context(), 15)
	if err != nil || len(came) != 10 || n != 2 {
		t.Errorf("%d have come in %d requests (%v)", len(came), n, err)
	}
}

func TestSQSHidesNoMessageForLongerThan12Hours(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got int
		q := sqsAnswers(func(_ context.Context, _ string, in sqsRequest) (int, any) {
			got = in.VisibilityTimeout
			return http.StatusOK, struct{}{}
		}).queue()
		m := delivery{receipt: sqsReceipt{"r", time.Now()}}
		time.Sleep(90 * time.Millisecond)
		for _, c := range []struct {
			delay time.Duration
			want  int
		}{{1<<63 - 1, 43199}, {12 * time.Hour, 43199}, {time.Nanosecond, 1}, {time.Minute, 60}, {-1 << 63, 0}} {
			if err := q.putBack(t.Context(), m, c.delay); err != nil || got != c.want {
				t.Errorf("%s: %d s, want %d (%v)", c.delay, got, c.want, err)
			}
		}
		time.Sleep(13 * time.Hour)
		if err := q.putBack(t.Context(), m, time.Hour); err != nil || got != 0 {
			t.Errorf("%d s (%v)", got, err)
		}
	})
}
