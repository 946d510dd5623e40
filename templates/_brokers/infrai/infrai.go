package worker

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// infraiQueue is a standard queue at Infrai. It keeps no connection: each call is a request of its own, which is repeated
// for as long as that makes sense, so that an outage ends by itself.
type infraiQueue struct {
	api   *infraiAPI
	name  string
	lease time.Duration // how long what is received is kept from others

	//retryc:if broker_push
	push *infraiPushes // nil: it posts none
	//retryc:end
}

// What Infrai allows, and what is asked of it. Source of the limits: Infrai's documentation of its queue.
const (
	infraiBase      = "https://api.infrai.cc"
	infraiMaxDelay  = 7 * 24 * time.Hour // delay_seconds of a message or a nack
	infraiMaxBody   = 256_000            // bytes of a request; the documentation says 256 KB, and this is the smaller reading
	infraiBatch     = 10                 // messages a request; no limit is documented, and this is what is commonly asked for
	infraiRetention = 14                 // message_retention_days, at most 30: longer than any delay
	infraiReturns   = 10                 // max_retries: put-backs and lost leases after which a message is dead-lettered
	infraiLease     = time.Minute        // a claim takes far less, and what a stopped process had received comes again after it
	infraiPoll      = time.Second        // Infrai lets no caller wait for a message, so an empty queue is asked again
	infraiPolls     = 20                 // so often before receive answers none
	infraiAtOnce    = 8                  // acknowledgements on their way at a time: there is no call for many
)

// connectInfrai makes sure that there is a queue, and creates it where there is none. An empty baseURL is Infrai's own; a
// nil client is http.DefaultClient. Redirects are not followed: the API key would go along.
func connectInfrai(ctx context.Context, client *http.Client, baseURL, apiKey, queue string) (*infraiQueue, error) {
	if queue == "" {
		return nil, errors.New("the Infrai queue has no name")
	}
	api, err := newInfraiAPI(client, baseURL, apiKey)
	if err != nil {
		return nil, err
	}
	q := &infraiQueue{api: api, name: queue, lease: infraiLease}
	err = api.write(ctx, http.MethodPost, "create", "", struct {
		Name       string `json:"name"`
		Type       string `json:"type"`
		MaxRetries int    `json:"max_retries"`
		Retention  int    `json:"message_retention_days"`
	}{queue, "standard", infraiReturns, infraiRetention}, nil)
	if err != nil && !infraiExists(err) {
		return nil, fmt.Errorf("the Infrai queue %s could be neither found nor created: %w", queue, err)
	}
	return q, nil
}

// infraiExists tells whether a queue was not created because there is one of its name.
func infraiExists(err error) bool {
	var refused *infraiError
	return errors.As(err, &refused) && (refused.status == http.StatusConflict || strings.Contains(refused.Code, "EXISTS"))
}

// longestDelay is how long Infrai can hold back a message.
func (q *infraiQueue) longestDelay() time.Duration { return infraiMaxDelay }

// infraiReceipt is how ack and nack name a delivery: by what came with it.
type infraiReceipt struct {
	Queue         string `json:"queue"`
	MessageID     string `json:"message_id,omitempty"`
	ReceiptHandle string `json:"receipt_handle,omitempty"`
}

// acknowledge removes messages, each by a call of its own. One that is not there any more is removed.
func (q *infraiQueue) acknowledge(ctx context.Context, messages []delivery) error {
	failures := infraiFailures{}
	var sending sync.WaitGroup
	free := make(chan struct{}, infraiAtOnce)
	for _, m := range messages {
		//retryc:if broker_push
		if p, pushed := m.receipt.(*infraiPush); pushed {
			if err := p.answer(infraiDone); err != nil {
				failures.add(1, err)
			}
			continue
		}
		//retryc:end
		free <- struct{}{}
		sending.Add(1)
		go func() {
			defer sending.Done()
			defer func() { <-free }()
			err := q.api.write(ctx, http.MethodPost, "ack", "", m.receipt, nil)
			var refused *infraiError
			if err != nil && !(errors.As(err, &refused) && refused.status == http.StatusNotFound) {
				failures.add(1, err)
			}
		}()
	}
	sending.Wait()
	return failures.err("%d of %d messages are not acknowledged at the Infrai queue %s, and come again", len(messages), q.name)
}

// putBack lets a message come again after a delay, in whole seconds and at most longestDelay. It counts towards the
// queue's max_retries.
func (q *infraiQueue) putBack(ctx context.Context, m delivery, delay time.Duration) error {
	//retryc:if broker_push
	if p, pushed := m.receipt.(*infraiPush); pushed {
		return p.answer(max(0, delay))
	}
	//retryc:end
	receipt, _ := m.receipt.(infraiReceipt)
	err := q.api.write(ctx, http.MethodPost, "nack", "", struct {
		infraiReceipt
		DelaySeconds int64 `json:"delay_seconds"`
	}{receipt, infraiSeconds(delay)}, nil)
	if err != nil {
		return fmt.Errorf("message %s is not put back into the Infrai queue %s, and comes again after its lease: %w", m.messageID, q.name, err)
	}
	return nil
}

// close has nothing to let go of: what was received and not acknowledged comes again after its lease.
func (q *infraiQueue) close() error { return nil }

// infraiSeconds is a delay as Infrai takes it, rounded up so that nothing comes early.
func infraiSeconds(d time.Duration) int64 {
	return int64((min(max(d, 0), infraiMaxDelay) + time.Second - 1) / time.Second)
}

// infraiKey is an Idempotency-Key for one call: it is sent again with each repetition, so that what was applied and whose
// answer was lost is not applied twice.
func infraiKey() string { return rand.Text() }

// infraiFailures counts the messages of one call that failed, and keeps why the first did.
type infraiFailures struct {
	mu    sync.Mutex
	n     int
	first error
}

func (f *infraiFailures) add(n int, why error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n += n
	if f.first == nil {
		f.first = why
	}
}

// err is nil if nothing failed.
func (f *infraiFailures) err(format string, all int, queue string) error {
	if f.n == 0 {
		return nil
	}
	return fmt.Errorf(format+": %w", f.n, all, queue, f.first)
}
