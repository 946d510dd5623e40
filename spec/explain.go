package spec

import (
	"fmt"
	"strings"

	"github.com/retryc/retryc/spec/diag"
)

// explain says what is wrong with v, at which the schema's rule at was broken.
func (s *shaper) explain(v *value, at rule) {
	v.bad = true
	if explainer, ok := explainers[at.def()]; ok && v.scalar() {
		explainer(s, v)
		return
	}
	if at.find(0) == false { // the schema forbids a key beside the type of a field
		s.error("RC118", v.key.Pos, v.key.Width, partners[v.key.V], "%s does not go with this type", v.key.V)
		return
	}
	switch at.keyword() {
	case "type":
		s.wrongType(v, at)
	case "enum":
		s.notAllowed(v, texts(at.find(0)))
	case "const":
		s.notConst(v, at.find(0))
	case "minimum", "maximum", "exclusiveMinimum":
		s.outOfRange(v, at)
	case "minItems":
		s.error("RC115", v.pos, v.width, "write at least one entry, or take "+v.key.V+" out", "%s is an empty list", v.label())
	case "minLength":
		s.error("RC108", v.pos, v.width, "write a text, or take "+v.key.V+" out", "%s is empty", v.label())
	case "minProperties", "maxProperties":
		if at.def() == "backend" || at.def() == "signature" {
			s.oneOf(v, at.def())
			return
		}
		s.condition(v)
	case "oneOf":
		s.ladder(v)
	}
}

var partners = map[string]string{
	"enum": "enum goes with type: string", "format": "format goes with type: string", "items": "items goes with type: list",
	"values": "values goes with type: map", "fields": "fields goes with type: object",
}

func (v *value) scalar() bool { return v.kind == text || v.kind == number || v.kind == boolean }

var booleanWords = map[string]string{"yes": "true", "on": "true", "y": "true", "no": "false", "off": "false", "n": "false"}

// booleanWord reports a word that other YAML readers take for true or false.
func (s *shaper) booleanWord(v *value) bool {
	meant, ok := booleanWords[strings.ToLower(v.text)]
	if !ok || v.kind != text {
		return false
	}
	s.error("RC012", v.pos, v.width, "write "+meant, "%s is not how a spec writes a truth value", v.text)
	return true
}

// notAllowed says which words there are.
func (s *shaper) notAllowed(v *value, allowed []string) {
	pos, width := v.sign()
	if !v.scalar() {
		s.error("RC103", pos, width, "", "%s takes %s, not %s", v.label(), enumerate(allowed, "or"), v.kind)
		return
	}
	hint := "write " + enumerate(allowed, "or")
	if meant := diag.Nearest(v.text, allowed); meant != "" {
		hint = "did you mean " + meant + "?"
	}
	s.error("RC107", pos, width, hint, "%s cannot be %s", v.label(), v.quotedText())
}

// quotedText is a scalar in a message, short and on one line.
func (v *value) quotedText() string {
	t := v.text
	if runes(t) > 40 {
		t = string([]rune(t)[:40]) + "…"
	}
	if v.kind == text && (!v.plain || t == "" || strings.ContainsAny(t, " \n\t")) {
		return fmt.Sprintf("%q", t)
	}
	return t
}

func (s *shaper) notConst(v *value, want any) {
	pos, width := v.sign()
	switch {
	case v.key.V == "version" && v.kind == text && v.text == "1":
		s.error("RC103", pos, width, "write 1 without quotes", "version takes a number, not text")
	case v.key.V == "version" && !v.scalar():
		s.error("RC103", pos, width, "write version: 1", "version takes a number, not %s", v.kind)
	case v.key.V == "version":
		s.error("RC107", pos, width, "write version: 1; a newer format needs a newer retryc", "retryc does not know version %s of the format", v.quotedText())
	case s.booleanWord(v):
	case v.text == "false" && v.kind == boolean:
		s.error("RC107", pos, width, "take the condition out", "%s can only be true", v.label())
	default:
		s.error("RC103", pos, width, fmt.Sprintf("write %s: %v", v.key.V, want), "%s takes only true, not %s", v.label(), v.shown())
	}
}

func (s *shaper) outOfRange(v *value, at rule) {
	low, high := at.find(1, "minimum"), at.find(1, "maximum")
	if above := at.find(1, "exclusiveMinimum"); above != nil {
		s.error("RC111", v.pos, v.width, fmt.Sprintf("write a number above %v, up to %s", above, plainNumber(high)), "%s cannot be %s", v.label(), v.text)
		return
	}
	s.error("RC111", v.pos, v.width, fmt.Sprintf("write a number from %v to %s", low, plainNumber(high)), "%s cannot be %s", v.label(), v.text)
}

// badShare explains a share that is no percentage.
func (s *shaper) badShare(v *value) {
	hint := "write a percentage of what was, such as 50%; 0% lets nothing through"
	if digits.MatchString(v.text) && len(v.text) < 6 {
		hint = "write " + v.text + "%"
	}
	s.error("RC121", v.pos, v.width, hint, "not a percentage: %s", v.quotedText())
}

// badPortion explains a part of all that is no percentage of it.
func (s *shaper) badPortion(v *value) {
	hint := "write a percentage from 1% to 100%, such as 20%"
	if digits.MatchString(v.text) && len(v.text) < 3 && v.text[0] != '0' {
		hint = "write " + v.text + "%"
	}
	s.error("RC121", v.pos, v.width, hint, "not a percentage: %s", v.quotedText())
}

func plainNumber(n any) string {
	return strings.TrimSuffix(fmt.Sprintf("%.0f", n), ".")
}

func (s *shaper) condition(v *value) {
	pos, width := v.pos, v.width
	if len(v.members) == 0 {
		s.error("RC112", pos, width, "write one key, such as {http: 429}", "a condition without a key")
		return
	}
	second := v.members[1].key
	first := v.members[0].key
	s.error("RC112", second.Pos, second.Width, "give each its own braces: [{"+first.V+": …}, {"+second.V+": …}]; one of them suffices for the class",
		"a condition has one key, and this one has %d", len(v.members)).Related =
		&diag.Related{Pos: first.Pos, Width: first.Width, Message: "the first key"}
}

// oneOf explains a mapping that says by its one key what it is, and has none of them or several.
func (s *shaper) oneOf(v *value, def string) {
	code, what, example := "RC120", "broker", "{sqs: {queue_url_env: JOBS_QUEUE_URL}}, or take backend out"
	if def == "signature" {
		code, what, example = "RC122", "scheme", "{github: {secret_env: GITHUB_WEBHOOK_SECRET}}"
	}
	if len(v.members) == 0 {
		s.error(code, v.pos, v.width, "write a "+what+", such as "+example, "a %s without a %s", def, what)
		return
	}
	var known []member
	for _, m := range v.members {
		if !m.val.bad { // an unknown key, which has been told
			known = append(known, m)
		}
	}
	if len(known) < 2 {
		return
	}
	first, second := known[0].key, known[1].key
	s.error(code, second.Pos, second.Width, "keep one of them", "a %s has one %s, and this one has %d", def, what, len(known)).Related =
		&diag.Related{Pos: first.Pos, Width: first.Width, Message: "the first " + what}
}

func (s *shaper) ladder(v *value) {
	pos, width := v.sign()
	if v.get("rungs") == nil {
		s.error("RC102", pos, width, "add rungs: [30s, 2m, 10m], or exponential: {first: 1m, factor: 2, cap: 1h, rungs: 5}", "%s has no rungs", v.label())
		return
	}
	rungs, exponential := v.get("rungs").key, v.get("exponential").key
	s.error("RC119", exponential.Pos, exponential.Width, "keep one of the two", "%s has both rungs and exponential", v.label()).Related =
		&diag.Related{Pos: rungs.Pos, Width: rungs.Width, Message: "rungs stands here"}
}
