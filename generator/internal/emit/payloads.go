package emit

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/retryc/retryc/generator/internal/plan"
)

// payloads makes payloads_gen.go: the types of what the jobs carry.
func payloads(p *plan.Plan) ([]File, error) {
	var s goText
	for _, q := range p.Queues {
		payload(&s, p, q)
	}
	return s.file(p, "payloads_gen.go"), nil
}

func payload(s *goText, p *plan.Plan, q *plan.Queue) {
	structType(s, q.Payload)
	codec(s, q.Payload)
	s.doc("Validate reports every field that breaks the rules of retry.yaml, and nil where none does.")
	validate(s, q.Payload, "Validate")
	factsOf(s, p, q)
	nested(s, q.Payload)
}

// nested makes the types that the fields of a struct need: enums and objects, and what is in these.
func nested(s *goText, of *plan.Struct) {
	for _, field := range of.Fields {
		for t := field.Type; t != nil; t = t.Elem {
			switch t.Kind {
			case plan.Enum:
				enum(s, t, field, of)
			case plan.Object:
				structType(s, t.Struct)
				codec(s, t.Struct)
				if checked(t) {
					s.lines("")
					validate(s, t.Struct, "validate")
				}
				nested(s, t.Struct)
			}
		}
	}
}

// structType makes the struct of a payload or of an object in one:
//
//	// MerchantDocThumbnails is the payload of the queue merchant-doc-thumbnails.
//	type MerchantDocThumbnails struct {
//		EventID   string   `json:"event_id"`
//		SourceURL string   `json:"source_url"`      // a URI
//		Plan      *string  `json:"plan,omitempty"`  // optional
//		Width     *int     `json:"width,omitempty"` // 640 where it is nil
//		Tags      []string `json:"tags,omitzero"`   // optional
//	}
func structType(s *goText, of *plan.Struct) {
	s.doc(of.GoName + " is " + of.Of + ".")
	if len(of.Fields) == 0 {
		s.lines("type " + of.GoName + " struct{}")
		return
	}
	var rows [][]string
	for _, field := range of.Fields {
		typ, tag := goType(s, field.Type), field.Name.V
		switch {
		case pointer(field):
			typ = "*" + typ
			tag += ",omitempty"
		case !field.Required():
			tag += ",omitzero"
		}
		row := []string{field.GoName, typ, "`json:\"" + tag + "\"`"}
		if note := fieldNote(field); note != "" {
			row = append(row, "// "+note)
		}
		rows = append(rows, row)
	}
	s.lines(block("type "+of.GoName+" struct {", aligned(rows)...)...)
}

// fieldNote is what the type of a field does not say.
func fieldNote(f *plan.Field) string {
	var notes []string
	switch {
	case f.Default != nil:
		notes = append(notes, defaultText(f)+" where it is nil")
	case f.Optional:
		notes = append(notes, "optional")
	}
	switch {
	case f.Type.URI:
		notes = append(notes, "a URI")
	case f.Type.Kind == plan.UUID:
		notes = append(notes, "a UUID in lower case")
	}
	return strings.Join(notes, "; ")
}

func defaultText(f *plan.Field) string {
	if s, text := f.Default.(string); text {
		return strconv.Quote(s)
	}
	return fmt.Sprint(f.Default)
}

// enum makes a closed list of texts:
//
//	// MerchantDocThumbnailsFormat is what the field format of MerchantDocThumbnails can be.
//	type MerchantDocThumbnailsFormat string
//
//	// What the field format can be.
//	const (
//		MerchantDocThumbnailsFormatJPEG MerchantDocThumbnailsFormat = "jpeg"
//		MerchantDocThumbnailsFormatPNG  MerchantDocThumbnailsFormat = "png"
//	)
func enum(s *goText, t *plan.Type, field *plan.Field, of *plan.Struct) {
	what := "the field " + field.Name.V
	switch {
	case field.Type.Kind == plan.List:
		what = "an item of " + what
	case field.Type.Kind == plan.Map:
		what = "a value of " + what
	}
	s.doc(fmt.Sprintf("%s is %s of %s.", t.GoName, what, of.GoName))
	s.lines("type " + t.GoName + " string")
	s.doc("What " + what + " can be.")
	var rows [][]string
	for _, v := range t.Values {
		rows = append(rows, []string{"\t" + v.GoName, t.GoName, "= " + quoted(v.Value.V)})
	}
	s.lines("const (")
	s.lines(aligned(rows)...)
	s.lines(")")
}
