package plan_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/retryc/retryc/generator/internal/migrate"
	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec"
	"github.com/retryc/retryc/spec/spectest"
)

// changed is what a spec changes in the tables of another, and the codes of what keeps it from that.
func changed(t *testing.T, before, after string) (kinds []string, codes []string) {
	t.Helper()
	doc, refused := spec.Parse("retry.yaml", spectest.Overlay(before))
	p, list := plan.New(doc)
	if len(refused)+len(list) > 0 {
		t.Fatal(refused, list)
	}
	record := migrate.Record{Format: p.MigrationsFormat}.Append(map[string]string{"7_retryc.sql": "x"}, p.Schema())
	doc, refused = spec.Parse("retry.yaml", spectest.Overlay(after))
	p, list = plan.Next(doc, migrate.Folder{Record: record, Next: 8})
	for _, d := range append(refused, list...) {
		codes = append(codes, d.Code)
		if !d.Pos.Valid() || d.Hint == "" {
			t.Errorf("%s has no place or no hint: %+v", d.Code, d)
		}
	}
	for _, c := range p.Migrations.Changes {
		kinds = append(kinds, strings.TrimSpace(string(c.Kind)+" "+c.Column.Name+c.Name))
	}
	if p.MigrationsNumber != 8 {
		t.Errorf("the next number is %d", p.MigrationsNumber)
	}
	return kinds, codes
}

func TestChangesOfTheTables(t *testing.T) {
	ledger := func(columns string) string {
		return "queues: {q: {payload: {id: string, shop: string, n: int, at: time, ok: bool}}}\nledger: {dialect: sqlite, " + columns + "}\n"
	}
	shop := "columns: [{name: shop, type: text, from: shop}]"
	column := func(kind, from, more string) string {
		return ledger("columns: [{name: c, type: " + kind + ", from: " + from + more + "}]")
	}
	for name, tt := range map[string]struct {
		before, after string
		kinds, codes  []string
	}{
		"nothing":                       {ledger(shop), ledger(shop), nil, nil},
		"a column more":                 {ledger("columns: []"), ledger(shop), []string{"addColumn shop"}, nil},
		"a column less":                 {ledger(shop), ledger("columns: []"), []string{"dropColumn shop"}, []string{"RC401"}},
		"a column less, with a reason":  {ledger(shop), ledger("dropped: [{name: shop, reason: old}]"), []string{"dropColumn shop"}, nil},
		"another one is allowed to go":  {ledger(shop), ledger("dropped: [{name: shops, reason: old}]"), []string{"dropColumn shop"}, []string{"RC401"}},
		"renamed":                       {ledger(shop), ledger("columns: [{name: shop_id, type: text, from: shop, renamed_from: shop}]"), []string{"renameColumn shop_id"}, nil},
		"renamed long ago":              {ledger(shop), ledger("columns: [{name: shop, type: text, from: shop, renamed_from: store}]"), nil, nil},
		"renamed from nothing":          {ledger(shop), ledger("columns: [{name: shop, type: text, from: shop}, {name: b, type: text, from: id, renamed_from: shpo}]"), nil, []string{"RC403"}},
		"renamed, and still there":      {ledger(shop), ledger("columns: [{name: shop, type: text, from: shop}, {name: b, type: text, from: id, renamed_from: shop}]"), nil, []string{"RC403"}},
		"two from one":                  {ledger(shop), ledger("columns: [{name: a, type: text, from: shop, renamed_from: shop}, {name: b, type: text, from: id, renamed_from: shop}]"), nil, []string{"RC403"}},
		"widened":                       {column("integer", "n", ""), column("text", "id", ""), []string{"changeType c", "copy c"}, nil},
		"narrowed":                      {column("text", "id", ""), column("integer", "n", ""), []string{"changeType c", "copy c"}, []string{"RC402"}},
		"retyped on PostgreSQL":         {strings.Replace(column("integer", "n", ""), "sqlite", "postgres", 1), strings.Replace(column("text", "id", ""), "sqlite", "postgres", 1), []string{"changeType c", "copy c"}, []string{"RC402"}},
		"narrowed, with a reason":       {column("text", "id", ""), column("integer", "n", ", retyped: {from: text, reason: numbers}"), []string{"changeType c", "copy c"}, nil},
		"narrowed, another was allowed": {column("text", "id", ""), column("integer", "n", ", retyped: {from: real, reason: numbers}"), []string{"changeType c", "copy c"}, []string{"RC402"}},
		"copied from another field":     {column("text", "id", ""), column("text", "shop", ""), []string{"copy c"}, nil},
		"an index more":                 {column("text", "id", ""), column("text", "id", ", index: true"), []string{"addIndex c"}, nil},
		"tenants more":                  {ledger("columns: []"), "tenants: {id: shop}\n" + ledger("columns: []"), []string{"addTenants"}, nil},
		"tenants less":                  {"tenants: {id: shop}\n" + ledger("columns: []"), ledger("columns: []"), []string{"dropTenants"}, []string{"RC401"}},
		"tenants less, with a reason":   {"tenants: {id: shop}\n" + ledger("columns: []"), ledger("dropped: [{name: tenant_id, reason: one shop}]"), []string{"dropTenants"}, nil},
		"tenants dropped and there":     {ledger("columns: []"), "tenants: {id: shop}\n" + ledger("dropped: [{name: tenant_id, reason: one shop}]"), []string{"addTenants"}, []string{"RC244"}},
		"traces more":                   {ledger("columns: []"), "observability: otel\n" + ledger("columns: []"), []string{"addTraces"}, nil},
		"seen, and no traces":           {ledger("columns: []"), "observability: prometheus\n" + ledger("columns: []"), nil, nil},
		"traces less":                   {"observability: otel\n" + ledger("columns: []"), ledger("columns: []"), []string{"dropTraces"}, []string{"RC401"}},
		"traces less, with a reason":    {"observability: otel\n" + ledger("columns: []"), ledger("dropped: [{name: traceparent, reason: too dear}]"), []string{"dropTraces"}, nil},
		"traces dropped and there":      {ledger("columns: []"), "observability: otel\n" + ledger("dropped: [{name: traceparent, reason: too dear}]"), []string{"addTraces"}, []string{"RC244"}},
		"another database":              {ledger(shop), strings.Replace(ledger("prefix: x_"), "sqlite", "postgres", 1), nil, []string{"RC404"}},
		"other tables":                  {ledger("columns: []"), ledger("prefix: x_"), []string{"renameJob x_job", "renameAttempt x_job_attempt", "renameView x_dead_letter"}, nil},
		"retention more":                {ledger(shop), ledger(shop + ", retention: {attempts: 9d}"), []string{"addPurge job_purge", "addPurgeIndex"}, nil},
		"a longer retention":            {ledger("retention: {attempts: 9d}"), ledger("retention: {attempts: 90d}"), nil, nil},
		"no retention any more":         {ledger("retention: {attempts: 9d}"), ledger("columns: []"), []string{"dropPurgeIndex", "dropPurge"}, []string{"RC401"}},
		"none, with a reason":           {ledger("prefix: x_, retention: {attempts: 9d}"), ledger("prefix: x_, dropped: [{name: job_purge, reason: nobody asks}]"), []string{"dropPurgeIndex", "dropPurge"}, nil},
		"purges dropped and kept":       {ledger(shop), ledger(shop + ", retention: {attempts: 9d}, dropped: [{name: job_purge, reason: nobody asks}]"), []string{"addPurge job_purge", "addPurgeIndex"}, []string{"RC244"}},
		"other tables, with retention":  {ledger("retention: {attempts: 9d}"), ledger("prefix: x_, retention: {attempts: 9d}"), []string{"renameJob x_job", "renameAttempt x_job_attempt", "renameView x_dead_letter", "renamePurge x_job_purge"}, nil},
		"redrive more":                  {onPostgres(ledger("columns: []")), redriven(ledger("columns: []")), []string{"addRedrive job_redrive", "addRedriveIndex"}, nil},
		"no redrive any more":           {redriven(ledger("columns: []")), onPostgres(ledger("columns: []")), []string{"dropRedriveIndex", "dropRedrive"}, []string{"RC401"}},
		"no redrive, with a reason":     {redriven(ledger("columns: []")), onPostgres(ledger("dropped: [{name: job_redrive, reason: nobody asks}]")), []string{"dropRedriveIndex", "dropRedrive"}, nil},
		"redrives dropped and kept":     {onPostgres(ledger("columns: []")), redriven(ledger("dropped: [{name: job_redrive, reason: nobody asks}]")), []string{"addRedrive job_redrive", "addRedriveIndex"}, []string{"RC244"}},
		"other tables, with redrives":   {redriven(ledger("columns: []")), redriven(ledger("prefix: x_")), []string{"renameJob x_job", "renameAttempt x_job_attempt", "renameView x_dead_letter", "renameRedrive x_job_redrive"}, nil},
		"a column whose name is wrong":  {ledger(shop), ledger("columns: [{name: Shop-Id, type: text, from: shop}]"), nil, []string{"RC108"}},
	} {
		t.Run(name, func(t *testing.T) {
			kinds, codes := changed(t, tt.before, tt.after)
			if diff := cmp.Diff(tt.codes, codes); diff != "" {
				t.Error(diff)
			}
			if len(tt.codes) > 0 && tt.codes[0] == "RC403" {
				return
			}
			if diff := cmp.Diff(tt.kinds, kinds); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Where nothing was there before, what allows a change says nothing.
func TestNewProductMayCopyWhatAllowsAChange(t *testing.T) {
	refused, list := found("ledger: {dialect: sqlite, columns: [{name: a, type: text, from: event_id, renamed_from: b, retyped: {from: integer, reason: x}}], dropped: [{name: c, reason: y}]}\n")
	if len(refused)+len(list) > 0 {
		t.Error(refused, list)
	}
}

// redriven is a spec whose dead jobs can be sent back.
func redriven(spec string) string { return "redrive: {}\n" + onPostgres(spec) }

func onPostgres(spec string) string { return strings.Replace(spec, "sqlite", "postgres", 1) }

// An empty section is one.
func TestRedriveHasItsDefaultsWhereTheSectionIsEmpty(t *testing.T) {
	for snippet, want := range map[string]*plan.Redrive{
		"":              nil,
		"redrive: {}\n": {Batch: 10, Canary: 1, MaxGenerations: 5, Every: 10 * time.Second, QueueAge: 10 * time.Minute, SameError: true, ErrorShare: 0.2, Table: "job_redrive"},
		"redrive: {stop_when: {same_error: false, error_share: 7%}, canary: 3}\n": {
			Batch: 10, Canary: 3, MaxGenerations: 5, Every: 10 * time.Second, QueueAge: 10 * time.Minute, ErrorShare: 0.07, Table: "job_redrive"},
	} {
		doc, refused := spec.Parse("retry.yaml", spectest.Overlay(snippet+"ledger: {dialect: postgres}\n"))
		p, list := plan.New(doc)
		if diff := cmp.Diff(want, p.Redrive); diff != "" || len(refused)+len(list) > 0 {
			t.Errorf("%q: %v %v %s", snippet, refused, list, diff)
		}
	}
}
