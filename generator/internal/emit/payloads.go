package emit

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/retryc/retryc/generator/internal/plan"
)

// payloads makes payloads_gen.go: the types of what the jobs carry.
func payloads(p *plan.Plan) ([]File, error) {
	return goFile(p, "payloads_gen.go", perQueue(p, func(f *jen.File, q *plan.Queue) { payload(f, p, q) })...)
}

func payload(f *jen.File, p *plan.Plan, q *plan.Queue) {
	structType(f, q.Payload)
	codec(f, q.Payload)
	f.Line()
	f.Add(comment("Validate reports every field that breaks the rules of retry.yaml, and nil where none does."))
	validate(f, q.Payload, "Validate")
	factsOf(f, p, q)
	nested(f, q.Payload)
}

// nested makes the types that the fields of s need: enums and objects, and what is in these.
func nested(f *jen.File, s *plan.Struct) {
	for _, field := range s.Fields {
		for t := field.Type; t != nil; t = t.Elem {
			switch t.Kind {
			case plan.Enum:
				enum(f, t, field, s)
			case plan.Object:
				structType(f, t.Struct)
				codec(f, t.Struct)
				if checked(t) {
					f.Line()
					validate(f, t.Struct, "validate")
				}
				nested(f, t.Struct)
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
func structType(f *jen.File, s *plan.Struct) {
	f.Line()
	f.Add(comment(s.GoName + " is " + s.Of + "."))
	f.Type().Id(s.GoName).StructFunc(func(g *jen.Group) {
		for _, field := range s.Fields {
			decl := jen.Id(field.GoName)
			tag := field.Name.V
			switch {
			case pointer(field):
				decl.Op("*")
				tag += ",omitempty"
			case !required(field):
				tag += ",omitzero"
			}
			decl.Add(goType(field.Type)).Tag(map[string]string{"json": tag})
			if note := fieldNote(field); note != "" {
				decl.Comment(note)
			}
			g.Add(decl)
		}
	})
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
func enum(f *jen.File, t *plan.Type, field *plan.Field, s *plan.Struct) {
	what := "the field " + field.Name.V
	switch {
	case field.Type.Kind == plan.List:
		what = "an item of " + what
	case field.Type.Kind == plan.Map:
		what = "a value of " + what
	}
	f.Line()
	f.Add(comment(fmt.Sprintf("%s is %s of %s.", t.GoName, what, s.GoName)))
	f.Type().Id(t.GoName).String()
	f.Line()
	f.Add(comment("What " + what + " can be."))
	f.Const().DefsFunc(func(g *jen.Group) {
		for _, v := range t.Values {
			g.Id(v.GoName).Id(t.GoName).Op("=").Lit(v.Value.V)
		}
	})
}
