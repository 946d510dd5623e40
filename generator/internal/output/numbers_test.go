package output

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestNumberOfANewMigration(t *testing.T) {
	one := []File{{Path: "db/00002_retryc.sql", Data: []byte("a;\n"), Once: true}}
	pair := []File{
		{Path: "db/000002_retryc.up.sql", Data: []byte("a;\n"), Once: true},
		{Path: "db/000002_retryc.down.sql", Data: []byte("b;\n"), Once: true},
	}
	for _, tt := range []struct {
		name  string
		files []File
		disk  []string
		want  string // in the advice; empty: it is written
	}{
		{"an empty folder", one, nil, ""},
		{"others", one, []string{"00001_a.sql", "00003_b.sql"}, ""},
		{"the same", one, []string{"00002_users.sql"}, "db/00002_users.sql has the number 2 already: write generate.migrations.number: 3"},
		{"the same, with fewer digits", one, []string{"2_users.sql", "00017_a.sql"}, "db/2_users.sql has the number 2 already: write generate.migrations.number: 18"},
		{"the same, in Go", one, []string{"00002_users.go"}, "db/00002_users.go has the number 2"},
		{"files that are no migrations", one, []string{"00002.txt", "2", "README.sql", "2.sql.orig"}, ""},
		{"a number beyond all", one, []string{"99999999999999999999999_x.sql"}, ""},
		{"our pair", pair, nil, ""},
		{"a pair of the team's", pair, []string{"000002_users.down.sql", "000002_users.up.sql"}, "write generate.migrations.number: 3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			for _, name := range tt.disk {
				put(t, root, "db/"+name, "")
			}
			files := append([]File{{Path: "jobs/a_gen.go", Data: []byte("package jobs\n")}}, tt.files...)
			r := mustSync(t, root, files)
			if r.Blocked() != (tt.want != "") {
				t.Fatalf("%v", states(r))
			}
			for _, e := range r.Entries {
				if e.Once && tt.want != "" && (e.State != Taken || !strings.Contains(e.Advice, tt.want)) {
					t.Errorf("%s is %s: %s", e.Path, e.State, e.Advice)
				}
			}
			if _, wrote := readTree(t, root)["jobs/a_gen.go"]; wrote == r.Blocked() {
				t.Errorf("blocked: %v, wrote: %v", r.Blocked(), wrote)
			}
		})
	}
}

// A migration that is there keeps its number, whatever comes after it.
func TestNumberOfAMigrationThatIsThereIsNotLookedAt(t *testing.T) {
	root := t.TempDir()
	mustSync(t, root, before)
	put(t, root, "db/1_late.sql", "")
	if r := mustSync(t, root, after); r.Blocked() {
		t.Error(states(r))
	}
}

func TestMigrationsIn(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  Migrations
	}{
		{"no folder", nil, Migrations{"plain", 1}},
		{"plain", map[string]string{"0001_a.sql": "a;", "0012_b.sql": "b;"}, Migrations{"plain", 13}},
		{"goose", map[string]string{"00001_a.sql": "\n--  +goose Up\na;", "00002_b.go": "package b"}, Migrations{"goose", 3}},
		{"golang-migrate", map[string]string{"1_a.up.sql": "a;", "1_a.down.sql": "b;"}, Migrations{"golang-migrate", 2}},
		{"goose by its text, not by its name", map[string]string{"1_a.sql": "-- +goose Up", "2_a.up.sql": ""}, Migrations{"goose", 3}},
		{"not numbered", map[string]string{"users.sql": "a; -- no +goose"}, Migrations{"plain", 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			for name, text := range tt.files {
				put(t, root, "db/"+name, text)
			}
			if got, err := MigrationsIn(filepath.Join(root, "db")); err != nil || got != tt.want {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
	root := t.TempDir()
	put(t, root, "db", "a file")
	if got, err := MigrationsIn(filepath.Join(root, "db")); err == nil {
		t.Error(got)
	}
}
