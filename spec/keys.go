package spec

import (
	"slices"

	"github.com/retryc/retryc/spec/diag"
)

// unknown reports the keys that a mapping may not have.
func (s *shaper) unknown(v *value, at rule) {
	allowed := at.properties()
	present, taken := map[string]bool{}, map[string]bool{}
	for _, m := range v.members {
		present[m.key.V] = true
	}
	for _, m := range v.members {
		if slices.Contains(allowed, m.key.V) {
			continue
		}
		meant := diag.Nearest(m.key.V, allowed)
		if other := habit(m.key.V, allowed); meant == "" && !present[other] {
			meant = other
		}
		hint := "take it out; the keys here are " + enumerate(allowed, "and")
		switch home := homes()[m.key.V]; {
		case meant != "":
			hint = "did you mean " + meant + "?"
		case otherWords[m.key.V] != "":
			hint = otherWords[m.key.V]
		case v.key.V == "backend" && len(home) > 0:
			hint = m.key.V + " stands in the braces of the broker: {rabbitmq: {…, " + m.key.V + ": …}}"
		case at.def() == "queue" && !present["payload"] && (len(home) == 0 || m.val.isType()):
			hint = "the fields of a job stand under payload"
		case len(home) == 1 && home[0] == "":
			hint = m.key.V + " stands at the top level"
		case len(home) == 1:
			hint = m.key.V + " stands in " + home[0]
		case len(home) == 2 && home[0] != "":
			hint = m.key.V + " stands in " + enumerate(home, "or in")
		}
		key, where := m.key, v.holder()
		if glued := gluedKey.FindStringSubmatch(m.key.V); glued != nil && m.val.kind == null && slices.Contains(allowed, glued[1]) && !present[glued[1]] {
			s.renames = append(s.renames, rename{v, m.key, glued[1]}) // told by the walk
			continue
		}
		if m.val.trapped && m.val.kind == null { // which has been told, and is the smaller matter
			s.unknownAnyway[m.key.Pos] = true
		}
		report := func() { s.error("RC101", key.Pos, key.Width, hint, "unknown key %s %s", key.V, where) }
		if taken[meant] { // by a key further up; the next round finds this one unknown again
			continue
		}
		if meant != "" && !present[meant] {
			taken[meant] = true
			report() // at once: the next round does not find it any more
			s.renames = append(s.renames, rename{v, key, meant})
			continue
		}
		m.val.bad = true
		s.pending = append(s.pending, report)
	}
}

// missing reports the keys that a mapping must have.
func (s *shaper) missing(v *value, at rule) {
	for _, key := range texts(at.find(0)) {
		if v.get(key) != nil {
			continue
		}
		example := examples[key]
		if own := examples[at.def()+" "+key]; own != "" {
			example = own
		}
		s.pending = append(s.pending, func() {
			pos, width := v.pos, v.width
			if v.key.Set() && !v.entry {
				pos, width = v.key.Pos, v.key.Width
			}
			s.error("RC102", pos, width, "add "+key+": "+example, "%s has no %s", v.label(), key)
		})
	}
}

// examples says what to write for a key that is missing.
var examples = map[string]string{
	"version": "1", "generate": "{package: jobs, go: internal/jobs}", "package": "jobs", "go": "internal/jobs",
	"default_ladder": "standard, or another of the ladders", "ladders": "{standard: {rungs: [30s, 2m, 10m]}}",
	"queues": "{my-queue: {payload: {id: string}}}", "ledger": "{dialect: sqlite}", "dialect": "sqlite",
	"errorClass name": "throttled, or what else the errors have in common", "column name": "customer_id, or another name of the column",
	"redactionPattern name": "order, or what else to put in its place", "column type": "text, or another type", "outcome": "transient, or permanent", "when": "[{http: 429}], or other conditions",
	"payload": "{id: string}, or {} for a job that carries nothing", "first": "1m", "factor": "2", "cap": "1h",
	"rungs": "5", "min": "0.5", "max": "1.5", "type": "string, or another type", "items": "string, or another type",
	"values": "string, or another type", "fields": "{name: string}, or other fields", "id": "customer_id, or another payload field that says whose the job is",
	"retyping from": "text, or the other type that the column had", "reason": "in quotes, why that is right", "droppedColumn name": "customer_id, or another column that the tables lose",
	"queue_url_env": "JOBS_QUEUE_URL, or another variable with the URL of the queue", "url_env": "RABBITMQ_URL, or another variable with the URL of the server",
	"key_env": "INFRAI_API_KEY, or another variable with the API key",
	"from":    "customer_id, or another payload field to copy", "pattern": "'ORD-[0-9]+', or another regular expression",
}
