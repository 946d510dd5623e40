package worker

import (
	"context"
	"log/slog"
	"slices"
	"time"
)

// answerTime is how long the database has for an answer. A connection on which none comes is a dead one, such as behind a
// firewall that has forgotten it, and the network may take a quarter of an hour to say so. What was claimed on it can be
// given back before its lease is over.
func (p *process) answerTime() time.Duration { return max(p.shortestLease()/2, time.Second) }

// finish is the store's, in time.
func (p *process) finish(ctx context.Context, results []result, wants []want) (map[string]bool, [][]claimed, error) {
	ctx, cancel := context.WithTimeout(ctx, p.answerTime())
	defer cancel()
	return p.store.finish(ctx, results, wants, p.token, p.name)
}

// recorded is the store's, in time.
func (p *process) recorded(ctx context.Context, results []result) (map[string]bool, error) {
	ctx, cancel := context.WithTimeout(ctx, p.answerTime())
	defer cancel()
	return p.store.recorded(ctx, p.token, results)
}

// giveBack returns what the database has begun for this process without its knowing, since the answer to a claim can be
// lost: no handler has seen it, so it is no attempt. What it misses waits for its lease.
func (p *process) giveBack(ctx context.Context) bool {
	p.collect(nil) // a job that was put back at once has not flown, and is known
	ended := map[string]int{}
	for _, f := range slices.Concat(p.unwritten, p.stubborn) {
		ended[f.jobID] = f.attempt
	}
	asked, cancel := context.WithTimeout(ctx, p.answerTime())
	defer cancel()
	held, err := p.store.jobs(asked, nil, p.store.text.held, p.token)
	var unknown []result
	p.mu.Lock()
	for _, c := range held {
		if f := p.flights[c.jobID]; (f == nil || f.attempt != c.attempt) && ended[c.jobID] != c.attempt {
			unknown = append(unknown, result{JobID: c.jobID, Attempt: c.attempt, Token: c.token, Next: "scheduled", PutBack: true})
		}
	}
	p.mu.Unlock()
	if err == nil && len(unknown) > 0 {
		_, _, err = p.finish(ctx, unknown, nil)
	}
	if err != nil && away(err) {
		p.failing++
		p.outage()
		slog.ErrorContext(ctx, "claims whose answer was lost could not be given back; trying again", "error", err)
		return false
	}
	p.astray = false
	p.claimAll()
	return true
}
