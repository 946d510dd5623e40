package outlook

import (
	"math"
	"time"

	"github.com/retryc/retryc/generator/internal/plan"
)

// Takes is what one job that never succeeds takes until it is dead, at most.
type Takes struct {
	Runs       int // of the handler
	HandlerFor time.Duration
	LedgerRows int
	Traffic    Traffic
}

// Takes is what the course does.
func (o *Outlook) Takes(c Course) Takes {
	n := c.Soonest.Attempts
	return Takes{Runs: n, HandlerFor: o.handlerFor(c.Queue, n), LedgerRows: n, Traffic: c.Traffic()}
}

// Takes is what the worst does.
func (w Worst) Takes() Takes {
	return Takes{Runs: w.Runs, HandlerFor: w.HandlerFor, LedgerRows: w.LedgerRows, Traffic: w.Traffic}
}

// handlerFor is how long n runs can take together, of which the last begins within the window.
func (o *Outlook) handlerFor(q *plan.Queue, n int) time.Duration {
	return min(saturating(n, q.Timeout.V), saturatingSum(o.plan.Caps.Window.V, q.Timeout.V))
}

// Cost is what that costs; 0 where nothing has a price.
func (o *Outlook) Cost(t Takes) float64 {
	p := o.plan.Prices
	if p == nil {
		return 0
	}
	sum := float64(t.Traffic.Messages)*p.Publish + float64(t.Traffic.Requests)*p.Request +
		t.HandlerFor.Seconds()*p.HandlerSecond + float64(t.LedgerRows)*p.LedgerRow
	return significant(sum)
}

// significant rounds away what adding prices leaves behind the digits that they have.
func significant(x float64) float64 {
	if x == 0 {
		return 0
	}
	scale := math.Pow(10, 9-math.Ceil(math.Log10(math.Abs(x))))
	return math.Round(x*scale) / scale
}
