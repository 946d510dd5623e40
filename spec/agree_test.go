package spec_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"gopkg.in/yaml.v3"

	"github.com/retryc/retryc/schema"
	"github.com/retryc/retryc/spec/diag"
)

// beyond are the codes of what no schema can say: how large a duration or a size is once it is added up, which end of a
// jitter is the larger one, what is a regular expression, and how an SQLSTATE without quotes is read.
var beyond = []string{"RC105", "RC109", "RC110", "RC113", "RC117"}

// agree checks that the loader accepts what the schema accepts, and nothing else. The schema is asked as an editor
// would ask it, with a reading of the file that is not the loader's.
func agree(t *testing.T, valid *jsonschema.Schema, src []byte, findings diag.List) {
	t.Helper()
	value, readable := plainly(src)
	if !readable {
		if !findings.HasErrors() {
			t.Error("the loader reads what is not YAML")
		}
		return
	}
	err := valid.Validate(value)
	if !findings.HasErrors() {
		if err != nil {
			t.Errorf("the loader accepts what the schema refuses: %v", err)
		}
		return
	}
	if err != nil {
		return
	}
	for _, d := range findings {
		if strings.HasPrefix(d.Code, "RC0") { // YAML that reads differently than it looks: the schema saw something else
			return
		}
	}
	for _, d := range findings {
		if d.Severity == diag.Error && !slices.Contains(beyond, d.Code) {
			t.Errorf("the schema accepts what the loader refuses: %+v", d)
		}
	}
}

// compiled is the published schema.
func compiled(tb testing.TB) *jsonschema.Schema {
	tb.Helper()
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	if err := c.AddResource(schema.FileName, bytes.NewReader(schema.V1)); err != nil {
		tb.Fatal(err)
	}
	return c.MustCompile(schema.FileName)
}

// plainly reads the first document of a file as its JSON.
func plainly(src []byte) (value any, readable bool) {
	defer func() {
		if recover() != nil { // some broken files panic the reader
			value, readable = nil, false
		}
	}()
	var doc yaml.Node
	if yaml.Unmarshal(src, &doc) != nil || len(doc.Content) != 1 {
		return nil, false
	}
	return plain(doc.Content[0], 0), true
}

func plain(n *yaml.Node, depth int) any {
	switch {
	case depth > 100, n.Kind == yaml.AliasNode:
		return nil
	case n.Kind == yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, c := range n.Content {
			list[i] = plain(c, depth+1)
		}
		return list
	case n.Kind == yaml.MappingNode:
		mapping := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			mapping[n.Content[i].Value] = plain(n.Content[i+1], depth+1)
		}
		return mapping
	}
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!bool":
		return strings.EqualFold(n.Value, "true")
	case "!!int", "!!float":
		var number float64
		if json.Unmarshal([]byte(n.Value), &number) == nil {
			return number
		}
	}
	return n.Value
}
