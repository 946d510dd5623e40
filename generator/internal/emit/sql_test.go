package emit

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/retryc/retryc/generator/internal/migrate"
)

func TestMigrationsOfEachTool(t *testing.T) {
	for format, want := range map[string][]string{
		"goose":          {"db/migrations/00001_retryc.sql"},
		"golang-migrate": {"db/migrations/000001_retryc.down.sql", "db/migrations/000001_retryc.up.sql"},
		"plain":          {"db/migrations/0001_retryc.sql"},
	} {
		p := planOf(t, strings.Replace(minimal("queues: {}"), "go: jobs", "go: jobs, migrations: {format: "+format+"}", 1))
		files, err := migrations(p)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range files {
			if path.Base(f.Path) == migrate.RecordName {
				continue
			}
			got = append(got, f.Path)
			if !f.Once {
				t.Errorf("%s would be rewritten", f.Path)
			}
			if goose := strings.Contains(string(f.Data), "+goose"); goose != (format == "goose") {
				t.Errorf("%s: marks of goose %t", f.Path, goose)
			}
			if strings.Contains(f.Path, ".down.") != strings.Contains(string(f.Data), "drop table") && format == "golang-migrate" {
				t.Errorf("%s:\n%s", f.Path, f.Data)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", format, got, want)
		}
	}
}

func TestGooseReadsTheTriggerAsOneStatement(t *testing.T) {
	text := emitted(t, planOf(t, minimal("queues: {}")), "db/migrations/00001_retryc.sql")
	up, down, _ := strings.Cut(text, "-- +goose Down\n")
	wantIn(t, up, "-- +goose Up", "-- +goose StatementBegin create trigger", "end; -- +goose StatementEnd")
	wantIn(t, down, "drop view dead_letter; drop table job_attempt; drop table job;")
}

func TestStatementsHaveTheProductsNamesAndColumns(t *testing.T) {
	src := emitted(t, everyPlan(t), "work/statements_gen.go")
	wantIn(t, src, "create table x_job (", "create view x_dead_letter as", "create index x_job_attempt_who on x_job_attempt (who);",
		"who integer,", "t integer,", "f real,", "b integer,", "e text,", "value->'columns'->>'who'",
		"cast(round(unixepoch(value->'columns'->>'t', 'subsec') * 1000) as integer)")
	if strings.Contains(src, "<no value>") || strings.Contains(src, "goose") {
		t.Error(src)
	}
}

func TestEveryStatementOfTheStoreIsFilledIn(t *testing.T) {
	p := everyPlan(t)
	names, err := statementNames(p.Ledger.Dialect.Name, "sqlText")
	if err != nil || len(names) < 5 {
		t.Fatal(names, err)
	}
	src, at := emitted(t, p, "work/statements_gen.go"), 0
	for _, name := range names {
		i := strings.Index(src[at:], "\n\t"+name+":")
		if i < 0 {
			t.Fatalf("%s is missing, or not in the order of sqlText", name)
		}
		at += i
	}
	if strings.Contains(src, ": ``") || strings.Contains(src, `: ""`) {
		t.Error("an empty statement")
	}
}
