package generator_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/retryc/retryc/schema"
)

// contract is the JSON Schema of retry.yaml, to walk it. A leaf of it is a place where a spec has a value that holds no
// others, such as caps.delay, ladders.*.rungs[] and ladders.(name), which is the name of a ladder itself.
type contract struct{ defs map[string]any }

// leavesOf are the leaves of the format, sorted.
func leavesOf(t *testing.T) (f contract, root map[string]any, leaves []string) {
	t.Helper()
	if err := json.Unmarshal(schema.V1, &root); err != nil {
		t.Fatal(err)
	}
	f = contract{root["$defs"].(map[string]any)}
	found := map[string]bool{}
	f.schemaLeaves(root, "", nil, found)
	return f, root, slices.Sorted(maps.Keys(found))
}

// schemaLeaves adds the leaves below node. Within itself, such as an object in an object, a kind is one leaf.
func (f contract) schemaLeaves(node map[string]any, path string, open []string, found map[string]bool) {
	if name, is := f.ref(node); is {
		if slices.Contains(open, name) {
			found[path] = true
			return
		}
		f.schemaLeaves(f.defs[name].(map[string]any), path, append(slices.Clone(open), name), found)
		if len(node) == 1 {
			return
		}
	}
	inner := false
	for key, value := range properties(node) {
		inner = true
		f.schemaLeaves(value, join(path, key), open, found)
	}
	if named, is := node["additionalProperties"].(map[string]any); is {
		inner, found[join(path, "(name)")] = true, true
		f.schemaLeaves(named, join(path, "*"), open, found)
	}
	if items, is := node["items"].(map[string]any); is {
		inner = true
		f.schemaLeaves(items, path+"[]", open, found)
	}
	for _, branch := range f.branches(node) {
		inner = true
		f.schemaLeaves(branch, path, open, found)
	}
	if _, is := f.ref(node); !inner && !is && (node["type"] != "object") && path != "" {
		found[path] = true
	}
}

// valueLeaves adds the values that a spec has at each leaf, as text.
func (f contract) valueLeaves(node map[string]any, value any, path string, open []string, found map[string][]string) {
	if name, is := f.ref(node); is {
		if slices.Contains(open, name) {
			found[path] = append(found[path], fmt.Sprint(value))
			return
		}
		f.valueLeaves(f.defs[name].(map[string]any), value, path, append(slices.Clone(open), name), found)
	}
	switch v := value.(type) {
	case map[string]any:
		props := properties(node)
		for key, inner := range v {
			if sub := props[key]; sub != nil {
				f.valueLeaves(sub, inner, join(path, key), open, found)
			} else if named, is := node["additionalProperties"].(map[string]any); is {
				found[join(path, "(name)")] = append(found[join(path, "(name)")], key)
				f.valueLeaves(named, inner, join(path, "*"), open, found)
			}
		}
	case []any:
		if items, is := node["items"].(map[string]any); is {
			for _, inner := range v {
				f.valueLeaves(items, inner, path+"[]", open, found)
			}
		}
	default:
		if _, is := f.ref(node); !is && len(f.branches(node)) == 0 {
			found[path] = append(found[path], fmt.Sprint(value))
		}
	}
	if test, is := node["if"].(map[string]any); is && len(f.branches(node)) > 0 {
		branch := "else"
		if test["type"] == typeName(value) {
			branch = "then"
		}
		f.valueLeaves(node[branch].(map[string]any), value, path, open, found)
	}
}

// ref is the name of the part of the schema that node refers to. The rules of which keys of a field go together have no
// leaves of their own.
func (f contract) ref(node map[string]any) (string, bool) {
	name, is := strings.CutPrefix(fmt.Sprint(node["$ref"]), "#/$defs/")
	return name, is && name != "typeRules"
}

// branches are what a value can be, where its type says which.
func (f contract) branches(node map[string]any) []map[string]any {
	test, _ := node["if"].(map[string]any)
	if test["type"] == nil {
		return nil
	}
	return []map[string]any{node["then"].(map[string]any), node["else"].(map[string]any)}
}

func properties(node map[string]any) map[string]map[string]any {
	all := map[string]map[string]any{}
	props, _ := node["properties"].(map[string]any)
	for key, value := range props {
		if sub, is := value.(map[string]any); is {
			all[key] = sub
		}
	}
	return all
}

func typeName(value any) string {
	switch value.(type) {
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return ""
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
