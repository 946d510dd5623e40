package spec

import (
	"net/url"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/retryc/retryc/spec/diag"
)

// shape judges the values by the schema and turns every complaint into a finding of our own.
func (p *parser) shape(root *value) {
	s := &shaper{parser: p, unknownAnyway: map[diag.Pos]bool{}}
	// A misspelt key that leaves a gap is read as the key that was meant, so that its content is judged in the same run
	// and nobody goes looking for a section that is there.
	for s.judge(root); len(s.renames) > 0; s.judge(root) {
		for _, r := range s.renames {
			r.apply()
		}
	}
	s.findings = slices.DeleteFunc(s.findings, func(d diag.Diagnostic) bool { return d.Code == "RC013" && s.unknownAnyway[d.Pos] })
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

	unknownAnyway map[diag.Pos]bool // keys without a value that are unknown as well
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
	file := s.convert(root, "").(map[string]any) // a walk that went well ends in a mapping
	for _, complaint := range complaints(file, runtime.GOMAXPROCS(0)) {
		s.leaves(complaint)
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
