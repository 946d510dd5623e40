package spec

import (
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// jsonNumber is the grammar of JSON's numbers. YAML reads more than that, and some of it as another number than a
// reader sees: 010 is eight.
var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

// number refuses a number that is written unusually. Under sqlstate such a number was meant as text.
func (p *parser) number(v *value) {
	if v.key.V == "sqlstate" && !wholeNumber(v.text) {
		v.trapped = true
		p.error("RC117", v.pos, v.width, `write "`+v.text+`"`, "an SQLSTATE without quotes: %s is read as a number", v.text)
		return
	}
	hint := "write it in plain decimal digits, or in quotes where text is meant"
	switch lower := strings.ToLower(v.text); {
	case jsonNumber.MatchString(v.text):
		if _, err := strconv.ParseFloat(v.text, 64); errors.Is(err, strconv.ErrRange) {
			v.trapped = true
			p.error("RC011", v.pos, v.width, "write a smaller number", "%s is too large for a number", v.text)
		}
		return
	case strings.HasSuffix(lower, ".inf"), strings.HasSuffix(lower, ".nan"):
		hint = "write a number"
	case octal.MatchString(v.text):
		if n, err := strconv.ParseInt(strings.Replace(lower, "0o", "0", 1), 8, 64); err == nil {
			hint = "write " + strconv.FormatInt(n, 10) + " if that is meant, the number without the leading zero otherwise, or put text in quotes"
		}
	}
	v.trapped = true
	p.error("RC011", v.pos, v.width, hint, "%s is an unusual way to write a number, and is easily read as another one", v.text)
}

var (
	octal = regexp.MustCompile(`^[-+]?0[oO]?[0-7]+$`)
	whole = regexp.MustCompile(`^[1-9][0-9]*$`)
)

func wholeNumber(s string) bool { return whole.MatchString(s) }

// json is a number as the schema's checker takes it. Its size is bounded, so that 1e999999999 costs nothing.
func (v *value) json() any {
	if i, err := strconv.ParseInt(v.text, 10, 64); err == nil {
		return i
	}
	f, _ := strconv.ParseFloat(v.text, 64)
	return f
}

// integer is a whole number as the schema understands it: 10, and 1e1 as well.
func (v *value) integer() (int, bool) {
	if i, err := strconv.Atoi(v.text); err == nil {
		return i, true
	}
	f, err := strconv.ParseFloat(v.text, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > math.MaxInt32 {
		return 0, false
	}
	return int(f), true
}
