package schema_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/retryc/retryc/schema"
)

// visit calls do for every schema in the file, with its path.
func visit(at any, path string, do func(path string, s map[string]any)) {
	s, ok := at.(map[string]any)
	if !ok {
		return
	}
	do(path, s)
	for _, key := range slices.Sorted(maps.Keys(s)) {
		switch child := s[key].(type) {
		case map[string]any:
			if key == "properties" || key == "$defs" {
				for _, name := range slices.Sorted(maps.Keys(child)) {
					visit(child[name], path+"/"+key+"/"+name, do)
				}
				continue
			}
			if key != "default" {
				visit(child, path+"/"+key, do)
			}
		case []any:
			for i, c := range child {
				visit(c, path+"/"+key+"/"+strconv.Itoa(i), do)
			}
		}
	}
}

func load(t *testing.T) map[string]any {
	t.Helper()
	var root map[string]any
	if err := json.Unmarshal(schema.V1, &root); err != nil {
		t.Fatal(err)
	}
	return root
}

func TestEveryObjectIsClosed(t *testing.T) {
	visit(load(t), "#", func(path string, s map[string]any) {
		_, open := s["properties"]
		if open && s["type"] != "object" && !strings.Contains(path, "/typeRules/") {
			t.Errorf("%s has properties and does not say that it is an object", path)
		}
		if s["type"] == "object" && !strings.HasSuffix(path, "/if") {
			if more, ok := s["additionalProperties"]; !ok || more == true {
				t.Errorf("%s takes any key: a misspelt one would go unseen", path)
			}
		}
	})
}

func TestEveryPropertyAndDefinitionIsDescribed(t *testing.T) {
	visit(load(t), "#", func(path string, s map[string]any) {
		if strings.Contains(path, "/typeRules/") {
			return
		}
		for _, holder := range []string{"properties", "$defs"} {
			children, _ := s[holder].(map[string]any)
			for name, child := range children {
				c, _ := child.(map[string]any)
				about, _ := c["description"].(string)
				if len(about) < 12 || !strings.HasSuffix(about, ".") {
					t.Errorf("%s/%s/%s has no helpful description: %q", path, holder, name, about)
				}
			}
		}
	})
}

func TestDefaultsAreSaidInTheDescriptionToo(t *testing.T) {
	visit(load(t), "#", func(path string, s map[string]any) {
		def, ok := s["default"]
		if !ok || strings.HasSuffix(path, "/properties") {
			return
		}
		if d, isSchema := def.(map[string]any); isSchema {
			t.Errorf("%s: default %v", path, d)
		}
		said, _ := json.Marshal(def)
		about, _ := s["description"].(string)
		if !strings.Contains(about, "Default: "+strings.Trim(string(said), `"`)+".") {
			t.Errorf("%s: the description does not say the default %s: %s", path, said, about)
		}
	})
}

func TestReferencesAndRequiredKeysExist(t *testing.T) {
	root := load(t)
	defs := root["$defs"].(map[string]any)
	used := map[string]bool{}
	visit(root, "#", func(path string, s map[string]any) {
		if ref, ok := s["$ref"].(string); ok {
			name := strings.TrimPrefix(ref, "#/$defs/")
			used[name] = true
			if defs[name] == nil {
				t.Errorf("%s refers to %s, which is not there", path, ref)
			}
		}
		props, _ := s["properties"].(map[string]any)
		required, _ := s["required"].([]any)
		for _, key := range required {
			if s["type"] == "object" && props[key.(string)] == nil {
				t.Errorf("%s requires %v, which is none of its properties", path, key)
			}
		}
	})
	for name := range defs {
		if !used[name] {
			t.Errorf("nothing uses $defs/%s", name)
		}
	}
}

// Editors read the patterns as ECMAScript and the loader reads them as RE2, so they keep to what is the same in both.
func TestPatternsMeanTheSameInEditorsAndInGo(t *testing.T) {
	differs := regexp.MustCompile(`\(\?|\\|\[\[`)
	visit(load(t), "#", func(path string, s map[string]any) {
		pattern, ok := s["pattern"].(string)
		if !ok {
			return
		}
		if _, err := regexp.Compile(pattern); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if differs.MatchString(strings.ReplaceAll(pattern, `\\`, "")) || !strings.HasPrefix(pattern, "^") || !strings.HasSuffix(pattern, "$") {
			t.Errorf("%s: %s is not anchored, or has syntax that differs between engines", path, pattern)
		}
	})
}

func TestFileNameIsThatOfTheID(t *testing.T) {
	if id, _ := load(t)["$id"].(string); !strings.HasSuffix(id, "/"+schema.FileName) {
		t.Errorf("$id = %s, want it to end in %s", id, schema.FileName)
	}
}
