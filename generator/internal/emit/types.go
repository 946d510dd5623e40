package emit

import "github.com/retryc/retryc/generator/internal/plan"

// goType is the Go type of a value.
func goType(s *goText, t *plan.Type) string {
	switch t.Kind {
	case plan.Bytes:
		return "[]byte"
	case plan.Time:
		return s.qual("time", "Time")
	case plan.UUID:
		return "string"
	case plan.JSON:
		return s.qual("encoding/json", "RawMessage")
	case plan.Enum:
		return t.GoName
	case plan.List:
		return "[]" + goType(s, t.Elem)
	case plan.Map:
		return "map[string]" + goType(s, t.Elem)
	case plan.Object:
		return t.Struct.GoName
	}
	return string(t.Kind) // string, int, int64, float64 and bool are called so in Go
}

// nillable reports whether the Go type has a nil of its own, so that an optional field needs no pointer.
func nillable(t *plan.Type) bool {
	switch t.Kind {
	case plan.Bytes, plan.JSON, plan.List, plan.Map:
		return true
	}
	return false
}

// pointer reports whether the field is a pointer, whose nil says that the payload has no such field.
func pointer(f *plan.Field) bool { return !f.Required() && !nillable(f.Type) }

// value is the expression for the value of the field f of p, where it is there.
func value(f *plan.Field) string {
	if pointer(f) {
		return "*p." + f.GoName
	}
	return "p." + f.GoName
}

// structs calls fn for s and for every struct below it.
func structs(s *plan.Struct, fn func(*plan.Struct)) {
	fn(s)
	for _, f := range s.Fields {
		for t := f.Type; t != nil; t = t.Elem {
			if t.Struct != nil {
				structs(t.Struct, fn)
			}
		}
	}
}

// anyField reports whether a field of s itself is such.
func anyField(s *plan.Struct, such func(*plan.Field) bool) bool {
	for _, f := range s.Fields {
		if such(f) {
			return true
		}
	}
	return false
}
