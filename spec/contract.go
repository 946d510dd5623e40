package spec

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/retryc/retryc/schema"
)

// contract is the embedded schema, compiled to judge a file and decoded to say what it would have allowed.
var contract = sync.OnceValue(func() (c struct {
	compiled *jsonschema.Schema
	raw      any
}) {
	compiler := jsonschema.NewCompiler()
	compiler.Draft = jsonschema.Draft2020
	if err := compiler.AddResource(schema.FileName, bytes.NewReader(schema.V1)); err != nil {
		panic(err) // the embedded schema is tested
	}
	c.compiled = compiler.MustCompile(schema.FileName)
	if err := json.Unmarshal(schema.V1, &c.raw); err != nil {
		panic(err)
	}
	return c
})

// The steps of a JSON pointer write two characters in another way.
var (
	pointerText  = strings.NewReplacer("~1", "/", "~0", "~")
	pointerToken = strings.NewReplacer("~", "~0", "/", "~1")
)

// rule is a place in the schema, as the steps from its root.
type rule []string

func parseRule(location string) rule {
	_, fragment, _ := strings.Cut(location, "#")
	steps := strings.Split(strings.Trim(fragment, "/"), "/")
	for i, s := range steps {
		if un, err := url.PathUnescape(s); err == nil {
			s = un
		}
		steps[i] = pointerText.Replace(s)
	}
	return steps
}

// keyword is what was broken: type, pattern, required.
func (r rule) keyword() string { return r[len(r)-1] }

// def is the named part of the schema in which r is, or "".
func (r rule) def() string {
	if len(r) > 1 && r[0] == "$defs" {
		return r[1]
	}
	return ""
}

// find is what the schema says at r, with the last steps replaced.
func (r rule) find(drop int, more ...string) any {
	at := contract().raw
	for _, step := range slices.Concat(r[:len(r)-drop], more) {
		switch holder := at.(type) {
		case map[string]any:
			at = holder[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(holder) {
				return nil
			}
			at = holder[i]
		default:
			return nil
		}
	}
	return at
}

// properties are the keys that the mapping at r's parent may have, sorted.
func (r rule) properties() []string {
	props, _ := r.find(1, "properties").(map[string]any)
	return slices.Sorted(maps.Keys(props))
}

// texts is a list of the schema, such as that of an enum, as text.
func texts(list any) []string {
	var out []string
	entries, _ := list.([]any)
	for _, e := range entries {
		if s, ok := e.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// homes says under which keys a key stands, for the hint at one that stands elsewhere.
var homes = sync.OnceValue(func() map[string][]string {
	found := map[string][]string{}
	var visit func(at any, path []string, depth int)
	visit = func(at any, path []string, depth int) {
		m, ok := at.(map[string]any)
		if !ok || depth > 8 {
			return
		}
		if ref, ok := m["$ref"].(string); ok {
			def := parseRule(ref).def()
			if def != "typeRules" && def != "fields" { // a payload's own names say nothing here
				visit(parseRule(ref).find(0), path, depth+1)
			}
		}
		props, _ := m["properties"].(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(props)) {
			if home := strings.Join(path, "."); !slices.Contains(found[key], home) {
				found[key] = append(found[key], home)
			}
			visit(props[key], append(slices.Clone(path), key), depth+1)
		}
		visit(m["additionalProperties"], append(slices.Clone(path), "<name>"), depth+1)
		visit(m["items"], path, depth+1)
		visit(m["then"], path, depth+1)
		visit(m["else"], path, depth+1)
	}
	visit(contract().raw, nil, 0)
	return found
})
