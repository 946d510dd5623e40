package plan_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec"
	"github.com/retryc/retryc/spec/diag"
	"github.com/retryc/retryc/spec/spectest"
)

// full uses every part of the format.
const full = `version: 1
generate: {package: jobs, go: ./internal//jobs}
caps: {attempts: 6}
error_classes:
  - name: throttled
    outcome: transient
    when: [{http: [429, 5xx]}]
    retry_after: honor
    budget: throttles
    ladder: gentle
  - name: gone
    outcome: permanent
    when: [{is: ErrSourceDeleted}, {as: "*encoding/json.SyntaxError"}, {is: gopkg.in/acme/mail.v3.ErrBounced}, {payload: invalid}]
  - name: missing
    outcome: permanent
    when: [{is: ErrSourceDeleted}, {sqlstate: ["23*"]}, {message: 'no such'}, {timeout: true}, {crash: true}, {panic: true}]
ladders:
  standard: {rungs: [30s, 2m]}
  gentle: {exponential: {first: 1m, factor: 2, cap: 3m, rungs: 3}, jitter: full}
default_ladder: standard
tenants: {id: merchant_id, tier: plan, ladders: {paid-plus: gentle}}
queues:
  merchant-doc-thumbnails:
    payload:
      event_id: string
      merchant_id: uuid
      plan: {type: string, enum: [free, paid-plus]}
      pages: {type: list, items: {type: object, fields: {no: int, kind: {type: string, enum: [a4]}}}}
      meta: {type: map, values: {type: list, items: float64}}
      width: {type: int, default: 640}
    idempotency_key: [event_id, merchant_id]
    timeout: 15s
  digest:
    go_name: WeeklyMail
    payload: {week: {type: string, go_name: ISOWeek}}
    ladder: gentle
ledger:
  dialect: sqlite
  prefix: acme_
  columns: [{name: merchant, type: text, from: merchant_id, index: true}]
  error_detail: {redact: [email, {name: order, pattern: 'O-[0-9]+'}]}
`

func TestPlanResolvesTheSpec(t *testing.T) {
	p := mustPlan(t, full)
	first, second := p.Queues[0], p.Queues[1]
	throttled, gone := p.Classes[0], p.Classes[1]
	pages := first.Payload.Fields[3].Type
	for what, pair := range map[string][2]any{
		"folder":             {p.GoDir, "internal/jobs"},
		"migrations":         {p.MigrationsDir + " " + p.MigrationsFormat, "db/migrations goose"},
		"a cap of the file":  {p.Caps.Attempts.V, 6},
		"a cap by default":   {p.Caps.Window.V, 48 * time.Hour},
		"its missing place":  {p.Caps.Window.Set(), false},
		"unmatched":          {p.Unmatched, "transient"},
		"poll and grace":     {[]time.Duration{p.Poll, p.Grace}, []time.Duration{time.Second, 25 * time.Second}},
		"jitter by default":  {[]float64{p.Ladders[0].Min, p.Ladders[0].Max}, []float64{0.75, 1.25}},
		"jitter of the file": {[]float64{p.Ladders[1].Min, p.Ladders[1].Max}, []float64{0, 1}},
		"ladder's name":      {p.Ladders[0].GoName, "standardLadder"},
		"last rung":          {p.Ladders[1].Rungs[2].V, 3 * time.Minute},
		"ladder's comment":   {p.Ladders[1].Comment, "exponential: first 1m, factor 2, cap 3m"},
		"class ladder":       {throttled.Ladder == p.Ladders[1] && throttled.RetryAfter, true},
		"class budget":       {throttled.Budget + " " + gone.Budget, "throttles failures"},
		"status family":      {throttled.When[0].HTTP[1].Family && throttled.When[0].HTTP[1].Code == 5, true},
		"sentinels":          {[]any{len(p.Sentinels), p.Sentinels[0].GoName, p.Sentinels[0].Class == gone}, []any{1, "ErrSourceDeleted", true}},
		"pointer type":       {[]any{gone.When[1].As.Pointer, gone.When[1].As.Path, gone.When[1].As.Name}, []any{true, "encoding/json", "SyntaxError"}},
		"dotted path":        {gone.When[2].Is.Path + " " + gone.When[2].Is.Name, "gopkg.in/acme/mail.v3 ErrBounced"},
		"import names":       {gone.When[1].As.Import + " " + gone.When[2].Is.Import, "json acmemail"},
		"event":              {gone.When[3].Event, plan.Invalid},
		"queue's ladders":    {first.Ladder == p.Ladders[0] && second.Ladder == p.Ladders[1], true},
		"queue's names":      {[]string{first.GoName, first.Var, second.GoName, second.Var}, []string{"MerchantDocThumbnails", "merchantDocThumbnailsQueue", "WeeklyMail", "weeklyMailQueue"}},
		"queue by default":   {[]any{first.Concurrency, first.Timeout.V, first.Lease.V}, []any{4, 15 * time.Second, time.Minute}},
		"key":                {[]string{first.Key[0].GoName, first.Key[1].GoName}, []string{"EventID", "MerchantID"}},
		"tenant":             {first.TenantID.GoName + first.Tier.GoName, "MerchantIDPlan"},
		"no tenant":          {second.TenantID == nil && second.Tier == nil && second.Columns[0] == nil, true},
		"enum":               {first.Payload.Fields[2].Type.GoName + " " + first.Payload.Fields[2].Type.Values[1].GoName, "MerchantDocThumbnailsPlan MerchantDocThumbnailsPlanPaidPlus"},
		"nested object":      {pages.Elem.Struct.GoName, "MerchantDocThumbnailsPagesItem"},
		"nested enum":        {pages.Elem.Struct.Fields[1].Type.GoName, "MerchantDocThumbnailsPagesItemKind"},
		"map of lists":       {first.Payload.Fields[4].Type.Elem.Elem.Kind, plan.Float64},
		"default":            {first.Payload.Fields[5].Default, int64(640)},
		"field's go_name":    {second.Payload.Fields[0].GoName, "ISOWeek"},
		"tables":             {p.Ledger.JobTable + " " + p.Ledger.AttemptTable + " " + p.Ledger.DeadLetterView, "acme_job acme_job_attempt acme_dead_letter"},
		"column":             {first.Columns[0] == first.Payload.Fields[1], true},
		"detail":             {p.Ledger.DetailMax, 2048},
		"redaction":          {p.Ledger.Redact[1], plan.Redaction{Name: "order", Pattern: "O-[0-9]+"}},
	} {
		if diff := cmp.Diff(pair[1], pair[0]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
}

// A name that is wrong once is reported once, and says which one was meant.
func TestFindingsSayWhatWasMeant(t *testing.T) {
	for snippet, want := range map[string]string{
		"default_ladder: standrad":  "RC201 did you mean standard?",
		"tenants: {id: merchantid}": "RC207 did you mean merchant_id?",
		"queues: {a: {payload: {event_id: string}, idempotency_key: [id]}}":                        "RC203 name a field of the payload",
		"queues: {a: {payload: {f: {type: string, enum: [jpeg, png], default: jpg}}}}":             "RC212 did you mean jpeg?",
		"queues: {a: {payload: {n: {type: int, default: 3000000000}}}}":                            "RC212 write a whole number without quotes; larger ones need the type int64",
		"queues: {a: {payload: {n: {type: int64, default: 1e3}}}}":                                 "RC212 write a whole number without quotes, point and exponent",
		"queues: {a: {payload: {t: {type: time, default: '2026-01-31'}}}}":                         "RC212 write it as RFC 3339 has it: \"2026-01-31T09:00:00Z\"",
		"queues: {a: {payload: {u: {type: uuid, default: 6BA7B810-9DAD-11D1-80B4-00C04FD430C8}}}}": "RC212 write it in small letters with hyphens: \"6ba7b810-9dad-11d1-80b4-00c04fd430c8\"",
		"queues: {a: {payload: {u: {type: string, format: uri, default: example}}}}":               "RC212 write it with its scheme: \"https://example.com/a\"",
		"queues: {a: {payload: {b: {type: bool, default: 'true'}}}}":                               "RC212 write true or false, without quotes",
		"queues: {a: {payload: {s: {type: string, default: 5}}}}":                                  "RC212 put it in quotes",
	} {
		doc, refused := spec.Parse("retry.yaml", spectest.Overlay(snippet+"\n"))
		_, list := plan.New(doc)
		if len(refused) > 0 || len(list) != 1 || list[0].Code+" "+list[0].Hint != want {
			t.Errorf("%s:\n got %v %v\nwant %s", snippet, refused, list, want)
		}
	}
}

func TestGoodDefaultsOfEveryKind(t *testing.T) {
	p := mustPlan(t, string(spectest.Overlay(`queues:
  a:
    payload:
      s: {type: string, default: ''}
      u: {type: string, format: uri, default: 'mailto:a@example.com'}
      e: {type: string, enum: [x], default: x}
      i: {type: int, default: -5}
      l: {type: int64, default: 3000000000}
      f: {type: float64, default: 1e3}
      b: {type: bool, default: false}
      t: {type: time, default: '2026-01-31T09:00:00+01:00'}
      id: {type: uuid, default: 6ba7b810-9dad-11d1-80b4-00c04fd430c8}
`)))
	var got []any
	for _, f := range p.Queues[0].Payload.Fields {
		got = append(got, f.Default)
	}
	want := []any{"", "mailto:a@example.com", "x", int64(-5), int64(3000000000), 1000.0, false, "2026-01-31T09:00:00+01:00", "6ba7b810-9dad-11d1-80b4-00c04fd430c8"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
}

// Whatever the schema has refused, the stages behind it go on, and say nothing about the hole that it left.
func TestHolesAreTolerated(t *testing.T) {
	plan.New(&spec.Document{})
	lines := strings.SplitAfter(full, "\n")
	for i := range lines {
		src := strings.Join(lines[:i], "") + strings.Join(lines[i+1:], "")
		doc, _ := spec.Parse("retry.yaml", []byte(src))
		plan.New(doc)
	}
	for _, snippet := range []string{
		"default_ladder: 5", "ladders: {standard: {rungs: [5]}}", "queues: {a: {payload: {f: {type: list}}}}", "queues: {a: {payload: {f: {type: strin}}}}",
		"queues: {a: 5}", "error_classes: [{name: 5, outcome: x, when: [{http: 42}, {is: 5}]}]", "tenants: {id: 5, ladders: {free: 5}}",
		"ledger: {dialect: oracle}", "ledger: {dialect: sqlite, columns: [{name: 5, type: blob, from: 6}]}", "caps: {attempts: many}",
	} {
		doc, refused := spec.Parse("retry.yaml", spectest.Overlay(snippet+"\n"))
		if _, list := plan.New(doc); len(refused) == 0 || len(list) > 0 {
			t.Errorf("%s: the schema finds %d, plan adds %v", snippet, len(refused), list)
		}
	}
}

func mustPlan(t *testing.T, src string) *plan.Plan {
	t.Helper()
	doc, list := spec.Parse("retry.yaml", []byte(src))
	p, more := plan.New(doc)
	for _, d := range append(list, more...) {
		t.Errorf("%d:%d %s %s", d.Pos.Line, d.Pos.Col, d.Code, d.Message)
	}
	if diag.List(append(list, more...)).HasErrors() {
		t.FailNow()
	}
	return p
}
