package main

import "github.com/retryc/retryc/golden/bench/thumbnails/jobs"

type sqliteQueue = queue[*jobs.Store, jobs.Worker]

var sqlitePlain = map[int]sqliteQueue{
	8: queueOf("no key", jobs.EnqueuePlain8, jobs.EnqueuePlain8Many, jobs.Plain8Worker,
		func(t thumbnail) jobs.Plain8 {
			return jobs.Plain8{EventID: t.EventID, MerchantID: t.MerchantID, Plan: ptr(jobs.Plain8Plan(t.Plan)), SourceURL: t.SourceURL, Width: &t.Width}
		}, func(job *jobs.Job[jobs.Plain8]) (string, string) { return job.ID, job.Payload.EventID }),
	100: queueOf("no key", jobs.EnqueuePlain100, jobs.EnqueuePlain100Many, jobs.Plain100Worker,
		func(t thumbnail) jobs.Plain100 {
			return jobs.Plain100{EventID: t.EventID, MerchantID: t.MerchantID, Plan: ptr(jobs.Plain100Plan(t.Plan)), SourceURL: t.SourceURL, Width: &t.Width}
		}, func(job *jobs.Job[jobs.Plain100]) (string, string) { return job.ID, job.Payload.EventID }),
	500: queueOf("no key", jobs.EnqueuePlain500, jobs.EnqueuePlain500Many, jobs.Plain500Worker,
		func(t thumbnail) jobs.Plain500 {
			return jobs.Plain500{EventID: t.EventID, MerchantID: t.MerchantID, Plan: ptr(jobs.Plain500Plan(t.Plan)), SourceURL: t.SourceURL, Width: &t.Width}
		}, func(job *jobs.Job[jobs.Plain500]) (string, string) { return job.ID, job.Payload.EventID }),
}

var sqliteKeyed = map[int]sqliteQueue{
	8: queueOf("an idempotency key", jobs.EnqueueKeyed8, jobs.EnqueueKeyed8Many, jobs.Keyed8Worker,
		func(t thumbnail) jobs.Keyed8 {
			return jobs.Keyed8{EventID: t.EventID, MerchantID: t.MerchantID, Plan: ptr(jobs.Keyed8Plan(t.Plan)), SourceURL: t.SourceURL, Width: &t.Width}
		}, func(job *jobs.Job[jobs.Keyed8]) (string, string) { return job.ID, job.Payload.EventID }),
	100: queueOf("an idempotency key", jobs.EnqueueKeyed100, jobs.EnqueueKeyed100Many, jobs.Keyed100Worker,
		func(t thumbnail) jobs.Keyed100 {
			return jobs.Keyed100{EventID: t.EventID, MerchantID: t.MerchantID, Plan: ptr(jobs.Keyed100Plan(t.Plan)), SourceURL: t.SourceURL, Width: &t.Width}
		}, func(job *jobs.Job[jobs.Keyed100]) (string, string) { return job.ID, job.Payload.EventID }),
	500: queueOf("an idempotency key", jobs.EnqueueKeyed500, jobs.EnqueueKeyed500Many, jobs.Keyed500Worker,
		func(t thumbnail) jobs.Keyed500 {
			return jobs.Keyed500{EventID: t.EventID, MerchantID: t.MerchantID, Plan: ptr(jobs.Keyed500Plan(t.Plan)), SourceURL: t.SourceURL, Width: &t.Width}
		}, func(job *jobs.Job[jobs.Keyed500]) (string, string) { return job.ID, job.Payload.EventID }),
}
