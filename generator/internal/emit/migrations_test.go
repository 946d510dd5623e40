package emit

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retryc/retryc/generator/internal/dialect"
	"github.com/retryc/retryc/generator/internal/migrate"
	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec"
)

// specFor is a spec with a ledger of the test's own, for a migration tool.
func specFor(format, ledger string) string {
	return `version: 1
generate: {package: jobs, go: jobs, migrations: {dir: db, format: ` + format + `}}
ladders: {a: {rungs: [1s], jitter: none}}
default_ladder: a
queues: {q: {payload: {id: string, shop: string, ok: bool, n: int}}}
ledger: {dialect: sqlite, ` + ledger + `}
`
}

// changed is what comes out for a spec whose tables are those of another one: migrations by name, and the record.
func changed(t *testing.T, before, after string) (map[string]string, migrate.Record) {
	t.Helper()
	record := recordIn(t, planOf(t, before))
	doc, findings := spec.Parse("retry.yaml", []byte(after))
	p, more := plan.Next(doc, migrate.Folder{Record: record, Next: 8})
	for _, d := range append(findings, more...) {
		t.Fatal(d)
	}
	files, err := migrations(p)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, f := range files {
		if f.Once && f.Sum == "" {
			texts[strings.TrimPrefix(f.Path, "db/")] = string(f.Data)
		}
		if path.Base(f.Path) == migrate.RecordName {
			if diff := cmp.Diff(string(record.Encode()), string(f.From)); diff != "" {
				t.Error("the record does not continue the one before:", diff)
			}
		}
	}
	return texts, recordIn(t, p)
}

func recordIn(t *testing.T, p *plan.Plan) migrate.Record {
	t.Helper()
	files, err := migrations(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if path.Base(f.Path) != migrate.RecordName {
			continue
		}
		record, err := migrate.Decode(f.Data)
		if err != nil {
			t.Fatal(err)
		}
		return record
	}
	t.Fatal("there is no record")
	return migrate.Record{}
}

func namesOf(texts map[string]string) map[string]bool {
	all := map[string]bool{}
	for name := range texts {
		all[name] = true
	}
	return all
}

func TestNextMigrationOfEachTool(t *testing.T) {
	const shop = "columns: [{name: shop, type: text, from: shop, index: true}]"
	for format, want := range map[string]map[string]bool{
		"goose":          {"00008_retryc_add_shop.sql": true},
		"golang-migrate": {"000008_retryc_add_shop.up.sql": true, "000008_retryc_add_shop.down.sql": true},
		"plain":          {"0008_retryc_add_shop.sql": true, "down/0008_retryc_add_shop.sql": true},
	} {
		texts, record := changed(t, specFor(format, "columns: []"), specFor(format, shop))
		if diff := cmp.Diff(want, namesOf(texts)); diff != "" {
			t.Error(format, diff)
		}
		last := record.Migrations[len(record.Migrations)-1]
		for name, text := range texts {
			if last.Files[name] != migrate.Sum([]byte(text)) {
				t.Errorf("%s: the record has another sum of %s", format, name)
			}
			if up, down := strings.Contains(text, "alter table job add column shop text;"), strings.Contains(text, "alter table job drop column shop;"); format == "goose" && !(up && down) || up == strings.Contains(name, "down") && format != "goose" || !up && !down {
				t.Errorf("%s:\n%s", name, text)
			}
		}
		if len(last.Files) != len(texts) || len(record.Migrations) != 2 || !last.Schema.Columns[0].Index {
			t.Errorf("%s: %+v", format, record)
		}
	}
}

// What no statement has to do with is in the record alone.
func TestChangeWithoutAStatement(t *testing.T) {
	column := func(kind, from string) string {
		return specFor("goose", "columns: [{name: c, type: "+kind+", from: "+from+"}]")
	}
	for name, after := range map[string]string{"another field": column("boolean", "ok"), "a type that SQLite does not tell apart": column("integer", "n")} {
		before := column("boolean", "ok")
		if name == "another field" {
			before = strings.Replace(column("boolean", "ok2"), "ok: bool", "ok: bool, ok2: bool", 1)
		}
		texts, record := changed(t, before, after)
		if len(texts) > 0 || len(record.Migrations) != 2 || len(record.Migrations[1].Files) > 0 {
			t.Errorf("%s: %v %+v", name, texts, record)
		}
	}
}

func TestReasonStandsInTheMigration(t *testing.T) {
	texts, _ := changed(t, specFor("golang-migrate", "columns: [{name: shop, type: text, from: shop}, {name: c, type: text, from: id}]"),
		specFor("golang-migrate", "columns: [{name: c, type: integer, from: n, retyped: {from: text, reason: 'it  has a number'}}], dropped: [{name: shop, reason: nobody asks}]"))
	up, down := texts["000008_retryc_drop_shop_and_2_more.up.sql"], texts["000008_retryc_drop_shop_and_2_more.down.sql"]
	wantIn(t, up, "-- Why: nobody asks alter table job drop column shop;", "-- Why: it has a number alter table job rename column c to c_was;")
	if strings.Contains(down, "Why") || down == "" {
		t.Error(down)
	}
}

func TestColumnIsPutAsideUnderANameOfItsOwn(t *testing.T) {
	other := ", {name: c_was, type: text, from: shop}]"
	texts, _ := changed(t, specFor("goose", "columns: [{name: c, type: integer, from: n}"+other), specFor("goose", "columns: [{name: c, type: text, from: id}"+other))
	for _, text := range texts {
		wantIn(t, text, "alter table job rename column c to c_was_;", "alter table job drop column c_was_;")
	}
}

// Whoever changes the tables of every spec changes those of products too, which have run their migrations.
func TestTablesOfEverySpecAreThoseOfTheirShape(t *testing.T) {
	sums := map[string]string{
		"sqlite":            "a9ba18bdf0cc9d0b17dace40f3e59b83181613731fadf352148f7e15a05a797f",
		"sqlite with all":   "c662eb87b2b00a1be917331633eb6edaa78e9d1bff7da9b77e1a49a827e12266",
		"postgres":          "5707df5a821a5c7218c504b59c02096361ad9360e57f6fd7f70ae9c73febbb56",
		"postgres with all": "ece24bdf1c4bc826667e1acda9de335a4012d1031f28f8b4ff92fa127a11cd0f",
		"mysql":             "68ceb606e34bd88b3d40870228e619c1f128dbb4198719c3dbc2bb583f634a14",
		"mysql with all":    "cf99fc584d6d5ceccf3a9335deefbedfffd8f9dc6319b4f2202e92c4f3ea6b15",
	}
	const tenants = "tenants: {id: shop, tier: tier, ladders: {gold: a}}\n"
	for _, d := range dialect.All {
		bare := strings.Replace(minimal("queues: {q: {payload: {shop: string, tier: string}}}\n"), "dialect: sqlite", "dialect: "+d.Name, 1)
		all := strings.Replace(bare, d.Name, d.Name+", retention: {attempts: 400d}, columns: [{name: shop, type: text, from: shop, index: true}]", 1) + tenants
		for name, yaml := range map[string]string{d.Name: bare, d.Name + " with all": all} {
			p := planOf(t, yaml)
			up, err := fill(p, "migration", sqlDataOf(p))
			if err != nil {
				t.Fatal(err)
			}
			if got := migrate.Sum([]byte(up)); got != sums[name] {
				t.Errorf("the tables for %s are not those of shape %d any more: %s\nraise migrate.Shape and write the change in changes.sql, unless no version with these tables was released",
					name, migrate.Shape, got)
			}
		}
	}
}

// A server may have refused the trigger of the tables as they were.
func TestMissingTriggerStopsNoMigrationOnMySQL(t *testing.T) {
	mysql := func(ledger string) string {
		return strings.Replace(specFor("goose", ledger), "dialect: sqlite", "dialect: mysql", 1)
	}
	texts, _ := changed(t, mysql("columns: []"), mysql("columns: [], prefix: x_"))
	wantIn(t, texts["00008_retryc_rename_to_x_job_and_2_more.sql"], "drop trigger if exists job_attempt_append_only;", "create trigger x_job_attempt_append_only")
}

func TestRecordIsReadable(t *testing.T) {
	text := emitted(t, planOf(t, specFor("plain", "columns: [{name: shop, type: text, from: shop}]")), "db/.retryc-schema.json")
	var any map[string]any
	if err := json.Unmarshal([]byte(text), &any); err != nil {
		t.Fatal(err)
	}
	wantIn(t, text, `"0001_retryc.sql": "`, `"name": "shop", "type": "text", "from": "shop", "index": false`)
}

// On a database that works on meanwhile, an index is a file of its own and outside a transaction, and what only an old
// program needs goes last. The view is made anew once.
func TestMigrationsOfADatabaseThatWorksOn(t *testing.T) {
	postgres := func(ledger string) string {
		return strings.Replace(specFor("goose", ledger), "dialect: sqlite", "dialect: postgres", 1)
	}
	texts, record := changed(t, postgres("columns: [{name: shop, type: text, from: shop, index: true}]"),
		postgres("columns: [{name: n, type: integer, from: n, index: true}], dropped: [{name: shop, reason: nobody asks}]"))
	want := []string{"00008_retryc_add_n.sql", "00009_retryc_unindex_job_shop.sql", "00010_retryc_unindex_job_attempt_shop.sql",
		"00011_retryc_index_job_n.sql", "00012_retryc_index_job_attempt_n.sql", "00013_retryc_drop_shop.sql"}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(texts))); diff != "" {
		t.Fatal(diff)
	}
	for i, name := range want {
		alone := i > 0 && i < 5
		if strings.Contains(texts[name], "-- +goose NO TRANSACTION\n-- +goose Up\n") != alone || strings.Contains(texts[name], "concurrently") != alone || strings.Contains(texts[name], "set local lock_timeout") == alone {
			t.Errorf("%s:\n%s", name, texts[name])
		}
		if view := strings.Count(texts[name], "create view"); view != 0 && i > 0 || view != 2 && i == 0 {
			t.Errorf("%s makes the view %d times", name, view)
		}
	}
	wantIn(t, texts[want[5]], "-- Only programs that were built before need what goes here: apply it once none of them runs.", "-- Why: nobody asks alter table job drop column shop;")
	if len(record.Migrations) != 7 || !cmp.Equal(record.Migrations[6].Schema.Columns, []migrate.Column{{Name: "n", Type: "integer", From: "n", Index: true}}) {
		t.Errorf("%+v", record)
	}
}

// The table and the index of retention change nothing in the view, which is made anew where another change needs that.
func TestRetentionBesideAColumnThatGoes(t *testing.T) {
	postgres := func(ledger string) string {
		return strings.Replace(specFor("goose", ledger), "dialect: sqlite", "dialect: postgres", 1)
	}
	texts, record := changed(t, postgres("columns: [{name: shop, type: text, from: shop}]"),
		postgres("retention: {attempts: 400d}, dropped: [{name: shop, reason: nobody asks}]"))
	want := []string{"00008_retryc_add_job_purge.sql", "00009_retryc_index_job_attempt_attempted_at.sql", "00010_retryc_drop_shop.sql"}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(texts))); diff != "" {
		t.Fatal(diff)
	}
	for i, name := range want {
		view := i == 2
		if text := texts[name]; strings.Contains(text, "create view") != view || strings.Contains(text, "lock table") != view {
			t.Errorf("%s:\n%s", name, text)
		}
	}
	if last := record.Migrations[len(record.Migrations)-1].Schema; last.Purge != "job_purge" || len(last.Columns) > 0 {
		t.Errorf("%+v", last)
	}
	texts, _ = changed(t, specFor("goose", "retention: {attempts: 400d}"), specFor("goose", "dropped: [{name: job_purge, reason: the archive has it}]"))
	wantIn(t, texts["00008_retryc_drop_job_purge.sql"], "drop index job_attempt_attempted_at; -- Why: the archive has it drop table job_purge;")
}

// Redrives have two tables, and an index that is made outside a transaction. The view stays as it is.
func TestRedrivesThatComeAndGo(t *testing.T) {
	spec := func(ledger, redrive string) string {
		return strings.Replace(specFor("goose", ledger), "dialect: sqlite", "dialect: postgres", 1) + redrive
	}
	none, some := spec("prefix: x_", ""), spec("prefix: x_", "\nredrive: {}\n")
	texts, record := changed(t, none, some)
	if diff := cmp.Diff([]string{"00008_retryc_add_x_job_redrive.sql", "00009_retryc_index_x_job_dead_at.sql"}, slices.Sorted(maps.Keys(texts))); diff != "" {
		t.Fatal(diff)
	}
	wantIn(t, texts["00008_retryc_add_x_job_redrive.sql"], "create table x_job_redrive (", "create table x_job_redrive_item (", "drop table x_job_redrive_item; drop table x_job_redrive;")
	wantIn(t, texts["00009_retryc_index_x_job_dead_at.sql"], "create index concurrently x_job_dead_at on x_job (dead_at, job_id) where state = 'dead';")
	if last := record.Migrations[len(record.Migrations)-1].Schema; last.Redrive != "x_job_redrive" {
		t.Errorf("%+v", last)
	}
	texts, _ = changed(t, some, spec("prefix: x_, dropped: [{name: job_redrive, reason: the archive has it}]", ""))
	if diff := cmp.Diff([]string{"00008_retryc_unindex_x_job_dead_at.sql", "00009_retryc_drop_x_job_redrive.sql"}, slices.Sorted(maps.Keys(texts))); diff != "" {
		t.Fatal(diff)
	}
	wantIn(t, texts["00009_retryc_drop_x_job_redrive.sql"], "-- Why: the archive has it drop table x_job_redrive_item; drop table x_job_redrive;")
}

func TestWithoutRedriveNothingSpeaksOfIt(t *testing.T) {
	for _, redrive := range []string{"", "\nredrive: {}"} {
		files, err := Files(planOf(t, onPostgres("queues: {q: {payload: {a: int}}}"+redrive)))
		if err != nil {
			t.Fatal(err)
		}
		var of []string
		for _, f := range files {
			if strings.Contains(strings.ToLower(string(f.Data)), "redrive") {
				of = append(of, path.Base(f.Path))
			}
		}
		if (len(of) > 0) != (redrive != "") {
			t.Errorf("%q: redrive is in %v", redrive, of)
		}
	}
}

func TestWithoutRetentionNothingSpeaksOfPurging(t *testing.T) {
	for _, d := range dialect.All {
		spec := strings.Replace(minimal("queues: {q: {payload: {a: int}}}"), "{dialect: sqlite}", "{dialect: "+d.Name+"}", 1)
		for _, retention := range []string{"", ", retention: {attempts: 400d}"} {
			files, err := Files(planOf(t, strings.Replace(spec, d.Name+"}", d.Name+retention+"}", 1)))
			if err != nil {
				t.Fatal(err)
			}
			var of []string
			for _, f := range files {
				if strings.Contains(strings.ToLower(string(f.Data)), "purge") {
					of = append(of, path.Base(f.Path))
				}
			}
			if (len(of) > 0) != (retention != "") {
				t.Errorf("%s%s: purging is in %v", d.Name, retention, of)
			}
		}
	}
}
