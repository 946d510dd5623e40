package spec_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retryc/retryc/spec"
	"github.com/retryc/retryc/spec/diag"
	"github.com/retryc/retryc/spec/spectest"
)

// parse reads a spec in which nothing is wrong.
func parse(t *testing.T, snippet string) *spec.Document {
	t.Helper()
	doc, findings := spec.Parse("retry.yaml", spectest.Overlay(snippet))
	if len(findings) > 0 {
		t.Fatalf("findings: %v", findings)
	}
	return doc
}

func texts(names []spec.Name) (out []string) {
	for _, n := range names {
		out = append(out, n.V)
	}
	return out
}

func TestEveryWayToWriteAJitter(t *testing.T) {
	for text, want := range map[string][2]float64{
		"25%": {0.75, 1.25}, "0%": {1, 1}, "100%": {0, 2}, "full": {0, 1}, "none": {1, 1}, "{min: 0.5, max: 1.5}": {0.5, 1.5},
	} {
		doc := parse(t, "ladders: {standard: {rungs: [30s], jitter: "+text+"}}\n")
		if j := doc.Ladders[0].Jitter; j.Min != want[0] || j.Max != want[1] || !j.Pos.Valid() {
			t.Errorf("jitter %s = %v … %v at %v, want %v", text, j.Min, j.Max, j.Pos, want)
		}
	}
}

func TestEveryWayToWriteADuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"250ms": 250 * time.Millisecond, "30s": 30 * time.Second, "1h30m": 90 * time.Minute, "30m1h": 90 * time.Minute,
		"2d": 48 * time.Hour, "007s": 7 * time.Second, "0h1s": time.Second, "106751d": 106751 * 24 * time.Hour,
	} {
		if got := parse(t, "caps: {window: "+text+"}\n").Caps.Window; got.V != want {
			t.Errorf("window %s = %v, want %v", text, got.V, want)
		}
	}
}

func TestNumbersAreReadAsTheSchemaTakesThem(t *testing.T) {
	doc := parse(t, `version: 1.0
caps: {attempts: 1e1, throttles: 20.0, snoozes: 1000000}
ladders: {standard: {exponential: {first: 1m, factor: 15e-1, cap: 1h, rungs: 1E1}}}
error_classes: [{name: gone, outcome: permanent, when: [{http: 404.0}, {sqlstate: 40001}]}]
`)
	if doc.Version.V != 1 || doc.Caps.Attempts.V != 10 || doc.Caps.Throttles.V != 20 || doc.Caps.Snoozes.V != 1000000 {
		t.Errorf("version %d, caps %+v", doc.Version.V, doc.Caps)
	}
	if e := doc.Ladders[0].Exponential; e.Factor.V != 1.5 || e.Rungs.V != 10 {
		t.Errorf("exponential = %+v", e)
	}
	if w := doc.Classes[0].When; w[0].HTTP[0].V != "404" || w[1].SQLState[0].V != "40001" {
		t.Errorf("conditions = %+v", w)
	}
}

func TestConditionsAreRead(t *testing.T) {
	doc := parse(t, `error_classes:
  - name: all
    outcome: transient
    retry_after: honor
    budget: throttles
    ladder: gentle
    when:
      - http: [404, 5xx]
      - http: 429
      - sqlstate: [40001, "08*", 40P01]
      - sqlstate: "57P01"
      - {is: io.EOF}
      - {as: "*gopkg.in/yaml.v3.TypeError"}
      - {payload: invalid}
      - {message: 'reset|refused'}
      - {timeout: true}
      - {crash: true}
      - {panic: true}
`)
	c := doc.Classes[0]
	if c.Name.V != "all" || c.Outcome.V != "transient" || c.RetryAfter.V != "honor" || c.Budget.V != "throttles" || c.Ladder.V != "gentle" {
		t.Errorf("class = %+v", c)
	}
	w := c.When
	if len(w) != 11 {
		t.Fatalf("%d conditions, want 11", len(w))
	}
	for _, tt := range []struct {
		got  []spec.Name
		want []string
	}{
		{w[0].HTTP, []string{"404", "5xx"}}, {w[1].HTTP, []string{"429"}}, {w[2].SQLState, []string{"40001", "08*", "40P01"}},
		{w[3].SQLState, []string{"57P01"}},
		{[]spec.Name{w[4].Is, w[5].As, w[6].Payload, w[7].Message}, []string{"io.EOF", "*gopkg.in/yaml.v3.TypeError", "invalid", "reset|refused"}},
	} {
		if diff := cmp.Diff(tt.want, texts(tt.got)); diff != "" {
			t.Error(diff)
		}
	}
	if !w[8].Timeout.V || !w[9].Crash.V || !w[10].Panic.V {
		t.Error("timeout, crash or panic is not read")
	}
}

func TestPayloadsAreReadInTheirOrder(t *testing.T) {
	doc := parse(t, `queues:
  docs:
    go_name: Documents
    payload:
      b: string
      a: {type: int, default: 640, go_name: Alpha}
      ratio: {type: float64, default: 1e-3}
      since: {type: time, default: 2024-01-02}
      live: {type: bool, optional: true, default: false}
      kind: {type: string, enum: [x, "1"], format: uri}
      grid: {type: list, items: {type: map, values: {type: object, fields: {z: uuid}}}}
    idempotency_key: [b, a]
    ladder: gentle
    concurrency: 8
    timeout: 15s
    lease: 1m
`)
	q := doc.Queues[0]
	if q.Name.V != "docs" || q.GoName.V != "Documents" || q.Ladder.V != "gentle" || q.Concurrency.V != 8 || q.Timeout.V != 15*time.Second || q.Lease.V != time.Minute {
		t.Errorf("queue = %+v", q)
	}
	if diff := cmp.Diff([]string{"b", "a"}, texts(q.Key)); diff != "" {
		t.Error(diff)
	}
	var names []string
	for _, f := range q.Payload {
		names = append(names, f.Name.V+" "+f.Type.Kind.V)
	}
	want := []string{"b string", "a int", "ratio float64", "since time", "live bool", "kind string", "grid list"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	defaults := []any{nil, json.Number("640"), json.Number("1e-3"), "2024-01-02", false, nil, nil}
	for i, f := range q.Payload {
		if f.Default.V != defaults[i] {
			t.Errorf("default of %s = %#v, want %#v", f.Name.V, f.Default.V, defaults[i])
		}
	}
	if diff := cmp.Diff([]string{"x", "1"}, texts(q.Payload[5].Type.Enum)); diff != "" {
		t.Error(diff)
	}
	if inner := q.Payload[6].Type.Elem.Elem.Fields; len(inner) != 1 || inner[0].Type.Kind.V != "uuid" {
		t.Errorf("the innermost fields are %+v", inner)
	}
}

func TestDownstreamIsRead(t *testing.T) {
	doc := parse(t, `queues:
  a: {payload: {}, downstream: {requests: 100, per: 1m, run: 250ms, processes: 4}}
  b: {payload: {}}
`)
	d := doc.Queues[0].Downstream
	if d.Requests.V != 100 || d.Per.V != time.Minute || d.Run.V != 250*time.Millisecond || d.Processes.V != 4 || !d.Pos.Valid() {
		t.Errorf("downstream = %+v", d)
	}
	if doc.Queues[1].Downstream.Pos.Valid() {
		t.Error("a queue without one has one")
	}
}

func TestBackendsAreRead(t *testing.T) {
	doc := parse(t, `queues:
  a: {payload: {}, backend: {sqs: {queue_url_env: A_URL}}}
  b: {payload: {}, backend: {rabbitmq: {url_env: RABBITMQ_URL, queue: shop/b}}}
  c: {payload: {}, backend: {infrai: {key_env: KEY_2, base_url_env: BASE, push_secret_env: PUSH, queue: "C"}}}
  d: {payload: {}}
`)
	var got [][]string
	for _, q := range doc.Queues {
		b := q.Backend
		got = append(got, texts([]spec.Name{b.Broker, b.Variable(), b.QueueURLEnv, b.URLEnv, b.KeyEnv, b.BaseURLEnv, b.PushEnv, b.Queue}))
	}
	if diff := cmp.Diff([][]string{
		{"sqs", "A_URL", "A_URL", "", "", "", "", ""},
		{"rabbitmq", "RABBITMQ_URL", "", "RABBITMQ_URL", "", "", "", "shop/b"},
		{"infrai", "KEY_2", "", "", "KEY_2", "BASE", "PUSH", "C"},
		{"", "", "", "", "", "", "", ""},
	}, got); diff != "" {
		t.Error(diff)
	}
	if doc.Queues[3].Backend.Broker.Set() {
		t.Error("a queue without a backend has one")
	}
}

func TestWhereThePayloadIsReadAtEachBroker(t *testing.T) {
	doc := parse(t, `queues:
  a: {payload: {}, backend: {sqs: {queue_url_env: A_URL, payload_in: message, native_dead_letter: true}}}
  b: {payload: {}, backend: {rabbitmq: {url_env: RABBITMQ_URL, payload_in: message}}}
  c: {payload: {}, backend: {infrai: {key_env: KEY_2, payload_in: row, native_dead_letter: false}}}
  d: {payload: {}}
`)
	var got []string
	for _, q := range doc.Queues {
		got = append(got, fmt.Sprintf("%s %t %t %t", q.Backend.PayloadIn.V, q.Backend.Carried(), q.Backend.NativeDead.V, q.Backend.NativeDead.Set()))
	}
	if diff := cmp.Diff([]string{"message true true true", "message true false false", "row false false true", " false false false"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestKeysAreTextWhateverTheyLookLike(t *testing.T) {
	doc := parse(t, `tenants: {id: merchant_id, tier: plan, ladders: {1: standard, yes: gentle, null: standard}}
ladders: {standard: {rungs: [30s]}, gentle: {rungs: [1m]}, 010: {rungs: [1m]}}
`)
	var tiers []string
	for _, l := range doc.Tenants.Ladders {
		tiers = append(tiers, l.Tier.V+" "+l.Ladder.V)
	}
	if diff := cmp.Diff([]string{"1 standard", "yes gentle", "null standard"}, tiers); diff != "" {
		t.Error(diff)
	}
	if got := doc.Ladders[2].Name.V; got != "010" {
		t.Errorf("ladder = %q", got)
	}
}

func TestPlacesAreThoseOfTheTokens(t *testing.T) {
	doc := parse(t, `default_ladder: "standard"   # quoted
ledger:
  dialect: sqlite
  error_detail:
    max: 1KB
    redact: [email, {name: order, pattern: 'it''s'}]
`)
	line := doc.DefaultLadder.Pos.Line
	for _, tt := range []struct {
		what  string
		pos   diag.Pos
		width int
		want  diag.Pos
		wide  int
	}{
		{"a quoted text", doc.DefaultLadder.Pos, doc.DefaultLadder.Width, diag.Pos{Line: line, Col: 17}, 10},
		{"a section", doc.Ledger.Pos, 0, diag.Pos{Line: line + 1, Col: 1}, 0},
		{"a size", doc.Ledger.ErrorDetail.Max.Pos, doc.Ledger.ErrorDetail.Max.Width, diag.Pos{Line: line + 4, Col: 10}, 3},
		{"an escaped quote", doc.Ledger.ErrorDetail.Redact[1].Pattern.Pos, doc.Ledger.ErrorDetail.Redact[1].Pattern.Width, diag.Pos{Line: line + 5, Col: 44}, 7},
	} {
		if tt.pos != tt.want || tt.width != tt.wide {
			t.Errorf("%s is at %v, %d wide; want %v, %d", tt.what, tt.pos, tt.width, tt.want, tt.wide)
		}
	}
	if doc.Ledger.ErrorDetail.Max.V != 1024 {
		t.Errorf("1KB = %d bytes", doc.Ledger.ErrorDetail.Max.V)
	}
}

func TestWhatIsRefusedIsLeftUnsetAndTheRestIsRead(t *testing.T) {
	doc, findings := spec.Parse("retry.yaml", spectest.Overlay(`caps: {attempts: 0, throttles: 7, delay: 30}
defaultLadder: standard
ladders: {standard: {rungs: [30s, oops, 2m], jitter: 200%}}
`))
	if !findings.HasErrors() {
		t.Fatal("nothing was found")
	}
	if doc.Caps.Attempts.Set() || doc.Caps.Delay.Set() || doc.Ladders[0].Jitter.Pos.Valid() {
		t.Errorf("a refused value was read: %+v %+v", doc.Caps, doc.Ladders[0].Jitter)
	}
	if doc.Caps.Throttles.V != 7 || len(doc.Ladders[0].Rungs) != 2 || len(doc.Queues) != 1 {
		t.Errorf("what is right was not read: %+v %+v", doc.Caps, doc.Ladders)
	}
}

func TestMissingSectionsAreToldFromEmptyOnes(t *testing.T) {
	doc := parse(t, "ladders: {}\nqueues: {a: {payload: {}}}\n")
	if !doc.LaddersPos.Valid() || !doc.Queues[0].PayloadPos.Valid() {
		t.Error("an empty section has no place")
	}
	doc, _ = spec.Parse("retry.yaml", spectest.Overlay("ladders:\nqueues: {a: {payload: [x]}}\n"))
	if doc.LaddersPos.Valid() || doc.Queues[0].PayloadPos.Valid() {
		t.Error("a refused section has a place")
	}
}

func TestMisspeltSectionIsReadAsTheOneThatWasMeant(t *testing.T) {
	src := strings.Replace(spectest.Base, "ladders:\n  standard: {rungs: [30s,", "laders:\n  standard: {rungs: [30,", 1)
	doc, findings := spec.Parse("retry.yaml", []byte(src))
	var codes []string
	for _, f := range findings {
		codes = append(codes, f.Code)
	}
	if diff := cmp.Diff([]string{"RC101", "RC104"}, codes); diff != "" {
		t.Error(diff)
	}
	if len(doc.Ladders) != 1 || doc.Ladders[0].Name.V != "standard" {
		t.Errorf("ladders = %+v", doc.Ladders)
	}
}
