package spec

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// shape judges the values by the schema and turns every complaint into a finding of our own.
func (p *parser) shape(root *value) {
	s := &shaper{parser: p}
	// A misspelt key that leaves a gap is read as the key that was meant, so that its content is judged in the same run
	// and nobody goes looking for a section that is there.
	for s.judge(root); len(s.renames) > 0; s.judge(root) {
		for _, r := range s.renames {
			r.apply()
		}
	}
	for _, finding := range s.pending {
		finding()
	}
}

// shaper is one judgement by the schema.
type shaper struct {
	*parser
	index   map[string]*value // by JSON pointer, as the schema's checker writes it
	renames []rename
	pending []func() // findings of this round; the next one finds them again
}

// rename is a key of a mapping, and the one that was meant.
type rename struct {
	in   *value
	from Name
	to   string
}

// apply gives the key its right name.
func (r rename) apply() {
	for i, m := range r.in.members {
		if m.key != r.from {
			continue
		}
		r.in.members[i].key.V, m.val.key.V = r.to, r.to
		for _, e := range m.val.entries {
			e.key.V = r.to
		}
	}
}

func (s *shaper) judge(root *value) {
	s.index, s.renames, s.pending = map[string]*value{}, nil, nil
	err := contract().compiled.Validate(s.convert(root, ""))
	var invalid *jsonschema.ValidationError
	if errors.As(err, &invalid) {
		s.leaves(invalid)
	}
}

// convert gives the value in the form that the schema's checker takes, and notes where it stands.
func (s *shaper) convert(v *value, pointer string) any {
	s.index[pointer] = v
	if v.trapped {
		return nil
	}
	switch v.kind {
	case mapping:
		out := make(map[string]any, len(v.members))
		for _, m := range v.members {
			out[m.key.V] = s.convert(m.val, pointer+"/"+token(m.key.V))
		}
		return out
	case list:
		out := make([]any, len(v.entries))
		for i, e := range v.entries {
			out[i] = s.convert(e, pointer+"/"+strconv.Itoa(i))
		}
		return out
	case number:
		return v.json()
	case boolean:
		return v.text == "true"
	}
	return v.text
}

// token is a key as one step of a JSON pointer in a URL.
func token(key string) string {
	return url.PathEscape(pointerToken.Replace(key))
}

// leaves walks down to the complaints that have no further cause.
func (s *shaper) leaves(e *jsonschema.ValidationError) {
	at := parseRule(e.AbsoluteKeywordLocation)
	if len(e.Causes) > 0 && at.keyword() != "oneOf" {
		for _, c := range e.Causes {
			s.leaves(c)
		}
		return
	}
	v := s.index[e.InstanceLocation]
	if v == nil || (v.trapped && !strings.Contains(e.KeywordLocation, "/propertyNames/")) {
		return
	}
	switch {
	case strings.Contains(e.KeywordLocation, "/propertyNames/"):
		s.pending = append(s.pending, func() { s.badName(at.def(), &value{kind: text, text: v.key.V, pos: v.key.Pos, width: v.key.Width}) })
	case at.keyword() == "additionalProperties":
		s.unknown(v, at)
	case at.keyword() == "required":
		s.missing(v, at)
	default:
		forbidden := at.find(0) == false
		if forbidden {
			v.forbid()
		}
		s.pending = append(s.pending, func() {
			if forbidden || !v.forbidden {
				s.explain(v, at)
			}
		})
	}
}

// forbid marks a value that cannot stand where it does, and all that is in it: how it is written does not matter then.
func (v *value) forbid() {
	v.forbidden = true
	for _, e := range v.entries {
		e.forbid()
	}
	for _, m := range v.members {
		m.val.forbid()
	}
}

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
		meant := closest(m.key.V, allowed)
		if other := habit(m.key.V, allowed); meant == "" && !present[other] {
			meant = other
		}
		hint := "take it out; the keys here are " + enumerate(allowed, "and")
		switch home := homes()[m.key.V]; {
		case meant != "":
			hint = "did you mean " + meant + "?"
		case otherWords[m.key.V] != "":
			hint = otherWords[m.key.V]
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
	"from": "customer_id, or another payload field to copy", "pattern": "'ORD-[0-9]+', or another regular expression",
}
