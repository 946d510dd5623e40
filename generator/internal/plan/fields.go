package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/retryc/retryc/spec"
)

// structOf resolves the fields of a payload or of a nested object. goName is its type, of its doc comment, owner
// what to call it in a message; no two have the same.
func (b *builder) structOf(goName, of, owner string, fields []spec.Field) *Struct {
	s := &Struct{GoName: goName, Of: of}
	folded := map[string]spec.Name{}
	for _, src := range fields {
		f := &Field{Name: src.Name, GoName: goNameOf(src.GoName, src.Name), Optional: src.Optional.V}
		what := fmt.Sprintf("the field %q of %s", src.Name.V, owner)
		f.Type = b.typeOf(src.Type, goName+f.GoName, what, orName(src.GoName, src.Name))
		f.Default = b.defaultOf(src, f.Type)
		s.Fields = append(s.Fields, f)
		if slices.Contains(structMethods, f.GoName) {
			errorAt(b, "RC234", orName(src.GoName, src.Name), "%s becomes %s, which is a method of its Go type", what, f.GoName).Hint = "set go_name to another name, or rename the field"
		}
		if !b.foldedTwice(src.Name, folded) { // which a Go name of its own would not put right
			b.plan.Names.add(Scope(owner), f.GoName, what, orName(src.GoName, src.Name))
		}
	}
	return s
}

// structMethods are the methods that emitted structs have, or may get.
var structMethods = []string{"MarshalJSON", "String", "UnmarshalJSON", "Validate"}

// typeOf resolves a type. goName is the type to declare where one is needed: a nested object or an enum.
func (b *builder) typeOf(src spec.Type, goName, what string, at spec.Name) *Type {
	t := &Type{Kind: Kind(src.Kind.V), URI: src.Format.V == "uri"}
	switch {
	case t.Kind == String && len(src.Enum) > 0:
		t.Kind, t.GoName = Enum, goName
		b.plan.Names.add(Package, goName, what, at)
		t.Values = b.enumValues(goName, what, src.Enum)
	case t.Kind == List && src.Elem != nil:
		t.Elem = b.typeOf(*src.Elem, goName+"Item", "an item of "+what, at)
	case t.Kind == Map && src.Elem != nil:
		t.Elem = b.typeOf(*src.Elem, goName+"Value", "a value of "+what, at)
	case t.Kind == List, t.Kind == Map:
		t.Elem = &Type{Kind: String} // the schema has refused it
	case t.Kind == Object:
		b.plan.Names.add(Package, goName, what, at)
		t.Struct = b.structOf(goName, strings.ReplaceAll(what, `"`, ""), what, src.Fields)
	case t.Kind == "":
		t.Kind = String // the schema has refused it
	}
	return t
}

// foldedTwice refuses two fields whose JSON names differ only in case: a decoder takes one for the other. seen are the
// fields so far, by their names in small letters.
func (b *builder) foldedTwice(name spec.Name, seen map[string]spec.Name) bool {
	folded := strings.ToLower(name.V)
	other, twice := seen[folded]
	if !twice {
		seen[folded] = name
		return false
	}
	d := errorAt(b, "RC232", name, "the fields %q and %q differ only in case", other.V, name.V)
	d.Hint, d.Related = "rename one of them: JSON decoders take one for the other", relatedAt(other, "the other is here")
	return true
}

// goNameOf is the file's go_name, else what name becomes.
func goNameOf(given, name spec.Name) string {
	if !isExported(given.V) { // left out, or refused by the schema
		return exported(name.V)
	}
	return given.V
}

// orName is the place of a Go name: where go_name gives it, else where the YAML name stands.
func orName(given, name spec.Name) spec.Name {
	if given.Set() {
		return given
	}
	return name
}
