package spec

import (
	"regexp"
	"strings"

	"github.com/retryc/retryc/spec/diag"
)

var (
	digits        = regexp.MustCompile(`^[0-9]+$`)
	zeroDuration  = regexp.MustCompile(`^-?0*(\.0+)?$|^(0+(ms|s|m|h|d))+$`)
	fraction      = regexp.MustCompile(`^[0-9]+\.[0-9]+ ?[a-z]*$`)
	unitWords     = regexp.MustCompile(`^([0-9]+) *([A-Za-zµ]+)$`)
	unitMeant     = map[string]string{"second": "s", "sec": "s", "minute": "m", "min": "m", "hour": "h", "hr": "h", "day": "d", "millisecond": "ms", "msec": "ms"}
	durationText  = regexp.MustCompile(`^([0-9]+(ms|s|m|h|d))+$`)
	durationForms = "write whole numbers with ms, s, m, h or d, such as 30s, 1h30m or 2d"
)

func (s *shaper) badDuration(v *value) {
	switch {
	case v.text != "" && zeroDuration.MatchString(v.text):
		s.error("RC106", v.pos, v.width, "write a duration above zero, such as 1s", "%s cannot be zero", v.label())
	case digits.MatchString(v.text):
		s.error("RC104", v.pos, v.width, "write "+v.text+"s, "+v.text+"m or "+v.text+"h", "duration without a unit: %s", v.text)
	case strings.HasPrefix(v.text, "-"):
		s.error("RC105", v.pos, v.width, "write a duration above zero, such as 1s", "a duration cannot be negative: %s", v.text)
	case fraction.MatchString(v.text):
		s.error("RC105", v.pos, v.width, "use a smaller unit: 1h30m, not 1.5h", "a duration takes whole numbers: %s", v.text)
	default:
		s.error("RC105", v.pos, v.width, unitHint(v.text), "not a duration: %s", v.quotedText())
	}
}

func unitHint(s string) string {
	if parts := strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == ',' || r == ';' }); len(parts) > 1 && durationText.MatchString(strings.Join(parts, "")) {
		return "write " + strings.Join(parts, "") + " for one, or [" + strings.Join(parts, ", ") + "] for a list of them"
	}
	if strings.HasSuffix(s, "M") {
		return "write m for minutes; there are no months: a day is 1d"
	}
	m := unitWords.FindStringSubmatch(s)
	if m == nil {
		return durationForms
	}
	unit := strings.ToLower(m[2])
	for _, name := range []string{unit, strings.TrimSuffix(unit, "s")} {
		if short, ok := unitMeant[name]; ok {
			return "write " + m[1] + short
		}
		if _, ok := durationUnits[name]; ok {
			return "write " + m[1] + name
		}
	}
	return durationForms
}

func (s *shaper) badSize(v *value) {
	hint := "write a whole number with B, KB or MB, such as 2KB"
	if digits.MatchString(v.text) && strings.Trim(v.text, "0") != "" {
		hint = "write " + v.text + "B, or a number of KB or MB"
	}
	s.error("RC110", v.pos, v.width, hint, "not a size: %s", v.quotedText())
}

func (s *shaper) badJitter(v *value) {
	hint := "write 0% to 100%, full, none, or {min: 0.5, max: 1.5}"
	if digits.MatchString(v.text) && len(v.text) < 3 {
		hint = "write " + v.text + "%"
	} else if meant := diag.Nearest(v.text, []string{"full", "none"}); meant != "" && v.kind == text {
		hint = "did you mean " + meant + "?"
	}
	s.error("RC109", v.pos, v.width, hint, "not a jitter: %s", v.quotedText())
}
