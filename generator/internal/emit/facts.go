package emit

import (
	"slices"
	"strings"

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
func factsOf(s *goText, p *plan.Plan, q *plan.Queue) {
	known, later := knownFacts(s, p, q), optionalFacts(s, q)
	s.lines("")
	if len(known) == 0 && len(later) == 0 {
		s.lines(block("func ("+q.GoName+") facts() facts {", "return facts{}")...)
		return
	}
	var body []string
	if defaultedFacts(q) {
		body = append(body, "p.setDefaults()")
	}
	switch {
	case len(later) == 0:
		body = append(body, block("return facts{", known...)...)
	case len(known) == 0:
		body = append(append(body, "var f facts"), append(later, "return f")...)
	default:
		body = append(body, block("f := facts{", known...)...)
		body = append(append(body, later...), "return f")
	}
	s.lines(block("func (p "+q.GoName+") facts() facts {", body...)...)
}

// knownFacts are those that every payload has.
func knownFacts(s *goText, p *plan.Plan, q *plan.Queue) []string {
	var rows [][]string
	var key []string
	for _, field := range q.Key {
		switch field.Type.Kind {
		case plan.Enum:
			key = append(key, text(s, field))
		default:
			key = append(key, value(field))
		}
	}
	if len(key) > 0 {
		rows = append(rows, []string{"key:", "[]any{" + strings.Join(key, ", ") + "},"})
	}
	if q.TenantID != nil && !q.TenantID.Optional {
		rows = append(rows, []string{"tenant:", text(s, q.TenantID) + ","})
	}
	if q.Tier != nil && !q.Tier.Optional {
		rows = append(rows, []string{"tier:", text(s, q.Tier) + ","})
	}
	columns := copiedColumns(p, q)
	switch {
	case len(columns) == 0:
	case onOneLine(columns):
		var all []string
		for _, c := range columns {
			all = append(all, c[0]+" "+c[1])
		}
		rows = append(rows, []string{"columns:", "map[string]any{" + strings.Join(all, ", ") + "},"})
	default:
		for i := range columns {
			columns[i][1] += ","
		}
		lines := block("columns: map[string]any{", aligned(columns)...)
		lines[len(lines)-1] += ","
		return append(aligned(rows), lines...)
	}
	return aligned(rows)
}

// copiedColumns are the columns that the payload has a field for: the name as a key, and the field. A nil pointer is null in
// the column.
func copiedColumns(p *plan.Plan, q *plan.Queue) (columns [][]string) {
	for i, field := range q.Columns {
		if field != nil {
			columns = append(columns, []string{quoted(p.Ledger.Columns[i].Name.V) + ":", "p." + field.GoName})
		}
	}
	return columns
}

// onOneLine reports whether columns stand on one line: they are few, or have a name so long that gofmt would no longer put
// all values one below the other.
func onOneLine(columns [][]string) bool {
	return len(columns) <= 2 || slices.ContainsFunc(columns, func(c []string) bool { return len(c[0]) > 40+len(":") })
}

// optionalFacts are those that a payload may lack. A field with a default is never lacking.
func optionalFacts(s *goText, q *plan.Queue) []string {
	var code []string
	add := func(name string, field *plan.Field) {
		if field != nil && field.Optional {
			code = append(code, block("if p."+field.GoName+" != nil {", "f."+name+" = "+text(s, field))...)
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
func text(s *goText, f *plan.Field) string {
	v := value(f)
	switch f.Type.Kind {
	case plan.Enum:
		return "string(" + v + ")"
	case plan.Int:
		return s.qual("strconv", "Itoa") + "(" + v + ")"
	case plan.Int64:
		return s.qual("strconv", "FormatInt") + "(" + v + ", 10)"
	}
	return v
}
