package emit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/retryc/retryc/generator/internal/plan"
)

// validate makes the method that checks a struct; method is Validate for a payload and validate for an object in one:
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
func validate(s *goText, of *plan.Struct, method string) {
	var checks []string
	for _, field := range of.Fields {
		checks = append(checks, fieldChecks(s, field)...)
	}
	if len(checks) == 0 {
		s.lines(block("func ("+of.GoName+") "+method+"() error {", "return nil")...)
		return
	}
	checks = append(append([]string{"var b breaches"}, checks...), "return b.err()")
	s.lines(block("func (p "+of.GoName+") "+method+"() error {", checks...)...)
}

func fieldChecks(s *goText, f *plan.Field) []string {
	path, v := quoted(f.Name.V), value(f)
	if f.Type.Kind == plan.JSON && f.Required() {
		return jsonCheck(s, f, path)
	}
	if f.Type.Kind == plan.Object {
		v = "p." + f.GoName // the method call needs no star
	}
	there := "p." + f.GoName + " != nil"
	if wrong, problem := breachOf(s, v, f.Type); wrong != "" {
		if f.Required() {
			return refuse(wrong, path, problem)
		}
		if f.Type.Kind == plan.Float64 {
			wrong = "(" + wrong + ")"
		}
		return refuse(there+" && "+wrong, path, problem)
	}
	checks := valueChecks(s, path, v, f.Type, 1)
	if len(checks) == 0 || !pointer(f) {
		return checks
	}
	return block("if "+there+" {", checks...)
}

// refuse makes an if with one breach in it. A list of values in its condition can take lines of its own.
func refuse(wrong, path, problem string) []string {
	lines := strings.Split("if "+wrong+" {", "\n")
	return append(append(lines, "\t"+breach(path, problem)), "}")
}

// breachOf is the condition under which the value v breaks a rule, and what is wrong then; empty where that takes more than
// a condition.
func breachOf(s *goText, v string, t *plan.Type) (wrong, problem string) {
	switch t.Kind {
	case plan.Float64:
		return s.qual("math", "IsNaN") + "(" + v + ") || " + s.qual("math", "IsInf") + "(" + v + ", 0)", "is not a finite number"
	case plan.Enum:
		return "!" + s.qual("slices", "Contains") + "(" + enumValues(t) + ", " + v + ")", enumProblem(t)
	case plan.JSON:
		return "!" + s.qual("encoding/json", "Valid") + "(" + v + ")", "is not JSON"
	}
	return "", ""
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
func jsonCheck(s *goText, f *plan.Field, path string) []string {
	v := value(f)
	invalid, problem := breachOf(s, v, f.Type)
	return []string{
		"switch {",
		"case len(" + v + ") == 0:",
		"\t" + breach(path, "is missing"),
		"case string(" + s.qual("bytes", "TrimSpace") + "(" + v + `)) == "null":`,
		"\t" + breach(path, "is null"),
		"case " + invalid + ":",
		"\t" + breach(path, problem),
		"}",
	}
}

// valueChecks are the statements that check the value v, which stands at path in the payload: both are Go expressions.
// depth counts the loops, for the names of their variables.
func valueChecks(s *goText, path, v string, t *plan.Type, depth int) []string {
	check := func(method string) []string { return []string{"b." + method + "(" + path + ", " + v + ")"} }
	if wrong, problem := breachOf(s, v, t); wrong != "" {
		return refuse(wrong, path, problem)
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
			return []string{"b.under(" + path + ", " + v + ".validate())"}
		}
	case plan.List:
		i, item := loopNames(depth, "i", "v")
		if inner := valueChecks(s, elementOf(path, i), item, t.Elem, depth+1); len(inner) > 0 {
			return block("for "+i+", "+item+" := range "+v+" {", inner...)
		}
	case plan.Map:
		return mapChecks(s, path, v, t, depth)
	}
	return nil
}

// mapChecks makes, in the order of the keys so that the breaches of one payload are always told in one order:
//
//	for _, k := range slices.Sorted(maps.Keys(p.Labels)) {
//		b.text(element("labels", k), k)
//		b.text(element("labels", k), p.Labels[k])
//	}
func mapChecks(s *goText, path, v string, t *plan.Type, depth int) []string {
	k, _ := loopNames(depth, "k", "")
	place := elementOf(path, k)
	checks := []string{"b.text(" + place + ", " + k + ")"}
	checks = append(checks, valueChecks(s, place, v+"["+k+"]", t.Elem, depth+1)...)
	keys := s.qual("slices", "Sorted") + "(" + s.qual("maps", "Keys") + "(" + v + "))"
	return block("for _, "+k+" := range "+keys+" {", checks...)
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

func breach(path, problem string) string { return "b.add(" + path + ", " + quoted(problem) + ")" }

// enumValues is all values as a slice, a few on each line where they are many.
func enumValues(t *plan.Type) string {
	const few = 4
	var lines []string
	for values := range slices.Chunk(t.Values, few) {
		var names []string
		for _, v := range values {
			names = append(names, v.GoName)
		}
		lines = append(lines, strings.Join(names, ", "))
	}
	all := lines[0]
	if len(lines) > 1 {
		all = "\n\t" + strings.Join(lines, ",\n\t") + ",\n"
	}
	return "[]" + t.GoName + "{" + all + "}"
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
