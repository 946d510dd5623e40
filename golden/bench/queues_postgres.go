package main

import "github.com/retryc/retryc/golden/bench/documents/jobs"

type postgresQueue = queue[*jobs.Store, jobs.Worker]

var postgresPlain = map[int]postgresQueue{
	32: queueOf("no key", jobs.EnqueuePlain32, jobs.EnqueuePlain32Many, jobs.Plain32Worker,
		func(t thumbnail) jobs.Plain32 {
			return jobs.Plain32{EventID: t.EventID, MerchantID: t.MerchantID, Plan: ptr(jobs.Plain32Plan(t.Plan)), SourceURL: t.SourceURL, Width: &t.Width}
		}, func(job *jobs.Job[jobs.Plain32]) (string, string) { return job.ID, job.Payload.EventID }),
	500: queueOf("no key", jobs.EnqueuePlain500, jobs.EnqueuePlain500Many, jobs.Plain500Worker,
		func(t thumbnail) jobs.Plain500 {
			return jobs.Plain500{EventID: t.EventID, MerchantID: t.MerchantID, Plan: ptr(jobs.Plain500Plan(t.Plan)), SourceURL: t.SourceURL, Width: &t.Width}
		}, func(job *jobs.Job[jobs.Plain500]) (string, string) { return job.ID, job.Payload.EventID }),
}

var postgresKeyed = map[int]postgresQueue{
	32: queueOf("an idempotency key", jobs.EnqueueKeyed32, jobs.EnqueueKeyed32Many, jobs.Keyed32Worker,
		func(t thumbnail) jobs.Keyed32 {
			return jobs.Keyed32{EventID: t.EventID, MerchantID: t.MerchantID, Plan: ptr(jobs.Keyed32Plan(t.Plan)), SourceURL: t.SourceURL, Width: &t.Width}
		}, func(job *jobs.Job[jobs.Keyed32]) (string, string) { return job.ID, job.Payload.EventID }),
	500: queueOf("an idempotency key", jobs.EnqueueKeyed500, jobs.EnqueueKeyed500Many, jobs.Keyed500Worker,
		func(t thumbnail) jobs.Keyed500 {
			return jobs.Keyed500{EventID: t.EventID, MerchantID: t.MerchantID, Plan: ptr(jobs.Keyed500Plan(t.Plan)), SourceURL: t.SourceURL, Width: &t.Width}
		}, func(job *jobs.Job[jobs.Keyed500]) (string, string) { return job.ID, job.Payload.EventID }),
}
