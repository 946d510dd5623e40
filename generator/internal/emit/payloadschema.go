package emit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/retryc/retryc/generator/internal/plan"
)

// PayloadSchema is the JSON Schema of a queue's payload: what it accepts is what the emitted type decodes and finds valid,
// so that a null is taken wherever that type takes one for a field that is not there, or for the empty value. What only
// leniency takes is left out: another case of a field's name, numbers in place of base64, and a comma in a time.
func PayloadSchema(q *plan.Queue) ([]byte, error) {
	s := jsonObject{
		{"$schema", "https://json-schema.org/draft/2020-12/schema"},
		{"description", upperFirst(q.Payload.Of) + ". Names of fields are as they are written here, a whole number has neither point nor exponent, and fields that are not here are ignored."},
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(append(s, structSchema(q.Payload, nullStruct(q.Payload))...))
	return b.Bytes(), err
}

// structSchema makes:
//
//	"title": "MerchantDocThumbnails", "type": "object",
//	"properties": {"event_id": {"type": "string"}, "width": {"default": 640, "type": ["integer", "null"], …}},
//	"required": ["event_id"]
func structSchema(s *plan.Struct, null bool) jsonObject {
	properties, required := jsonObject{}, []string{}
	for _, f := range s.Fields {
		properties = append(properties, jsonMember{f.Name.V, fieldSchema(f)})
		if f.Required() {
			required = append(required, f.Name.V)
		}
	}
	return jsonObject{
		{"title", s.GoName}, {"type", typeOr("object", null)},
		{"properties", properties}, {"required", required}, {"additionalProperties", true},
	}
}

func fieldSchema(f *plan.Field) jsonObject {
	var s jsonObject
	if f.Default != nil {
		s = jsonObject{{"default", f.Default}}
	}
	if f.Required() && f.Type.Kind == plan.JSON {
		return append(s, jsonMember{"not", jsonObject{{"type", "null"}}})
	}
	return append(s, typeSchema(f.Type, !f.Required())...)
}

// typeSchema is the schema of a value; null says that null will do in its place.
func typeSchema(t *plan.Type, null bool) jsonObject {
	switch t.Kind {
	case plan.Enum:
		var values []any
		for _, v := range t.Values {
			values = append(values, v.Value.V)
		}
		if null {
			values = append(values, nil)
		}
		return jsonObject{{"title", t.GoName}, {"type", typeOr("string", null)}, {"enum", values}}
	case plan.Int, plan.Int64:
		return jsonObject{{"type", typeOr("integer", null)}, {"minimum", int64(math.MinInt64)}, {"maximum", int64(math.MaxInt64)}}
	case plan.Float64:
		return jsonObject{{"type", typeOr("number", null)}, {"minimum", -math.MaxFloat64}, {"maximum", math.MaxFloat64}}
	case plan.Bool:
		return jsonObject{{"type", typeOr("boolean", null)}}
	case plan.List:
		return jsonObject{{"type", typeOr("array", null)}, {"items", typeSchema(t.Elem, nullElement(t.Elem))}}
	case plan.Map:
		return jsonObject{{"type", typeOr("object", null)}, {"additionalProperties", typeSchema(t.Elem, nullElement(t.Elem))}}
	case plan.Object:
		return structSchema(t.Struct, null)
	case plan.JSON:
		return jsonObject{}
	}
	return append(jsonObject{{"type", typeOr("string", null)}}, textSchema(t)...)
}

// textSchema is what a text has to be. Validators take a format for a remark, unless they are told; the pattern holds always.
func textSchema(t *plan.Type) jsonObject {
	switch {
	case t.URI:
		return jsonObject{{"format", "uri"}, {"pattern", uriPattern}, {"description", "A URI with its scheme."}}
	case t.Kind == plan.UUID:
		return jsonObject{{"format", "uuid"}, {"pattern", uuidPattern}, {"description", "A UUID in lower case."}}
	case t.Kind == plan.Time:
		return jsonObject{{"format", "date-time"}, {"pattern", timePattern}, {"description", "A time as RFC 3339 has it."}}
	case t.Kind == plan.Bytes:
		return jsonObject{{"format", "byte"}, {"contentEncoding", "base64"}, {"pattern", base64Pattern}, {"description", "Bytes in base64."}}
	}
	return nil
}

// The patterns mean the same to RE2 and to ECMAScript. That of a URI has something after the scheme: a host, a path or else.
const (
	uuidPattern   = `^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`
	uriPattern    = `^[A-Za-z][A-Za-z0-9+.-]*:(/?[^/?#]|/([?#]|$)|//[^/?#]*(/|[^/?#@]([?#]|$)))`
	timePattern   = `^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3])(:[0-5][0-9]){2}([.][0-9]+)?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$`
	base64Pattern = `^[\r\n]*(([A-Za-z0-9+/][\r\n]*){4})*(([A-Za-z0-9+/][\r\n]*){2}(=[\r\n]*){2}|([A-Za-z0-9+/][\r\n]*){3}=[\r\n]*)?$`
)

// nullElement reports whether an item of a list or a value of a map can be null: a decoder leaves the zero value then, which
// has to be valid.
func nullElement(t *plan.Type) bool {
	switch t.Kind {
	case plan.UUID:
		return false
	case plan.String:
		return !t.URI
	case plan.Enum:
		return enumName(t, "") != quoted("")
	case plan.Object:
		return nullStruct(t.Struct)
	}
	return true
}

// nullStruct is the same for an object.
func nullStruct(s *plan.Struct) bool { return !anyField(s, (*plan.Field).Required) }

func typeOr(name string, null bool) any {
	if null {
		return []string{name, "null"}
	}
	return name
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// jsonObject is an object whose members keep their order.
type jsonObject []jsonMember

type jsonMember struct {
	name  string
	value any
}

// MarshalJSON implements json.Marshaler.
func (o jsonObject) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := enc.Encode(m.name); err != nil {
			return nil, fmt.Errorf("%q: %w", m.name, err)
		}
		b.WriteByte(':')
		if err := enc.Encode(m.value); err != nil {
			return nil, fmt.Errorf("%q: %w", m.name, err)
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
