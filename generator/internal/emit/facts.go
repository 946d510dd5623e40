package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/retryc/retryc/generator/internal/plan"
)

// factsOf makes what the tables need to know of a payload, defaults filled in:
//
//	func (p MerchantDocThumbnails) facts() facts {
//		p.setDefaults()
//		f := facts{
//			key:     []any{p.EventID},
//			tenant:  p.MerchantID,
//			columns: map[string]any{"merchant_id": p.MerchantID},
//		}
//		if p.Plan != nil {
//			f.tier = *p.Plan
//		}
//		return f
//	}
func factsOf(f *jen.File, p *plan.Plan, q *plan.Queue) {
	parts, later := knownFacts(p, q), optionalFacts(q)
	f.Line()
	if len(parts) == 0 && len(later) == 0 {
		f.Func().Params(jen.Id(q.GoName)).Id("facts").Params().Id("facts").Block(jen.Return(jen.Id("facts").Values()))
		return
	}
	made := jen.Id("facts").Add(lines(parts...))
	f.Func().Params(jen.Id("p").Id(q.GoName)).Id("facts").Params().Id("facts").BlockFunc(func(g *jen.Group) {
		if defaultedFacts(q) {
			g.Id("p").Dot("setDefaults").Call()
		}
		if len(later) == 0 {
			g.Return(made)
			return
		}
		if len(parts) == 0 {
			g.Var().Id("f").Id("facts")
		} else {
			g.Id("f").Op(":=").Add(made)
		}
		for _, code := range later {
			g.Add(code)
		}
		g.Return(jen.Id("f"))
	})
}

// knownFacts are those that every payload has.
func knownFacts(p *plan.Plan, q *plan.Queue) []jen.Code {
	var parts, key, columns []jen.Code
	for _, field := range q.Key {
		switch field.Type.Kind {
		case plan.Enum:
			key = append(key, text(field))
		default:
			key = append(key, expr(value(field)))
		}
	}
	if len(key) > 0 {
		parts = append(parts, keyed("key", jen.Index().Any().Values(key...)))
	}
	if q.TenantID != nil && !q.TenantID.Optional {
		parts = append(parts, keyed("tenant", text(q.TenantID)))
	}
	if q.Tier != nil && !q.Tier.Optional {
		parts = append(parts, keyed("tier", text(q.Tier)))
	}
	for i, field := range q.Columns {
		if field != nil { // a nil pointer is null in the column
			columns = append(columns, keyed(quoted(p.Ledger.Columns[i].Name.V), expr("p."+field.GoName)))
		}
	}
	if len(columns) > 0 {
		all := jen.Values(columns...)
		if len(columns) > 2 {
			all = lines(columns...)
		}
		parts = append(parts, keyed("columns", jen.Map(jen.String()).Any().Add(all)))
	}
	return parts
}

// optionalFacts are those that a payload may lack. A field with a default is never lacking.
func optionalFacts(q *plan.Queue) []jen.Code {
	var code []jen.Code
	add := func(name string, field *plan.Field) {
		if field != nil && field.Optional {
			code = append(code, jen.If(jen.Id("p").Dot(field.GoName).Op("!=").Nil()).Block(jen.Id("f").Dot(name).Op("=").Add(text(field))))
		}
	}
	add("tenant", q.TenantID)
	add("tier", q.Tier)
	return code
}

// defaultedFacts reports whether one of the facts has a default.
func defaultedFacts(q *plan.Queue) bool {
	for _, field := range append([]*plan.Field{q.TenantID, q.Tier}, q.Columns...) {
		if field != nil && hasDefault(field) {
			return true
		}
	}
	return false
}

// text is a field of a payload as a Go string.
func text(f *plan.Field) jen.Code {
	v := expr(value(f))
	switch f.Type.Kind {
	case plan.Enum:
		return jen.String().Call(v)
	case plan.Int:
		return jen.Qual("strconv", "Itoa").Call(v)
	case plan.Int64:
		return jen.Qual("strconv", "FormatInt").Call(v, jen.Lit(10))
	}
	return v
}
