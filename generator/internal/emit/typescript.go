package emit

import (
	"path"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/retryc/retryc/generator/internal/plan"
)

// typescript makes, where the plan has a folder for them, payloads_gen.ts with the types of what the jobs carry, and
// producers_gen.ts, which sends them. The second imports only types of the first, and neither imports a package.
func typescript(p *plan.Plan) ([]File, error) {
	if p.TypeScriptDir == "" || len(p.Queues) == 0 {
		return nil, nil
	}
	var types tsText
	for _, q := range p.Queues {
		structs(q.Payload, func(s *plan.Struct) { tsStruct(&types, s) })
	}
	files := []File{types.file(p, "payloads_gen.ts")}
	producers, err := tsProducers(p)
	if err != nil || producers == nil {
		return files, err
	}
	return append(files, producers.file(p, "producers_gen.ts")), nil
}

// tsStruct makes:
//
//	/** The payload of the queue merchant-doc-thumbnails. */
//	export interface MerchantDocThumbnails {
//	  event_id: string;
//	  /** A URI. */
//	  source_url: string;
//	  /** 640 where it is left out. */
//	  width?: number;
//	}
//
// and the enums of its fields.
func tsStruct(s *tsText, of *plan.Struct) {
	s.doc("", upperFirst(of.Of)+".")
	s.lines("export interface " + of.GoName + " {")
	for _, f := range of.Fields {
		if note := tsNote(f); note != "" {
			s.note("  ", note)
		}
		s.lines(tsField(f))
	}
	if len(of.Fields) == 0 {
		s.lines("  [field: string]: never;")
	}
	s.lines("}")
	for _, f := range of.Fields {
		for t := f.Type; t != nil; t = t.Elem {
			if t.Kind == plan.Enum {
				tsEnum(s, t, "What the field "+f.Name.V+" of "+of.GoName+" can be.")
			}
		}
	}
}

// tsEnum makes, on one line or on one for each value:
//
//	export type MerchantDocThumbnailsFormat = "jpeg" | "png";
func tsEnum(s *tsText, t *plan.Type, about string) {
	var values []string
	for _, v := range t.Values {
		values = append(values, tsString(v.Value.V))
	}
	s.doc("", about)
	line := "export type " + t.GoName + " = " + strings.Join(values, " | ") + ";"
	if len(values) > 1 && !fits(line) {
		line = "export type " + t.GoName + " =\n  | " + strings.Join(values, "\n  | ") + ";"
	} else if !fits(line) {
		line = "export type " + t.GoName + " =\n  " + values[0] + ";"
	}
	s.lines(line)
}

// tsNote is what the type of a field does not say.
func tsNote(f *plan.Field) string {
	var notes []string
	switch held := tsHeld(f.Type); {
	case held.URI:
		notes = append(notes, "A URI.")
	case held.Kind == plan.UUID:
		notes = append(notes, "A UUID in lower case.")
	case held.Kind == plan.Time:
		notes = append(notes, "A time as toISOString of a Date writes it.")
	case held.Kind == plan.Bytes:
		notes = append(notes, "In base64.")
	case held.Kind == plan.Int:
		notes = append(notes, "A whole number.")
	case held.Kind == plan.Int64:
		notes = append(notes, "A whole number; a bigint where it is above Number.MAX_SAFE_INTEGER.")
	}
	if hasDefault(f) {
		notes = append(notes, defaultText(f)+" where it is left out.")
	}
	return strings.Join(notes, " ")
}

// tsHeld is what a list or a map holds at last.
func tsHeld(t *plan.Type) *plan.Type {
	for t.Elem != nil {
		t = t.Elem
	}
	return t
}

func tsField(f *plan.Field) string {
	name := f.Name.V
	if !tsName.MatchString(name) {
		name = tsString(name)
	}
	if !f.Required() {
		name += "?"
	}
	if f.Type.Kind == plan.JSON && f.Required() {
		return "  " + name + ": {};" // which is all but null
	}
	return tsLine("  ", name, f.Type, "")
}

// tsLine makes a member of a type. A map that is too long for a line takes three.
func tsLine(indent, name string, t *plan.Type, after string) string {
	line := indent + name + ": " + tsType(t) + after + ";"
	for t.Kind == plan.List {
		t, after = t.Elem, "[]"+after
	}
	if fits(line) || t.Kind != plan.Map {
		return line
	}
	return indent + name + ": {\n" + tsLine(indent+"  ", "[key: string]", t.Elem, "") + "\n" + indent + "}" + after + ";"
}

func tsType(t *plan.Type) string {
	switch t.Kind {
	case plan.Int, plan.Float64:
		return "number"
	case plan.Int64:
		return "number | bigint"
	case plan.Bool:
		return "boolean"
	case plan.JSON:
		return "unknown"
	case plan.Enum:
		return t.GoName
	case plan.Object:
		return t.Struct.GoName
	case plan.Map:
		return "{ [key: string]: " + tsType(t.Elem) + " }"
	case plan.List:
		if t.Elem.Kind == plan.Int64 {
			return "(" + tsType(t.Elem) + ")[]"
		}
		return tsType(t.Elem) + "[]"
	}
	return "string"
}

var tsName = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`)

// tsString is a text in quotes of which it has fewer.
func tsString(s string) string {
	quote := `"`
	if strings.Count(s, `"`) > strings.Count(s, "'") {
		quote = "'"
	}
	return quote + strings.NewReplacer(`\`, `\\`, quote, `\`+quote, "\n", `\n`, "\r", `\r`, "\u2028", `\u2028`, "\u2029", `\u2029`).Replace(s) + quote
}

// tsText is TypeScript as prettier leaves it.
type tsText struct{ strings.Builder }

const tsWidth = 80

// fits reports whether code, or the longest line of it, can stand as it is.
func fits(code string) bool { return utf8.RuneCountInString(code) <= tsWidth }

func (s *tsText) file(p *plan.Plan, name string) File {
	return File{Path: path.Join(p.TypeScriptDir, name), Data: []byte("// " + header + "\n" + s.String())}
}

// doc begins a declaration: an empty line, and text as its comment.
func (s *tsText) doc(indent, text string) {
	s.WriteByte('\n')
	s.note(indent, text)
}

func (s *tsText) note(indent, text string) {
	text = strings.ReplaceAll(text, "*/", `*\/`)
	if line := indent + "/** " + text + " */"; fits(line) && !strings.Contains(text, "\n") {
		s.lines(line)
		return
	}
	s.lines(indent + "/**")
	for _, line := range wrap(text, tsWidth-len(indent+" * ")) {
		s.lines(indent + " * " + line)
	}
	s.lines(indent + " */")
}

func (s *tsText) lines(lines ...string) {
	for _, line := range lines {
		s.WriteString(line + "\n")
	}
}

// call is a head with its arguments in parentheses, on one line or on one for each.
func (s *tsText) call(indent, head string, args []string, after string) {
	line := indent + head + "(" + strings.Join(args, ", ") + ")" + after
	if !fits(line) {
		line = indent + head + "(\n" + indent + "  " + strings.Join(args, ",\n"+indent+"  ") + ",\n" + indent + ")" + after
	}
	s.lines(line)
}
