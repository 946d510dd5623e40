package spec

import (
	"regexp"
	"slices"
	"strings"
)

// explainers say what is wrong with a scalar, by the named part of the schema that refused it.
var explainers = map[string]func(*shaper, *value){
	"duration":    (*shaper).badDuration,
	"size":        (*shaper).badSize,
	"jitterText":  (*shaper).badJitter,
	"httpStatus":  (*shaper).badStatus,
	"sqlstate":    (*shaper).badState,
	"goValue":     (*shaper).badGoValue,
	"goType":      (*shaper).badGoType,
	"regexp":      (*shaper).badRegexp,
	"typeName":    (*shaper).badTypeName,
	"bareType":    (*shaper).badType,
	"enumValue":   (*shaper).badEnumValue,
	"packageName": named("packageName"),
	"folder":      named("folder"),
	"className":   named("className"),
	"ladderName":  named("ladderName"),
	"queueName":   named("queueName"),
	"fieldName":   named("fieldName"),
	"goName":      named("goName"),
	"tableName":   named("tableName"),
	"reason":      named("reason"),
	"variable":    named("variable"),
	"brokerQueue": named("brokerQueue"),
	"currency":    named("currency"),
	"rate":        named("rate"),
	"webhookName": named("webhookName"),
	"headerName":  named("headerName"),
	"bodyPath":    named("bodyPath"),

	"signaturePrefix": named("signaturePrefix"),
	"share":           (*shaper).badShare,
	"portion":         (*shaper).badPortion,
}

// names says of each kind of name what it may be, and how to make one of a text that is not.
var names = map[string]struct {
	what, form string
	mend       func(string) string
}{
	"packageName": {"a package name", "lower-case letters, digits and _, a letter first", snake},
	"folder":      {"a folder", "a path that is relative to this file and has forward slashes", slashes},
	"className":   {"this name", "lower-case letters, digits and _, a letter first", snake},
	"ladderName":  {"a ladder's name", "the name of a ladder", nil},
	"tierName":    {"a tier", "a value of the tier field", nil},
	"queueName":   {"a queue's name", "lower-case letters and digits, with single - _ or . between them, a letter first", kebab},
	"fieldName":   {"a field's name", "letters, digits, _ and -, a letter or _ first", snake},
	"goName":      {"a Go name", "letters and digits, a capital letter first", pascal},
	"tableName":   {"a name in the database", "lower-case letters, digits and _, no digit first", snake},
	"reason":      {"a reason", "why the change is right, in one line", nil},
	"variable":    {"a variable of the environment", "the name of the variable, not what is in it: upper-case letters, digits and _, a letter first", upper},
	"currency":    {"a currency", "its code of three capital letters, such as EUR", code},
	"rate":        {"a rate", "how many jobs for each hour or day, such as 5/h or 20/d", nil},
	"webhookName": {"a webhook's name", "lower-case letters and digits, with single - _ or . between them, a letter first", kebab},
	"headerName":  {"a header's name", "letters, digits, - and _, such as X-Signature", nil},
	"bodyPath":    {"a place in the body", "its keys with dots between them, such as data.merchant.id, or $ for the whole body", nil},
	"brokerQueue": {"a queue at the broker", "up to 200 letters, digits and signs, without spaces", nil},

	"signaturePrefix": {"what stands in front of a signature", "up to 40 letters, digits and signs, without spaces", nil},
}

func named(def string) func(*shaper, *value) {
	return func(s *shaper, v *value) {
		pattern, _ := rule{"$defs", def, "pattern"}.find(0).(string)
		if fits := regexp.MustCompile(pattern); v.kind != text && fits.MatchString(v.text) {
			s.error("RC103", v.pos, v.width, `put it in quotes: "`+v.text+`"`, "%s takes text, and %s without quotes is %s", v.label(), v.text, v.kind)
			return
		}
		s.badName(def, v)
	}
}

// badName explains a name that is not of its form.
func (s *shaper) badName(def string, v *value) {
	n := names[def]
	s.doc.Refused[v.pos] = true
	hint := "write " + n.form
	if n.mend != nil {
		if better := n.mend(v.text); better != "" && better != v.text && ascii(v.text) {
			hint += ": " + better
		}
	}
	if def == "fieldName" && v.key.Set() && strings.Contains(v.text, ".") {
		hint = "name a field at the top level of a payload; one inside another cannot be reached"
	}
	if v.text == "" {
		s.error("RC108", v.pos, v.width, hint, "%s cannot be empty", n.what)
		return
	}
	s.error("RC108", v.pos, v.width, hint, "%s cannot be %s", n.what, v.quotedText())
}

// ascii reports whether s has only letters that a mended name can keep.
func ascii(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > 0x7f })
}

var (
	humps    = regexp.MustCompile(`([a-z0-9])([A-Z])`)
	notSnake = regexp.MustCompile(`[^a-z0-9]+`)
)

func words(s, joint string) string {
	s = strings.Trim(notSnake.ReplaceAllString(strings.ToLower(humps.ReplaceAllString(s, "$1 $2")), joint), joint)
	if s == "" || s[0] <= '9' { // without its digits it would be another name
		return ""
	}
	return s
}

func snake(s string) string { return words(s, "_") }
func kebab(s string) string { return words(s, "-") }

// upper is the name of a variable. One cannot be made of an address that stands in its place.
func upper(s string) string {
	if strings.Contains(s, "://") {
		return ""
	}
	return strings.ToUpper(snake(s))
}

// code is a name in capital letters, if it has three of them.
func code(s string) string {
	if len(s) != 3 {
		return ""
	}
	return strings.ToUpper(s)
}

// pascal is a name as Go exports it.
func pascal(s string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(words(s, " "), " ") {
		if word != "" {
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String()
}

func slashes(s string) string {
	s = strings.ReplaceAll(drive.ReplaceAllString(s, ""), `\`, "/")
	return strings.TrimLeft(strings.ReplaceAll(s, ":", ""), "/")
}

// drive is how an absolute path begins on Windows.
var drive = regexp.MustCompile(`^[A-Za-z]:`)

var (
	hundred = regexp.MustCompile(`^[1-5]..$`)
	state   = regexp.MustCompile(`^[0-9A-Za-z]{5}$`)
)

func (s *shaper) badStatus(v *value) {
	hint := "write a number from 100 to 599, 4xx or 5xx"
	switch {
	case v.kind == text && digits.MatchString(v.text) && hundred.MatchString(v.text):
		hint = "write " + v.text + " without quotes"
	case v.kind == text && hundred.MatchString(v.text) && (v.text[0] == '4' || v.text[0] == '5'):
		hint = "write " + v.text[:1] + "xx for the whole hundred"
	}
	s.error("RC116", v.pos, v.width, hint, "not an HTTP status: %s", v.quotedText())
}

func (s *shaper) badState(v *value) {
	hint := `write five characters of 0-9 and A-Z, or the first ones and a star, in quotes: "40001", "08*"`
	switch {
	case v.kind == number && state.MatchString(v.text):
		hint = `write "` + v.text + `", in quotes`
	case v.kind == text && state.MatchString(v.text):
		hint = `write "` + strings.ToUpper(v.text) + `"`
	case v.kind == text && len(v.text) == 2 && state.MatchString(v.text+"000"):
		hint = `write "` + strings.ToUpper(v.text) + `*" for the whole class`
	}
	s.error("RC117", v.pos, v.width, hint, "not an SQLSTATE: %s", v.quotedText())
}

func (s *shaper) badGoValue(v *value) {
	hint := "write an import path, a dot and the name, such as io.ErrUnexpectedEOF; or a bare name to have it declared, such as ErrSourceDeleted"
	if strings.HasPrefix(v.text, "*") {
		hint = "is compares with a value; for a type use as: \"" + v.text + `"`
	}
	s.error("RC114", v.pos, v.width, hint, "not an exported Go error value: %s", v.quotedText())
}

func (s *shaper) badGoType(v *value) {
	s.error("RC114", v.pos, v.width, `write an import path, a dot and the type, with a star if it is a pointer, such as "*net.OpError" or net.Error`,
		"not an exported Go type of a package: %s", v.quotedText())
}

// needs is what a type has to be completed with.
var needs = map[string]string{"list": "items", "map": "values", "object": "fields"}

func (s *shaper) badType(v *value) {
	if needed, ok := needs[v.text]; ok && v.kind == text {
		s.error("RC102", v.pos, v.width, "write {type: "+v.text+", "+needed+": …}", "%s needs %s", v.text, needed)
		return
	}
	s.badTypeName(v)
}

func (s *shaper) badTypeName(v *value) {
	allowed := texts(rule{"$defs", "typeName", "enum"}.find(0))
	if meant, ok := typeHabits[strings.ToLower(v.text)]; ok {
		s.error("RC107", v.pos, v.width, "write "+meant, "%s cannot be %s", v.label(), v.quotedText())
		return
	}
	if bare, ok := strings.CutSuffix(v.text, "?"); ok && slices.Contains(allowed, bare) {
		s.error("RC107", v.pos, v.width, "write {type: "+bare+", optional: true}", "%s cannot be %s", v.label(), v.quotedText())
		return
	}
	s.notAllowed(v, allowed)
}

// typeHabits are the names that other languages and formats give to our types.
var typeHabits = map[string]string{
	"integer": "int", "long": "int64", "int32": "int", "number": "float64", "float": "float64", "double": "float64",
	"boolean": "bool", "text": "string", "str": "string", "timestamp": "time", "datetime": "time", "date": "time",
	"array": "list", "dict": "map", "any": "json", "binary": "bytes", "enum": "{type: string, enum: [a, b]}",
}

func (s *shaper) badEnumValue(v *value) {
	s.error("RC103", v.pos, v.width, `put it in quotes: "`+v.text+`"`, "%s takes text, and %s without quotes is %s", v.label(), v.text, v.kind)
}

func (s *shaper) badRegexp(v *value) {
	if v.kind != text {
		s.error("RC103", v.pos, v.width, `put it in quotes: "`+v.text+`"`, "%s takes a regular expression, not %s", v.label(), v.shown())
		return
	}
	s.error("RC113", v.pos, v.width, "write what the text contains; .* is any text", "an empty regular expression matches every error")
}
