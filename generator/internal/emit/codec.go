package emit

import (
	"time"

	"github.com/dave/jennifer/jen"

	"github.com/retryc/retryc/generator/internal/plan"
)

// codec makes what encoding/json does not do by itself, as far as s needs it: required fields are there, and
// defaults are filled in.
func codec(f *jen.File, s *plan.Struct) {
	if anyField(s, required) || anyField(s, hasDefault) {
		unmarshal(f, s)
	}
	if anyField(s, filledIn) {
		marshal(f, s)
		setDefaults(f, s)
	}
}

func hasDefault(f *plan.Field) bool { return f.Default != nil }

// filledIn reports whether an encoder must not take the nil of the field as it is: there is a default, or null would
// stand for an empty list. A required json has no empty value; Validate refuses its nil.
func filledIn(f *plan.Field) bool {
	return hasDefault(f) || required(f) && nillable(f.Type) && f.Type.Kind != plan.JSON
}

// unmarshal makes:
//
//	// UnmarshalJSON refuses an object that lacks a required field, and fills in defaults.
//	func (p *MerchantDocThumbnails) UnmarshalJSON(raw []byte) error {
//		if err := requireFields(raw, "event_id", "source_url"); err != nil {
//			return err
//		}
//		type plain MerchantDocThumbnails
//		if err := json.Unmarshal(raw, (*plain)(p)); err != nil {
//			return err
//		}
//		p.setDefaults()
//		return nil
//	}
func unmarshal(f *jen.File, s *plan.Struct) {
	what := "refuses an object that lacks a required field"
	var names []jen.Code
	for _, field := range s.Fields {
		if required(field) {
			names = append(names, jen.Lit(field.Name.V))
		}
	}
	switch {
	case len(names) == 0:
		what = "fills in the defaults of fields that the object lacks"
	case anyField(s, hasDefault):
		what += ", and fills in the defaults of the others"
	}
	f.Line()
	f.Add(comment("UnmarshalJSON " + what + "."))
	f.Func().Params(jen.Id("p").Op("*").Id(s.GoName)).Id("UnmarshalJSON").Params(jen.Id("raw").Index().Byte()).Error().BlockFunc(func(g *jen.Group) {
		if len(names) > 0 {
			g.If(jen.Err().Op(":=").Id("requireFields").Call(append([]jen.Code{jen.Id("raw")}, names...)...), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))
		}
		g.Type().Id("plain").Id(s.GoName)
		decode := jen.Qual("encoding/json", "Unmarshal").Call(jen.Id("raw"), jen.Parens(jen.Op("*").Id("plain")).Call(jen.Id("p")))
		if !anyField(s, hasDefault) {
			g.Return(decode)
			return
		}
		g.If(jen.Err().Op(":=").Add(decode), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))
		g.Id("p").Dot("setDefaults").Call()
		g.Return(jen.Nil())
	})
}

// marshal makes:
//
//	// MarshalJSON fills in defaults, so that what is stored is complete.
//	func (p MerchantDocThumbnails) MarshalJSON() ([]byte, error) {
//		p.setDefaults()
//		type plain MerchantDocThumbnails
//		return json.Marshal(plain(p))
//	}
func marshal(f *jen.File, s *plan.Struct) {
	what := "fills in defaults, so that what is stored is complete"
	if !anyField(s, hasDefault) {
		what = "writes what is nil as empty, since these fields are required"
	}
	f.Line()
	f.Add(comment("MarshalJSON " + what + "."))
	f.Func().Params(jen.Id("p").Id(s.GoName)).Id("MarshalJSON").Params().Params(jen.Index().Byte(), jen.Error()).Block(
		jen.Id("p").Dot("setDefaults").Call(),
		jen.Type().Id("plain").Id(s.GoName),
		jen.Return(jen.Qual("encoding/json", "Marshal").Call(jen.Id("plain").Call(jen.Id("p")))),
	)
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
func setDefaults(f *jen.File, s *plan.Struct) {
	f.Line()
	f.Func().Params(jen.Id("p").Op("*").Id(s.GoName)).Id("setDefaults").Params().BlockFunc(func(g *jen.Group) {
		for _, field := range s.Fields {
			if !filledIn(field) {
				continue
			}
			place := "p." + field.GoName
			g.If(expr(place).Op("==").Nil()).BlockFunc(func(g *jen.Group) {
				if !pointer(field) {
					g.Add(expr(place)).Op("=").Add(goType(field.Type)).Values()
					return
				}
				g.Add(expr(place)).Op("=").New(goType(field.Type))
				if v := defaultValue(field); v != nil {
					g.Op("*").Add(expr(place)).Op("=").Add(v)
				}
			})
		}
	})
}

// defaultValue is a field's default as a Go expression; nil where it is the zero value, which new gives.
func defaultValue(f *plan.Field) jen.Code {
	switch v := f.Default.(type) {
	case string:
		switch f.Type.Kind {
		case plan.Enum:
			return expr(enumName(f.Type, v))
		case plan.Time:
			return timeOf(v)
		}
		if v != "" {
			return jen.Lit(v)
		}
	case int64:
		if v != 0 {
			return jen.Lit(int(v))
		}
	case float64:
		if v != 0 {
			return jen.Lit(v)
		}
	case bool:
		if v {
			return jen.True()
		}
	}
	return nil
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
func timeOf(text string) jen.Code {
	t, _ := time.Parse(time.RFC3339Nano, text)
	return dateOf(t.UTC())
}

func dateOf(t time.Time) jen.Code {
	return jen.Qual("time", "Date").Call(jen.Lit(t.Year()), jen.Qual("time", t.Month().String()), jen.Lit(t.Day()),
		jen.Lit(t.Hour()), jen.Lit(t.Minute()), jen.Lit(t.Second()), jen.Lit(t.Nanosecond()), jen.Qual("time", "UTC"))
}
