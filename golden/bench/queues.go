package main

import (
	"context"

	"github.com/retryc/retryc/golden/bench/thumbnails/jobs"
)

// workerCounts are the concurrencies that retry.yaml has queues of.
var workerCounts = []int{8, 100, 500}

var plainQueues = map[int]queue{
	8: queueOf("no key", jobs.EnqueuePlain8, jobs.EnqueuePlain8Many, jobs.Plain8Worker,
		func(t thumbnail) jobs.Plain8 {
			return jobs.Plain8{EventID: t.EventID, MerchantID: t.MerchantID, Plan: ptr(jobs.Plain8Plan(t.Plan)), SourceURL: t.SourceURL, Width: &t.Width}
		}, func(p jobs.Plain8) string { return p.EventID }),
	100: queueOf("no key", jobs.EnqueuePlain100, jobs.EnqueuePlain100Many, jobs.Plain100Worker,
		func(t thumbnail) jobs.Plain100 {
			return jobs.Plain100{EventID: t.EventID, MerchantID: t.MerchantID, Plan: ptr(jobs.Plain100Plan(t.Plan)), SourceURL: t.SourceURL, Width: &t.Width}
		}, func(p jobs.Plain100) string { return p.EventID }),
	500: queueOf("no key", jobs.EnqueuePlain500, jobs.EnqueuePlain500Many, jobs.Plain500Worker,
		func(t thumbnail) jobs.Plain500 {
			return jobs.Plain500{EventID: t.EventID, MerchantID: t.MerchantID, Plan: ptr(jobs.Plain500Plan(t.Plan)), SourceURL: t.SourceURL, Width: &t.Width}
		}, func(p jobs.Plain500) string { return p.EventID }),
}

var keyedQueues = map[int]queue{
	8: queueOf("an idempotency key", jobs.EnqueueKeyed8, jobs.EnqueueKeyed8Many, jobs.Keyed8Worker,
		func(t thumbnail) jobs.Keyed8 {
			return jobs.Keyed8{EventID: t.EventID, MerchantID: t.MerchantID, Plan: ptr(jobs.Keyed8Plan(t.Plan)), SourceURL: t.SourceURL, Width: &t.Width}
		}, func(p jobs.Keyed8) string { return p.EventID }),
	100: queueOf("an idempotency key", jobs.EnqueueKeyed100, jobs.EnqueueKeyed100Many, jobs.Keyed100Worker,
		func(t thumbnail) jobs.Keyed100 {
			return jobs.Keyed100{EventID: t.EventID, MerchantID: t.MerchantID, Plan: ptr(jobs.Keyed100Plan(t.Plan)), SourceURL: t.SourceURL, Width: &t.Width}
		}, func(p jobs.Keyed100) string { return p.EventID }),
	500: queueOf("an idempotency key", jobs.EnqueueKeyed500, jobs.EnqueueKeyed500Many, jobs.Keyed500Worker,
		func(t thumbnail) jobs.Keyed500 {
			return jobs.Keyed500{EventID: t.EventID, MerchantID: t.MerchantID, Plan: ptr(jobs.Keyed500Plan(t.Plan)), SourceURL: t.SourceURL, Width: &t.Width}
		}, func(p jobs.Keyed500) string { return p.EventID }),
}

func ptr[T any](v T) *T { return &v }

// queue is one queue of the emitted package. The types of its payload and functions are its own; what the benchmark
// needs of them are these functions.
type queue struct {
	key    string // whether it has one
	add    func(ctx context.Context, store *jobs.Store, t thumbnail) error
	fill   func(ctx context.Context, store *jobs.Store, all []thumbnail) error
	worker func(handle func(jobID, eventID string) error) jobs.Worker
}

func queueOf[P any](
	key string,
	add func(context.Context, *jobs.Store, P) (jobs.Receipt, error),
	fill func(context.Context, *jobs.Store, []P) ([]jobs.Receipt, error),
	worker func(func(context.Context, *jobs.Job[P]) error) jobs.Worker,
	convert func(thumbnail) P,
	eventID func(P) string,
) queue {
	return queue{
		key: key,
		add: func(ctx context.Context, store *jobs.Store, t thumbnail) error {
			_, err := add(ctx, store, convert(t))
			return err
		},
		fill: func(ctx context.Context, store *jobs.Store, all []thumbnail) error {
			payloads := make([]P, len(all))
			for i, t := range all {
				payloads[i] = convert(t)
			}
			_, err := fill(ctx, store, payloads)
			return err
		},
		worker: func(handle func(jobID, eventID string) error) jobs.Worker {
			return worker(func(_ context.Context, job *jobs.Job[P]) error { return handle(job.ID, eventID(job.Payload)) })
		},
	}
}
