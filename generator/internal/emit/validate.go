package emit

import (
	"fmt"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/retryc/retryc/generator/internal/plan"
)

// validate makes the method that checks s; method is Validate for a payload and validate for an object in one:
//
//	func (p MerchantDocThumbnails) Validate() error {
//		var b breaches
//		b.text("event_id", p.EventID)
//		if p.Plan != nil {
//			b.text("plan", *p.Plan)
//		}
//		if !slices.Contains([]MerchantDocThumbnailsFormat{MerchantDocThumbnailsFormatJPEG, MerchantDocThumbnailsFormatPNG}, p.Format) {
//			b.add("format", "is not jpeg or png")
//		}
//		for i, v := range p.Pages {
//			b.under(element("pages", i), v.validate())
//		}
//		return b.err()
//	}
func validate(f *jen.File, s *plan.Struct, method string) {
	var checks []jen.Code
	for _, field := range s.Fields {
		checks = append(checks, fieldChecks(field)...)
	}
	if len(checks) == 0 {
		f.Func().Params(jen.Id(s.GoName)).Id(method).Params().Error().Block(jen.Return(jen.Nil()))
		return
	}
	f.Func().Params(jen.Id("p").Id(s.GoName)).Id(method).Params().Error().BlockFunc(func(g *jen.Group) {
		g.Var().Id("b").Id("breaches")
		for _, c := range checks {
			g.Add(c)
		}
		g.Return(jen.Id("b").Dot("err").Call())
	})
}

func fieldChecks(f *plan.Field) []jen.Code {
	path, v := quoted(f.Name.V), value(f)
	if f.Type.Kind == plan.JSON && required(f) {
		return []jen.Code{jsonCheck(f, path)}
	}
	if f.Type.Kind == plan.Object {
		v = "p." + f.GoName // the method call needs no star
	}
	there := jen.Id("p").Dot(f.GoName).Op("!=").Nil()
	wrong, problem := breachOf(v, f.Type)
	switch {
	case wrong != nil && required(f):
		return []jen.Code{jen.If(wrong).Block(breach(path, problem))}
	case wrong != nil:
		return []jen.Code{jen.If(there.Op("&&").Add(wrong)).Block(breach(path, problem))}
	}
	checks := valueChecks(path, v, f.Type, 1)
	if len(checks) == 0 || !pointer(f) {
		return checks
	}
	return []jen.Code{jen.If(there).Block(checks...)}
}

// breachOf is the condition under which the value v breaks a rule, and what is wrong then; nil where that takes more than
// a condition.
func breachOf(v string, t *plan.Type) (wrong *jen.Statement, problem string) {
	switch t.Kind {
	case plan.Float64:
		finite := jen.Qual("math", "IsNaN").Call(expr(v)).Op("||").Qual("math", "IsInf").Call(expr(v), jen.Lit(0))
		return jen.Parens(finite), "is not a finite number"
	case plan.Enum:
		return jen.Op("!").Qual("slices", "Contains").Call(enumValues(t), expr(v)), enumProblem(t)
	case plan.JSON:
		return jen.Op("!").Qual("encoding/json", "Valid").Call(expr(v)), "is not JSON"
	}
	return nil, ""
}

// jsonCheck makes, for a required field, whose null a decoder would take for a missing one:
//
//	switch {
//	case len(p.Extra) == 0:
//		b.add("extra", "is missing")
//	case string(bytes.TrimSpace(p.Extra)) == "null":
//		b.add("extra", "is null")
//	case !json.Valid(p.Extra):
//		b.add("extra", "is not JSON")
//	}
func jsonCheck(f *plan.Field, path string) jen.Code {
	v := value(f)
	invalid, problem := breachOf(v, f.Type)
	return jen.Switch().Block(
		jen.Case(jen.Len(expr(v)).Op("==").Lit(0)).Block(breach(path, "is missing")),
		jen.Case(jen.String().Call(jen.Qual("bytes", "TrimSpace").Call(expr(v))).Op("==").Lit("null")).Block(breach(path, "is null")),
		jen.Case(invalid).Block(breach(path, problem)),
	)
}

// valueChecks are the statements that check the value v, which stands at path in the payload: both are Go expressions.
// depth counts the loops, for the names of their variables.
func valueChecks(path, v string, t *plan.Type, depth int) []jen.Code {
	check := func(method string) []jen.Code {
		return []jen.Code{jen.Id("b").Dot(method).Call(expr(path), expr(v))}
	}
	if wrong, problem := breachOf(v, t); wrong != nil {
		return []jen.Code{jen.If(wrong).Block(breach(path, problem))}
	}
	switch t.Kind {
	case plan.String:
		if t.URI {
			return check("uri")
		}
		return check("text")
	case plan.UUID:
		return check("uuid")
	case plan.Object:
		if checked(t) {
			return []jen.Code{jen.Id("b").Dot("under").Call(expr(path), expr(v).Dot("validate").Call())}
		}
	case plan.List:
		i, item := loopNames(depth, "i", "v")
		if inner := valueChecks(elementOf(path, i), item, t.Elem, depth+1); len(inner) > 0 {
			return []jen.Code{jen.For(jen.Id(i).Op(",").Id(item).Op(":=").Range().Add(expr(v))).Block(inner...)}
		}
	case plan.Map:
		return []jen.Code{mapChecks(path, v, t, depth)}
	}
	return nil
}

// mapChecks makes, in the order of the keys so that the breaches of one payload are always told in one order:
//
//	for _, k := range slices.Sorted(maps.Keys(p.Labels)) {
//		b.text(element("labels", k), k)
//		b.text(element("labels", k), p.Labels[k])
//	}
func mapChecks(path, v string, t *plan.Type, depth int) jen.Code {
	k, _ := loopNames(depth, "k", "")
	place := elementOf(path, k)
	checks := []jen.Code{jen.Id("b").Dot("text").Call(expr(place), expr(k))}
	checks = append(checks, valueChecks(place, fmt.Sprintf("%s[%s]", v, k), t.Elem, depth+1)...)
	keys := jen.Qual("slices", "Sorted").Call(jen.Qual("maps", "Keys").Call(expr(v)))
	return jen.For(jen.Id("_").Op(",").Id(k).Op(":=").Range().Add(keys)).Block(checks...)
}

func elementOf(path, key string) string { return "element(" + path + ", " + key + ")" }

// loopNames are names for the variables of a loop that are not those of a loop around it.
func loopNames(depth int, names ...string) (string, string) {
	suffix := ""
	if depth > 1 {
		suffix = strconv.Itoa(depth)
	}
	return names[0] + suffix, names[1] + suffix
}

func breach(path, problem string) jen.Code {
	return jen.Id("b").Dot("add").Call(expr(path), jen.Lit(problem))
}

func enumValues(t *plan.Type) jen.Code {
	var names []jen.Code
	for _, v := range t.Values {
		names = append(names, expr(v.GoName))
	}
	return jen.Index().Id(t.GoName).Add(wrapped(names, 4))
}

func enumProblem(t *plan.Type) string {
	if len(t.Values) > 8 {
		return fmt.Sprintf("is none of the %d values that retry.yaml lists", len(t.Values))
	}
	var values []string
	for _, v := range t.Values {
		values = append(values, v.Value.V)
	}
	return "is not " + listed(values, "or")
}

// checked reports whether a value of the type has anything to check.
func checked(t *plan.Type) bool {
	switch t.Kind {
	case plan.String, plan.UUID, plan.Float64, plan.Enum, plan.JSON, plan.Map:
		return true
	case plan.List:
		return checked(t.Elem)
	case plan.Object:
		return anyField(t.Struct, func(f *plan.Field) bool { return checked(f.Type) })
	}
	return false
}
