package emit

import (
	"fmt"
	"strings"
	"time"

	"github.com/retryc/retryc/generator/internal/plan"
)

// codec makes what encoding/json does not do by itself, as far as the struct needs it: required fields are there, and
// defaults are filled in.
func codec(s *goText, of *plan.Struct) {
	if anyField(of, (*plan.Field).Required) || anyField(of, hasDefault) {
		unmarshal(s, of)
	}
	if anyField(of, filledIn) {
		marshal(s, of)
		setDefaults(s, of)
	}
}

func hasDefault(f *plan.Field) bool { return f.Default != nil }

// filledIn reports whether an encoder must not take the nil of the field as it is: there is a default, or null would
// stand for an empty list. A required json has no empty value; Validate refuses its nil.
func filledIn(f *plan.Field) bool {
	return hasDefault(f) || f.Required() && nillable(f.Type) && f.Type.Kind != plan.JSON
}

// unmarshal makes:
//
//	// UnmarshalJSON refuses an object that lacks a required field, and fills in defaults.
//	func (p *MerchantDocThumbnails) UnmarshalJSON(raw []byte) error {
//		type plain MerchantDocThumbnails
//		if err := json.Unmarshal(raw, (*plain)(p)); err != nil {
//			return err
//		}
//		if p.EventID == "" || p.SourceURL == "" { // perhaps one of them is not there
//			if err := requireFields(raw, "event_id", "source_url"); err != nil {
//				return err
//			}
//		}
//		p.setDefaults()
//		return nil
//	}
func unmarshal(s *goText, of *plan.Struct) {
	what := "refuses an object that lacks a required field"
	unlessErr := func(call string) []string { return block("if err := "+call+"; err != nil {", "return err") }
	decode := append([]string{"type plain " + of.GoName}, unlessErr(s.qual("encoding/json", "Unmarshal")+"(raw, (*plain)(p))")...)
	args, empty := "raw", requiredEmpty(of)
	for _, field := range of.Fields {
		if field.Required() {
			args += ", " + quoted(field.Name.V)
		}
	}
	body, ask := decode, unlessErr("requireFields("+args+")")
	switch {
	case args == "raw":
		what = "fills in the defaults of fields that the object lacks"
	case empty == "":
		body = append(ask, decode...)
	default:
		body = append(decode, block("if "+empty+" { // perhaps one of them is not there", ask...)...)
	}
	if anyField(of, hasDefault) {
		if args != "raw" {
			what += ", and fills in the defaults of the others"
		}
		body = append(body, "p.setDefaults()")
	}
	s.doc("UnmarshalJSON " + what + ".")
	s.lines(block("func (p *"+of.GoName+") UnmarshalJSON(raw []byte) error {", append(body, "return nil")...)...)
}

// requiredEmpty is the condition under which a required field has the value of one that is not there, so that the object
// is looked at again only then. It is "" where the values do not tell: an object cannot be compared, and the null of a
// json is kept. Then the fields are asked for first.
func requiredEmpty(of *plan.Struct) string {
	var empty []string
	for _, field := range of.Fields {
		if !field.Required() {
			continue
		}
		v := "p." + field.GoName
		switch field.Type.Kind {
		case plan.Object, plan.JSON:
			return ""
		case plan.Bool:
			v = "!" + v
		case plan.Time:
			v += ".IsZero()"
		case plan.String, plan.UUID, plan.Enum:
			v += ` == ""`
		case plan.Int, plan.Int64, plan.Float64:
			v += " == 0"
		default:
			v += " == nil"
		}
		empty = append(empty, v)
	}
	return strings.Join(empty, " || ")
}

// marshal makes:
//
//	// MarshalJSON fills in defaults, so that what is stored is complete.
//	func (p MerchantDocThumbnails) MarshalJSON() ([]byte, error) {
//		p.setDefaults()
//		type plain MerchantDocThumbnails
//		return json.Marshal(plain(p))
//	}
func marshal(s *goText, of *plan.Struct) {
	what := "fills in defaults, so that what is stored is complete"
	if !anyField(of, hasDefault) {
		what = "writes what is nil as empty, since these fields are required"
	}
	s.doc("MarshalJSON " + what + ".")
	s.lines(block("func (p "+of.GoName+") MarshalJSON() ([]byte, error) {",
		"p.setDefaults()",
		"type plain "+of.GoName,
		"return "+s.qual("encoding/json", "Marshal")+"(plain(p))")...)
}

// setDefaults makes:
//
//	func (p *MerchantDocThumbnails) setDefaults() {
//		if p.Width == nil {
//			p.Width = new(int)
//			*p.Width = 640
//		}
//		if p.Pages == nil {
//			p.Pages = []string{}
//		}
//	}
func setDefaults(s *goText, of *plan.Struct) {
	var body []string
	for _, field := range of.Fields {
		if !filledIn(field) {
			continue
		}
		place, typ := "p."+field.GoName, goType(s, field.Type)
		filled := []string{place + " = " + typ + "{}"}
		if pointer(field) {
			filled[0] = place + " = new(" + typ + ")"
			if v := defaultValue(s, field); v != "" {
				filled = append(filled, "*"+place+" = "+v)
			}
		}
		body = append(body, block("if "+place+" == nil {", filled...)...)
	}
	s.lines("")
	s.lines(block("func (p *"+of.GoName+") setDefaults() {", body...)...)
}

// defaultValue is a field's default as a Go expression; empty where it is the zero value, which new gives.
func defaultValue(s *goText, f *plan.Field) string {
	switch v := f.Default.(type) {
	case string:
		switch f.Type.Kind {
		case plan.Enum:
			return enumName(f.Type, v)
		case plan.Time:
			return timeOf(s, v)
		}
		if v != "" {
			return quoted(v)
		}
	case int64:
		if v != 0 {
			return fmt.Sprint(v)
		}
	case float64:
		if v != 0 {
			return floatText(v)
		}
	case bool:
		if v {
			return "true"
		}
	}
	return ""
}

// floatText is v with a point or an exponent, so that it reads as what it is.
func floatText(v float64) string {
	text := fmt.Sprint(v)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

// enumName is the constant of a value that the enum t has.
func enumName(t *plan.Type, v string) string {
	for _, e := range t.Values {
		if e.Value.V == v {
			return e.GoName
		}
	}
	return quoted(v) // plan has refused it
}

// timeOf is time.Date(…) of an RFC 3339 text that plan has checked.
func timeOf(s *goText, text string) string {
	t, _ := time.Parse(time.RFC3339Nano, text)
	return dateOf(s, t.UTC())
}

func dateOf(s *goText, t time.Time) string {
	return fmt.Sprintf("%s(%d, %s, %d, %d, %d, %d, %d, %s)", s.qual("time", "Date"), t.Year(), s.qual("time", t.Month().String()), t.Day(),
		t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), s.qual("time", "UTC"))
}
