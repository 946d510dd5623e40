package lint

import "strings"

// reserved are the names that later versions of the worker may take, each with what it would be. They are refused
// today, so that an update never breaks a product that regenerates.
var reserved = map[string]string{
	"Announce":     "tell a broker about a job after the commit",
	"Attempt":      "one row of the ledger",
	"Backend":      "what moves the messages of a queue",
	"Budget":       "one of the counters that bound a job",
	"Canary":       "the first job of a redrive, sent alone",
	"Cancel":       "take a job out before it runs",
	"Clock":        "the time that a trial moves",
	"DeadLetter":   "a job that was given up",
	"DeadLetters":  "the jobs that were given up",
	"Decision":     "what follows an attempt",
	"Delivery":     "a message as a broker handed it over",
	"Discard":      "close a dead job for good",
	"Enqueue":      "add a job whose queue is known at run time",
	"Explain":      "why a job is where it is",
	"Handler":      "the function that runs a job",
	"Health":       "whether the worker and its tables are well",
	"Hook":         "a call around each attempt",
	"Ledger":       "the attempts that ended",
	"Metrics":      "counts and times for a monitoring system",
	"Middleware":   "a function around every handler",
	"Migrate":      "bring the tables up to date",
	"NewTrial":     "a store and a clock for the team's own tests",
	"Operator":     "the person who redrives",
	"Option":       "a choice made in code",
	"Outcome":      "how an attempt ended",
	"Pause":        "stop a queue for a while",
	"Plan":         "what a redrive would do",
	"Policy":       "the policy as a value",
	"Purge":        "remove what is past its retention",
	"Queue":        "a queue as a value",
	"Redrive":      "send dead jobs back",
	"Resume":       "go on with a paused queue",
	"Retention":    "how long rows are kept",
	"Schema":       "the tables as SQL",
	"Simulate":     "play a policy against errors",
	"Stats":        "how many jobs are in which state",
	"Tenant":       "whose a job is",
	"Trace":        "a span for each attempt",
	"Trial":        "one job, step by step, in a test",
	"Webhook":      "an HTTP handler that enqueues",
	"WorkerOption": "a choice for one worker",
}

// reservedFor is what a name is held back for; "" where it is free. Names of options, which begin with With, and of
// tests of promises are held back as well.
func reservedFor(name string) string {
	if use, found := reserved[name]; found {
		return use
	}
	if startsWord(name, "With") {
		return "an option"
	}
	if startsWord(name, "TestPromise") {
		return "a test of a promise"
	}
	return ""
}

// startsWord reports whether prefix stands as a word before another: in WithSQS it does, in Withdrawal it does not.
func startsWord(name, prefix string) bool {
	rest, found := strings.CutPrefix(name, prefix)
	return found && rest != "" && rest[0] >= 'A' && rest[0] <= 'Z'
}
