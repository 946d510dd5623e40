package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/retryc/retryc/examples/internal/scratch"
	"github.com/retryc/retryc/examples/jobsctl/internal/jobs"
)

//go:embed db/migrations/0001_retryc.sql
var migration string

// demo makes tables of its own, and forty payouts that a bank refuses until they are dead, three of them for good. Then the bank is back,
// and a worker waits for what is sent, until it is stopped.
func demo(ctx context.Context, o *options) error {
	url, drop, err := scratch.Schema(ctx, os.Getenv("DATABASE_URL"), migration)
	if err != nil {
		return err
	}
	defer func() { _ = drop() }()
	return play(ctx, o, url, 40)
}

func play(ctx context.Context, o *options, url string, payouts int) error {
	store, err := jobs.Open(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	all := make([]jobs.Payout, payouts)
	for i := range all {
		all[i] = jobs.Payout{PayoutID: fmt.Sprintf("po_%03d", i+1), Shop: fmt.Sprintf("shop-%d", i%3), IBAN: fmt.Sprintf("DE%020d", i), Cents: int64(100 * (i + 1))}
		if i%15 == 7 {
			all[i].IBAN = "closed"
		}
	}
	if _, err := jobs.EnqueuePayoutMany(ctx, store, all); err != nil {
		return err
	}
	var down atomic.Bool
	down.Store(true)
	work := func(_ context.Context, job *jobs.Job[jobs.Payout]) error {
		switch {
		case job.Payload.IBAN == "closed":
			return fmt.Errorf("pay out %d: %w", job.Payload.Cents, jobs.ErrAccountClosed)
		case down.Load():
			return errors.New("the bank answers 503: down for maintenance")
		}
		return nil
	}
	ended := make(chan error, 1)
	go func() { ended <- jobs.Run(ctx, store, jobs.PayoutWorker(work)) }()
	for dead := 0; dead < payouts; {
		select {
		case err := <-ended:
			return err
		case <-time.After(50 * time.Millisecond):
		}
		groups, err := store.DeadGroups(ctx, jobs.DeadFilter{})
		if err != nil {
			return err
		}
		dead = 0
		for _, g := range groups {
			dead += g.Jobs
		}
	}
	down.Store(false)
	_, _ = fmt.Fprintf(o.out, "%d payouts are dead, and the bank is back. In another terminal:\n\n  export DATABASE_URL='%s'\n  go run . group\n", payouts, url)
	return <-ended
}
