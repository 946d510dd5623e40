//retryc:when broker_dead

package worker

import (
	"context"
	"net/http"
	"net/url"
)

// deadLetter brings a message nearer to the queue's dead letters. Infrai has no call that parks one: it does that itself once a
// message has been put back max_retries times, so a message that comes again before that is to be dead-lettered again. It stays
// as it was sent.
func (q *infraiQueue) deadLetter(ctx context.Context, m delivery) error { return q.putBack(ctx, m, 0) }

// redrive has Infrai send dead letters back. Their delivery count starts again.
func (q *infraiQueue) redrive(ctx context.Context, limit int) (moved int, err error) {
	if limit < 1 {
		return 0, nil
	}
	var done struct {
		Redriven int `json:"redriven"`
	}
	err = q.api.write(ctx, http.MethodPost, "dlq/redrive/"+url.PathEscape(q.name), "", struct {
		Limit int `json:"max_messages"`
	}{limit}, &done)
	return done.Redriven, err
}
