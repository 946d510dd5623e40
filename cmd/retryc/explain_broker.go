package main

import (
	"fmt"
	"strings"

	"github.com/retryc/retryc/generator"
)

// brokerText says what a queue's broker adds to the life of a job; nothing where it has none.
func brokerText(e *generator.Explanation) []string {
	b := e.Course.Queue.Backend
	if b == nil {
		return nil
	}
	if b.Carried {
		return carriedText(e)
	}
	lines := []string{fmt.Sprintf("At %s: a message announces the attempt that is due, and the row of the job decides. The time of the job is exact, jitter included.", b.Broker.Title)}
	limits := b.Broker.Limits
	if steps := stepsText(e); steps != "" {
		lines = append(lines, fmt.Sprintf("It holds a message back for one of %d lengths of time, %s at most, and for no less than the wait: %s. The poll, every %s, finds a job before its message comes.",
			len(limits.Steps), generator.Duration(limits.Delay), steps, generator.Duration(e.Poll)))
	} else {
		lines = append(lines, fmt.Sprintf("It holds a message back for %s at most, in steps of %s.", generator.Duration(limits.Delay), generator.Duration(limits.Step)))
	}
	var several []string
	for k, s := range e.Course.Steps {
		if n := limits.Messages(s.Wait.Longest); n > 1 {
			several = append(several, fmt.Sprintf("attempt %d takes up to %d", k+2, n))
		}
	}
	if len(several) > 0 {
		lines = append(lines, fmt.Sprintf("A longer wait takes several messages: each but the last comes early, and the worker sends another for the rest. %s.", capital(listedSome(several))))
	}
	t := e.Course.Traffic()
	return append(lines, fmt.Sprintf("Until it is dead, the job takes up to %s, and %s where none shares one.", plural(t.Messages, "message"), plural(t.Requests, "request")))
}

// carriedText is that of jobs which come in messages.
func carriedText(e *generator.Explanation) []string {
	b := e.Course.Queue.Backend
	lines := []string{fmt.Sprintf("At %s: a message carries the payload, is put back for each wait, and is removed last. An attempt comes when its message does.", b.Broker.Title)}
	if steps := stepsText(e); steps != "" {
		lines = append(lines, fmt.Sprintf("It puts a message back for one of %d lengths of time, and for no less than the wait, so that attempts are later: %s.", len(b.Broker.Limits.Steps), steps))
	}
	if b.DeadLetter {
		lines = append(lines, "The message of a dead job goes to the broker's own dead letters.")
	}
	return lines
}

// stepsText says what the waits are rounded up to, where the broker has only a few lengths.
func stepsText(e *generator.Explanation) string {
	limits := e.Course.Queue.Backend.Broker.Limits
	if len(limits.Steps) == 0 {
		return ""
	}
	var texts []string
	for k, s := range e.Course.Steps {
		from, to := limits.Held(s.Wait.Least), limits.Held(s.Wait.Longest)
		texts = append(texts, fmt.Sprintf("attempt %d %s", k+2, generator.SpanText(from, to)))
	}
	return listedSome(texts)
}

// listedSome is a list of texts, of which a few are enough.
func listedSome(texts []string) string {
	const most = 6
	if more := len(texts) - most; more > 1 {
		texts = append(append([]string{}, texts[:most]...), fmt.Sprintf("and %d more likewise", more))
	}
	return strings.Join(texts, ", ")
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
