package emit

import (
	"strings"
	"testing"
)

// payloadOf is what comes out for a queue q with these fields.
func payloadOf(t *testing.T, fields string) string {
	t.Helper()
	return emitted(t, planOf(t, minimal("queues: {q: {payload: {"+fields+"}}}")), "jobs/payloads_gen.go")
}

func TestFieldTypes(t *testing.T) {
	for field, want := range map[string]string{
		"a: string":                           "A string `json:\"a\"`",
		"a: int":                              "A int `json:\"a\"`",
		"a: int64":                            "A int64 `json:\"a\"`",
		"a: float64":                          "A float64 `json:\"a\"`",
		"a: bool":                             "A bool `json:\"a\"`",
		"a: bytes":                            "A []byte `json:\"a\"`",
		"a: time":                             "A time.Time `json:\"a\"`",
		"a: uuid":                             "A string `json:\"a\"` // a UUID in lower case",
		"a: json":                             "A json.RawMessage `json:\"a\"`",
		"a: {type: string, format: uri}":      "A string `json:\"a\"` // a URI",
		"a: {type: string, enum: [x]}":        "A QA `json:\"a\"`",
		"a: {type: list, items: int}":         "A []int `json:\"a\"`",
		"a: {type: map, values: int}":         "A map[string]int `json:\"a\"`",
		"a: {type: object, fields: {b: int}}": "A QA `json:\"a\"`",
		"a: {type: string, optional: true}":   "A *string `json:\"a,omitempty\"` // optional",
		"a: {type: time, optional: true}":     "A *time.Time `json:\"a,omitempty\"` // optional",
		"a: {type: bytes, optional: true}":    "A []byte `json:\"a,omitzero\"` // optional",
		"a: {type: json, optional: true}":     "A json.RawMessage `json:\"a,omitzero\"` // optional",
		"a: {type: list, items: int, optional: true}":                                   "A []int `json:\"a,omitzero\"` // optional",
		"a: {type: object, fields: {b: int}, optional: true}":                           "A *QA `json:\"a,omitempty\"` // optional",
		"a: {type: int, default: 640}":                                                  "A *int `json:\"a,omitempty\"` // 640 where it is nil",
		"a: {type: string, default: x}":                                                 "A *string `json:\"a,omitempty\"` // \"x\" where it is nil",
		"a: {type: list, items: {type: map, values: {type: object, fields: {b: int}}}}": "A []map[string]QAItemValue `json:\"a\"`",
	} {
		t.Run(field, func(t *testing.T) { wantIn(t, payloadOf(t, field), want) })
	}
}

func TestDefaultsAreFilledIn(t *testing.T) {
	for field, want := range map[string]string{
		"a: {type: int, default: 640}":                                   "p.A = new(int) *p.A = 640 }",
		"a: {type: int64, default: -9007199254740993}":                   "p.A = new(int64) *p.A = -9007199254740993 }",
		"a: {type: float64, default: 2}":                                 "p.A = new(float64) *p.A = 2.0 }",
		"a: {type: bool, default: false}":                                "p.A = new(bool) }",
		"a: {type: string, default: ''}":                                 "p.A = new(string) }",
		"a: {type: string, enum: [x, y], default: y}":                    "p.A = new(QA) *p.A = QAY }",
		`a: {type: time, default: "2026-01-31T09:00:00.5+02:00"}`:        "p.A = new(time.Time) *p.A = time.Date(2026, time.January, 31, 7, 0, 0, 500000000, time.UTC) }",
		"a: {type: uuid, default: 6ba7b810-9dad-11d1-80b4-00c04fd430c8}": `p.A = new(string) *p.A = "6ba7b810-9dad-11d1-80b4-00c04fd430c8" }`,
		"a: {type: list, items: int}":                                    "p.A = []int{} }",
		"a: {type: map, values: bytes}":                                  "p.A = map[string][]byte{} }",
		"a: bytes":                                                       "p.A = []byte{} }",
	} {
		t.Run(field, func(t *testing.T) {
			wantIn(t, payloadOf(t, field), "func (p *Q) setDefaults() { if p.A == nil { "+want, "func (p Q) MarshalJSON() ([]byte, error) { p.setDefaults()")
		})
	}
}

func TestCodecIsEmittedOnlyWhereItIsNeeded(t *testing.T) {
	for field, want := range map[string]struct{ unmarshal, marshal bool }{
		"":                               {false, false},
		"a: {type: int, optional: true}": {false, false},
		"a: {type: list, items: int, optional: true}": {false, false},
		"a: int":                      {true, false},
		"a: json":                     {true, false},
		"a: {type: int, default: 1}":  {true, true},
		"a: {type: list, items: int}": {true, true},
	} {
		src := payloadOf(t, field)
		if got := strings.Contains(src, "UnmarshalJSON("); got != want.unmarshal {
			t.Errorf("%q: UnmarshalJSON %t, want %t", field, got, want.unmarshal)
		}
		if got := strings.Contains(src, ") MarshalJSON("); got != want.marshal {
			t.Errorf("%q: MarshalJSON %t, want %t", field, got, want.marshal)
		}
	}
}

func TestRequiredFieldsAreAskedForAndOthersAreNot(t *testing.T) {
	src := payloadOf(t, "a: int, b: {type: int, optional: true}, c: {type: int, default: 1}, d: bytes, e: {type: object, fields: {f: int, g: {type: int, optional: true}}}")
	wantIn(t, src, `requireFields(raw, "a", "d", "e");`, `requireFields(raw, "f");`)
}

func TestChecks(t *testing.T) {
	for field, want := range map[string]string{
		"a: string":                         `b.text("a", p.A)`,
		"a: {type: string, optional: true}": `if p.A != nil { b.text("a", *p.A) }`,
		"a: {type: string, format: uri}":    `b.uri("a", p.A)`,
		"a: uuid":                           `b.uuid("a", p.A)`,
		"a: float64":                        `if math.IsNaN(p.A) || math.IsInf(p.A, 0) { b.add("a", "is not a finite number") }`,
		"a: {type: float64, default: 1}":    `if p.A != nil && (math.IsNaN(*p.A) || math.IsInf(*p.A, 0)) {`,
		"a: {type: string, enum: [x]}":      `if !slices.Contains([]QA{QAX}, p.A) { b.add("a", "is not x") }`,
		"a: {type: string, enum: [x, y, z], optional: true}":   `if p.A != nil && !slices.Contains([]QA{QAX, QAY, QAZ}, *p.A) { b.add("a", "is not x, y or z") }`,
		"a: {type: string, enum: [a, b, c, d, e, f, g, h, i]}": `"is none of the 9 values that retry.yaml lists"`,
		"a: json":                                                      `case string(bytes.TrimSpace(p.A)) == "null": b.add("a", "is null") case !json.Valid(p.A): b.add("a", "is not JSON")`,
		"a: {type: json, optional: true}":                              `if p.A != nil && !json.Valid(p.A) { b.add("a", "is not JSON") }`,
		"a: {type: list, items: string}":                               `for i, v := range p.A { b.text(element("a", i), v) }`,
		"a: {type: list, items: {type: list, items: uuid}}":            `for i, v := range p.A { for i2, v2 := range v { b.uuid(element(element("a", i), i2), v2) } }`,
		"a: {type: map, values: int}":                                  `for _, k := range slices.Sorted(maps.Keys(p.A)) { b.text(element("a", k), k) }`,
		"a: {type: map, values: string}":                               `b.text(element("a", k), k) b.text(element("a", k), p.A[k])`,
		"a: {type: object, fields: {b: string}}":                       `b.under("a", p.A.validate())`,
		"a: {type: object, fields: {b: string}, optional: true}":       `if p.A != nil { b.under("a", p.A.validate()) }`,
		"a: {type: list, items: {type: object, fields: {b: float64}}}": `for i, v := range p.A { b.under(element("a", i), v.validate()) }`,
		"a: {type: object, fields: {b: {type: list, items: string}}}":  `func (p QA) validate() error { var b breaches for i, v := range p.B { b.text(element("b", i), v) } return b.err() }`,
	} {
		t.Run(field, func(t *testing.T) { wantIn(t, payloadOf(t, field), want) })
	}
}

func TestWhatCannotBreakARuleIsNotChecked(t *testing.T) {
	src := payloadOf(t, "a: int, b: bool, c: time, d: bytes, e: {type: list, items: int}, f: {type: object, fields: {g: int64}}")
	wantIn(t, src, "func (Q) Validate() error { return nil }")
	if strings.Contains(src, "validate()") {
		t.Errorf("a check without a rule in\n%s", src)
	}
}

func TestFacts(t *testing.T) {
	p := planOf(t, minimal(`tenants: {id: who, tier: tier, ladders: {gold: a}}
queues:
  plain: {payload: {x: int}}
  keyed: {payload: {who: int64, tier: {type: string, enum: [gold], default: gold}, at: time}, idempotency_key: [who, at]}
  loose: {payload: {who: {type: int, optional: true}, tier: {type: string, optional: true}, tag: {type: string, optional: true}}}
`)+"")
	src := emitted(t, p, "jobs/payloads_gen.go")
	wantIn(t, src,
		"func (Plain) facts() facts { return facts{} }",
		"func (p Keyed) facts() facts { p.setDefaults() return facts{ key: []any{p.Who, p.At}, tenant: strconv.FormatInt(p.Who, 10), tier: string(*p.Tier), } }",
		"func (p Loose) facts() facts { var f facts if p.Who != nil { f.tenant = strconv.Itoa(*p.Who) } if p.Tier != nil { f.tier = *p.Tier } return f }")
}

func TestColumnsAreCopiedAsTheyAre(t *testing.T) {
	wantIn(t, emitted(t, everyPlan(t), "work/payloads_gen.go"),
		`columns: map[string]any{ "who": p.L, "t": p.TO, "td": p.TD, "f": p.F, "b": p.BD, "e": p.E, }`, "p.setDefaults() return facts{")
}
