//retryc:when broker_message

package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// read makes a call that changes nothing.
func (a *infraiAPI) read(ctx context.Context, call string, data any) error {
	return a.call(ctx, http.MethodGet, call, "", nil, data)
}

// holdFor sets how long a message is kept from others once it has been received. Since no lease can be extended, it has to
// be longer than the longest attempt. It is for before the first receive.
func (q *infraiQueue) holdFor(lease time.Duration) { q.lease = lease }

// extend cannot be done: Infrai has no call that lengthens a lease. A handler that outlives it has its message delivered
// again while it runs, and that delivery is to be put back; each counts towards the queue's max_retries.
func (q *infraiQueue) extend(context.Context, []delivery, time.Duration) error {
	return fmt.Errorf("infrai: a lease cannot be extended, so a message is held for longer than the longest attempt: %w", errors.ErrUnsupported)
}

// deadLetter brings a message nearer to the queue's dead letters. Infrai has no call that parks one: it does that itself
// once a message has been put back max_retries times, so a message that comes again before that is to be dead-lettered again.
func (q *infraiQueue) deadLetter(ctx context.Context, m delivery) error { return q.putBack(ctx, m, 0) }

// depth is how many messages a queue has.
type depth struct {
	ready    int           // to be received now
	delayed  int           // held back
	inFlight int           // received and not acknowledged
	dead     int           // dead letters
	oldest   time.Duration // age of the oldest message that is no dead letter
}

func (q *infraiQueue) depth(ctx context.Context) (depth, error) {
	var stats struct {
		Available int     `json:"available_count"`
		InFlight  int     `json:"in_flight_count"`
		Delayed   int     `json:"delayed_count"`
		Dead      int     `json:"dlq_count"`
		Oldest    float64 `json:"oldest_message_age_seconds"`
	}
	if err := q.api.read(ctx, "stats/"+url.PathEscape(q.name), &stats); err != nil {
		return depth{}, err
	}
	return depth{
		ready: stats.Available, delayed: stats.Delayed, inFlight: stats.InFlight, dead: stats.Dead,
		oldest: time.Duration(stats.Oldest * float64(time.Second)),
	}, nil
}

// deadLetters lists up to limit of the queue's dead letters. They stay where they are.
func (q *infraiQueue) deadLetters(ctx context.Context, limit int) ([]delivery, error) {
	var data json.RawMessage
	err := q.api.read(ctx, "dlq/list/"+url.PathEscape(q.name)+"?limit="+strconv.Itoa(limit), &data)
	if err != nil {
		return nil, err
	}
	items, ok := infraiItems(data, "items", "messages")
	if !ok {
		return nil, errors.New("infrai dlq: the answer has neither items nor messages")
	}
	return q.deliveries(ctx, items), nil
}

// redriveAll sends all dead letters back into the queue, and answers how many. Their delivery count starts again.
func (q *infraiQueue) redriveAll(ctx context.Context) (int, error) {
	return q.redrive(ctx, struct{}{})
}

// redriveOne sends one dead letter back into the queue.
func (q *infraiQueue) redriveOne(ctx context.Context, messageID string) (int, error) {
	return q.redrive(ctx, struct {
		MessageID string `json:"message_id"`
	}{messageID})
}

// redriveSome sends at most limit dead letters back into the queue.
func (q *infraiQueue) redriveSome(ctx context.Context, limit int) (int, error) {
	return q.redrive(ctx, struct {
		Limit int `json:"max_messages"`
	}{limit})
}

func (q *infraiQueue) redrive(ctx context.Context, which any) (int, error) {
	var done struct {
		Redriven int `json:"redriven"`
	}
	err := q.api.write(ctx, http.MethodPost, "dlq/redrive/"+url.PathEscape(q.name), "", which, &done)
	return done.Redriven, err
}
