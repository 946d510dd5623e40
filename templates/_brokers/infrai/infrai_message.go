//retryc:when broker_message

package worker

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// hold sets the lease of what is received. It is the longest, since Infrai has no call that extends one.
func (q *infraiQueue) hold(_, longest time.Duration) { q.lease = longest }

// extend has nothing to do. A message that is longer here than its lease comes again.
func (q *infraiQueue) extend(context.Context, []delivery, time.Duration) error { return nil }

func (q *infraiQueue) depth(ctx context.Context) (depth, error) {
	var stats struct {
		Available int `json:"available_count"`
		Delayed   int `json:"delayed_count"`
		InFlight  int `json:"in_flight_count"`
	}
	if err := q.api.call(ctx, http.MethodGet, "stats/"+url.PathEscape(q.name), "", nil, &stats); err != nil {
		return depth{}, err
	}
	return depth{ready: stats.Available, delayed: stats.Delayed, received: stats.InFlight}, nil
}
