package generator_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/retryc/retryc/generator"
	"github.com/santhosh-tekuri/jsonschema/v5"
)

// bases are payloads of golden/payloads that are taken.
var bases = map[string]string{
	"required": `{"text":"","link":"urn:isbn:1","colour":"3d","count":0,"total_cents":-1,"ratio":1e300,"urgent":false,"blob":"AP8=",
		"due_at":"2026-01-02T03:04:05.0000006Z","order_id":"6ba7b810-9dad-11d1-80b4-00c04fd430c8","extra":{"a":[1,null]},"tags":["x",""],
		"ids":["6ba7b810-9dad-11d1-80b4-00c04fd430c8"],"levels":["low"],"prices":{"k":1},"account":7,"type":"t",
		"document":{"url":"https://example.com/a?b=c","pages":[{"number":1,"note":"n"},{"number":2}]},
		"by_name":{"n":{"id":"6ba7b810-9dad-11d1-80b4-00c04fd430c8"}},"matrix":[[1],[]]}`,
	"optional": `{"text":"x","link":"a:b","colour":"red","count":1,"total_cents":1,"ratio":0.5,"urgent":true,"blob":"","due_at":"2026-01-02T03:04:05+01:00",
		"order_id":"6ba7b810-9dad-11d1-80b4-00c04fd430c8","extra":null,"tags":[],"prices":{"a":1.5},"tier":"gold","account":1,"document":{"url":"a:b","size":2}}`,
	"defaulted": `{"text":"x","link":"a:b","colour":"red","count":1,"total_cents":1,"ratio":0.5,"urgent":true,"due_at":"2026-01-02T03:04:05Z",
		"order_id":"6ba7b810-9dad-11d1-80b4-00c04fd430c8","tier":"x"}`,
	"empty": `{}`,
}

// values are put in the place of every value of a base.
var values = []string{
	`null`, `true`, `""`, `"x"`, `"red"`, `"low"`, `0`, `-1`, `0.5`, `2147483648`, `9223372036854775807`, `9223372036854775808`,
	`-9223372036854775808`, `-9223372036854775809`, `1e308`, `-1e309`, `[]`, `{}`, `["x"]`, `[null]`, `[[null]]`, `[1]`, `[{}]`,
	`[{"number":1,"note":null}]`, `[{"number":null}]`, `{"k":null}`, `{"k":1}`, `{"k":{}}`, `{"k":"x"}`, `{"url":"a:b"}`, `{"url":"a:b","size":null}`,
	`"6ba7b810-9dad-11d1-80b4-00c04fd430c8"`, `"6BA7B810-9DAD-11D1-80B4-00C04FD430C8"`, `"6ba7b8109dad11d180b400c04fd430c8"`,
	`"AAAA"`, `"AA=="`, `"AA"`, `"AA=\r\n=\n"`, `"A_-="`, `"A\nAAA"`,
	`"a:b"`, `"http:"`, `"http://"`, `"http:/"`, `"http://a"`, `"http://a b"`, `"http://u@"`, `"http://u@/"`, `"http://?q"`, `"http:?q"`, `"http:#f"`,
	`"file:///x"`, `"//a/b"`, `"/a"`, `"a"`, `"1a:b"`, `"http://a/%zz"`, `"http://[::1]:80/"`, `"http://a/b@"`, `"a:\u0001"`, `"é://x"`, `"http:///"`,
	`"2026-01-02T03:04:05Z"`, `"2026-02-30T03:04:05Z"`, `"2026-01-02t03:04:05z"`, `"2026-01-02T03:04:60Z"`, `"2026-01-02T24:00:00Z"`,
	`"2026-01-02T03:04:05"`, `"2026-01-02T03:04:05,5Z"`, `"2026-01-02T03:04:05.123456789123-23:59"`, `"2026-01-02T03:04:05+24:00"`, `"0000-01-01T00:00:00Z"`,
}

// lenient is what a decoder takes and nobody should send: numbers for base64, and times that RFC 3339 does not have.
var lenient = regexp.MustCompile(`"blob":\[|:05,5Z"|\+24:00"`)

// A producer in another language has the schema, and the worker the type: they take the same payloads. Each base is tried
// with every value of it left out, and with every other value in its place.
func TestPayloadSchemaAgreesWithTheEmittedType(t *testing.T) {
	t.Parallel()
	var samples []string
	var takes []bool
	for _, queue := range slices.Sorted(maps.Keys(bases)) {
		schema := compiledPayload(t, queue)
		for _, sample := range samplesOf(t, bases[queue]) {
			samples = append(samples, queue+" "+sample)
			takes = append(takes, schema.Validate(decoded(t, sample)) == nil)
		}
	}
	cmd := exec.Command("go", "run", "./takes")
	cmd.Dir, cmd.Stdin = golden, strings.NewReader(strings.Join(samples, "\n"))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	answers := strings.Fields(string(out))
	if len(answers) != len(samples) {
		t.Fatalf("%d answers to %d samples", len(answers), len(samples))
	}
	taken := 0
	for i, answer := range answers {
		if answer != fmt.Sprint(takes[i]) && (takes[i] || !lenient.MatchString(samples[i])) {
			t.Errorf("the type says %s, and the schema %t, to %s", answer, takes[i], samples[i])
		}
		if takes[i] {
			taken++
		}
	}
	if taken < 100 || len(samples)-taken < 1000 {
		t.Errorf("%d of %d samples are taken", taken, len(samples))
	}
}

func TestPayloadSchemaIsTheSameEachTime(t *testing.T) {
	t.Parallel()
	first, second := payloadSchema(t, "required"), payloadSchema(t, "required")
	if !bytes.Equal(first, second) {
		t.Errorf("%s\n%s", first, second)
	}
}

func payloadSchema(t *testing.T, queue string) []byte {
	t.Helper()
	text, result, err := generator.PayloadSchema(filepath.Join(golden, "payloads", "retry.yaml"), queue)
	if err != nil || result.Diagnostics.HasErrors() {
		t.Fatal(err)
	}
	return text
}

func compiledPayload(t *testing.T, queue string) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat = true
	if err := c.AddResource(queue, bytes.NewReader(payloadSchema(t, queue))); err != nil {
		t.Fatal(err)
	}
	return c.MustCompile(queue)
}

// samplesOf are the base, other whole values, and the base with one value in it, at any depth, left out or changed.
func samplesOf(t *testing.T, base string) []string {
	t.Helper()
	root := decoded(t, base)
	root.(map[string]any)["unknown"] = []any{}
	samples := append([]string{encoded(t, decoded(t, base)), encoded(t, root)}, values...)
	delete(root.(map[string]any), "unknown")
	var visit func(node any)
	visit = func(node any) {
		try := func(set func(v any), was any) {
			for _, v := range values {
				set(decoded(t, v))
				samples = append(samples, encoded(t, root))
			}
			set(was)
			visit(was)
		}
		switch node := node.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(node)) {
				was := node[name]
				delete(node, name)
				samples = append(samples, encoded(t, root))
				try(func(v any) { node[name] = v }, was)
			}
		case []any:
			for i, was := range node {
				try(func(v any) { node[i] = v }, was)
			}
		}
	}
	visit(root)
	return samples
}

func decoded(t *testing.T, text string) (v any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
