package spec

import "slices"

// habits are the names that other tools give to keys of ours.
var habits = map[string]string{
	"base": "first", "initial": "first", "initial_interval": "first", "start": "first", "multiplier": "factor",
	"max": "cap", "max_interval": "cap", "delays": "rungs", "waits": "rungs", "intervals": "rungs",
	"status": "http", "status_code": "http", "code": "http", "errors_is": "is", "errors_as": "as", "matches": "message",
	"dedupe_key": "idempotency_key", "unique_key": "idempotency_key", "unique": "idempotency_key", "workers": "concurrency", "parallelism": "concurrency",
	"visibility_timeout": "lease", "fields": "payload", "properties": "fields",
}

// habit is the one of the allowed keys that another tool calls got; "" where there is none.
func habit(got string, allowed []string) string {
	if ours := habits[got]; slices.Contains(allowed, ours) {
		return ours
	}
	return ""
}

// otherWords are hints at keys that people expect, for things that are said in another way.
var otherWords = map[string]string{
	"max_attempts": "caps.attempts says how often a job is tried", "max_retries": "caps.attempts says how often a job is tried",
	"retries": "caps.attempts says how often a job is tried", "max_delay": "caps.delay is the longest wait",
	"backoff": "the waits are a ladder: write it under ladders, and name it with ladder", "retry": "the waits are a ladder: write it under ladders, and name it with ladder",
	"required": "every field is required that has neither optional: true nor a default", "nullable": "a field that may be missing has optional: true",
	"error": "write is: with an error value, as: with a type, or message: with a regular expression",
}

// isType reports whether v looks like the type of a payload field.
func (v *value) isType() bool {
	return v.kind == text && slices.Contains(texts(rule{"$defs", "typeName", "enum"}.find(0)), v.text) || v.get("type") != nil
}
