package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// expected is what a named part of the schema takes, for messages about something of quite another type.
var expected = map[string]string{
	"duration": "a duration such as 30s", "size": "a size such as 2KB", "count": "a whole number",
	"jitterText": "a percentage such as 25%, full, none, or {min: …, max: …}", "httpStatus": "a status such as 429 or 5xx, or a list of them",
	"sqlstate": `a state such as "40001", or a list of them`, "fieldDetail": "a type, or a mapping with one", "typeDetail": "a type, or a mapping with one",
	"bareType": "a type, or a mapping with one", "redactionPattern": "email, card_number, bearer, or {name: …, pattern: …}",
	"regexp": "a regular expression", "bodyPath": "a place in the body such as data.id, or {header: …}",
}

var typeWords = map[string]string{
	"string": "text", "integer": "a whole number", "number": "a number", "boolean": "true or false", "array": "a list", "object": "a mapping",
}

// wrongType says what a value should have been.
func (s *shaper) wrongType(v *value, at rule) {
	types := texts(at.find(0))
	if t, ok := at.find(0).(string); ok {
		types = []string{t}
	}
	want, shape := expected[at.def()], shapes[at.def()]
	if inner := len(at) > len(rule{"$defs", "name", "type"}); want == "" || inner {
		if inner {
			shape = ""
		}
		want = ""
		var words []string
		for _, t := range types {
			words = append(words, typeWords[t])
		}
		want = enumerate(words, "or")
	}
	if slices.Contains(types, "boolean") && len(types) == 1 && s.booleanWord(v) {
		return
	}
	pos, width := v.sign()
	hint := typeHint(v, types)
	switch {
	case at.def() == "ladder" && slices.Contains(at.properties(), v.key.V):
		hint = "put the name of the ladder above it: standard: {" + v.key.V + ": …}"
	case at.def() == "queue" && slices.Contains(at.properties(), v.key.V):
		hint = "indent it, so that it stands under the name of a queue"
	case hint == "":
		hint = cmp.Or(shape, keyShapes[v.key.V])
	}
	s.error("RC103", pos, width, hint, "%s takes %s, not %s", v.label(), want, v.shown())
}

// shapes shows how a named part of the schema is written.
var shapes = map[string]string{
	"condition": "write a key and a value: {http: 429}", "ladder": "write {rungs: [30s, 2m, 10m]}", "fields": "write {name: type}",
	"queue": "write {payload: {name: type}}", "errorClass": "write {name: …, outcome: …, when: […]}",
	"column": "write {name: …, type: …, from: …}", "fieldDetail": "write a type, such as string, or {type: list, items: string}",
	"typeDetail": "write a type, such as string, or {type: list, items: string}",
}

// shown is v in a message: a short scalar as it is, or its kind.
func (v *value) shown() string {
	if !v.scalar() || runes(v.text) > 40 || strings.ContainsRune(v.text, '\n') {
		return v.kind.String()
	}
	if v.kind == text {
		return fmt.Sprintf("the text %q", v.text)
	}
	return v.text
}

func typeHint(v *value, types []string) string {
	single := ""
	if len(types) == 1 {
		single = types[0]
	}
	switch {
	case single == "array" && keyShapes[v.key.V] == "" && v.scalar():
		return "write [" + v.shownAsWritten() + "]"
	case single == "array" && v.kind == mapping && v.block:
		return "begin each entry with a dash: - …"
	case single == "array" && v.kind == mapping && len(v.members) > 0 && keyShapes[v.key.V] != "":
		return "put it in brackets: [{…}]"
	case single == "array" && keyShapes[v.key.V] == "":
		return "write a list: [a, b]"
	case single == "string" && v.kind == list && (v.key.V == "is" || v.key.V == "as" || v.key.V == "message"):
		return "write a condition for each: [{" + v.key.V + ": …}, {" + v.key.V + ": …}]"
	case single == "object" && v.kind == list && v.block:
		return "write keys, each with a colon, in place of the dashes"
	case slices.Contains(types, "string") && (v.kind == number || v.kind == boolean):
		return `put it in quotes: "` + v.text + `"`
	case (single == "integer" || single == "number") && v.kind == text && jsonNumber.MatchString(v.text):
		return "write " + v.text + " without quotes"
	case single == "boolean" && (v.text == "true" || v.text == "false"):
		return "write " + v.text + " without quotes"
	case single == "integer" && v.kind == number:
		return "write a number without a fraction"
	case single == "boolean":
		return "write true or false"
	}
	return ""
}

// keyShapes shows how sections are written, and lists of mappings.
var keyShapes = map[string]string{
	"generate": "write {package: jobs, go: internal/jobs}", "migrations": "write {dir: db/migrations}", "caps": "write {attempts: 6}",
	"ladders": "write {standard: {rungs: [30s, 2m, 10m]}}", "tenants": "write {id: customer_id}", "queues": "write {my-queue: {payload: {id: string}}}",
	"worker": "write {grace: 25s}", "ledger": "write {dialect: sqlite}", "tables": "write {job: job, attempt: job_attempt}", "error_detail": "write {max: 2KB}",
	"retention": "write {attempts: 400d}", "redrive": "write {batch: 10, canary: 1}", "stop_when": "write {error_share: 20%}",
	"backend": "write {sqs: {queue_url_env: JOBS_QUEUE_URL}}", "sqs": "write {queue_url_env: JOBS_QUEUE_URL}",
	"rabbitmq": "write {url_env: RABBITMQ_URL}", "infrai": "write {key_env: INFRAI_API_KEY}",
	"webhooks": "write {my-webhook: {enqueue: …, signature: {…}, payload: {…}}}", "signature": "write {github: {secret_env: GITHUB_WEBHOOK_SECRET}}",
	"github": "write {secret_env: GITHUB_WEBHOOK_SECRET}", "stripe": "write {secret_env: STRIPE_WEBHOOK_SECRET}",
	"standard_webhooks": "write {secret_env: WEBHOOK_SECRET}", "hmac_sha256": "write {secret_env: WEBHOOK_SECRET, header: X-Signature}",
	"error_classes": "write a list: [{name: …, outcome: …, when: […]}]", "when": "write a list: [{http: 429}]", "columns": "write a list: [{name: …, type: …, from: …}]",
	"dropped": "write a list: [{name: …, reason: …}]", "retyped": "write {from: text, reason: …}",
	"default": "a list, a map or an object can be optional, and has no default",
}

// shownAsWritten is a scalar for a hint that repeats it.
func (v *value) shownAsWritten() string {
	if v.kind == text && !v.plain {
		return fmt.Sprintf("%q", v.text)
	}
	return v.text
}
