package generator_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/retryc/retryc/generator"
)

// The specs in golden/migrations/specs are one policy as it changes. What is written for each, and what a new product
// would get instead, is in golden/migrations/<dialect>, whose tests run it all on a database with rows in it.
func TestMigrationsOfAPolicyThatChanges(t *testing.T) {
	folder := filepath.Join(golden, "migrations")
	specs, err := filepath.Glob(filepath.Join(folder, "specs", "*.yaml"))
	if err != nil || len(specs) < 10 {
		t.Fatal(specs, err)
	}
	for dialect, format := range map[string]string{"sqlite": "goose", "postgres": "golang-migrate", "mysql": "goose"} {
		t.Run(dialect, func(t *testing.T) {
			one, got := t.TempDir(), t.TempDir()
			for _, spec := range specs {
				text, err := os.ReadFile(spec)
				if err != nil {
					t.Fatal(err)
				}
				if first, _, _ := strings.Cut(string(text), "\n"); strings.HasPrefix(first, "# on ") && strings.TrimSpace(first) != "# on "+dialect {
					continue // what the others have not
				}
				yaml := strings.NewReplacer("go: jobs}", "go: jobs, migrations: {dir: db, format: "+format+"}}", "dialect: sqlite", "dialect: "+dialect, "\r\n", "\n").Replace(string(text))
				fresh := t.TempDir()
				for _, dir := range []string{one, fresh} {
					write(t, filepath.Join(dir, "retry.yaml"), yaml)
					r, err := generator.Generate(filepath.Join(dir, "retry.yaml"), generator.Options{})
					if err != nil || r.Diagnostics.HasErrors() || r.Blocked {
						t.Fatalf("%s: %v %+v", spec, err, r)
					}
					if r, err := generator.Check(filepath.Join(dir, "retry.yaml")); err != nil || r.Drift() {
						t.Errorf("%s: after a run: %v %+v", spec, err, r)
					}
				}
				step := strings.TrimSuffix(filepath.Base(spec), ".yaml")
				// Which files a step is made of, for the tests that run them.
				for name, data := range tree(t, filepath.Join(one, "db")) {
					seen := filepath.Join(got, "steps")
					if before, _ := filepath.Glob(filepath.Join(seen, "*", name)); len(before) == 0 && strings.HasSuffix(name, ".sql") {
						write(t, filepath.Join(seen, step, name), data)
					}
				}
				for name, data := range tree(t, filepath.Join(fresh, "db")) {
					if strings.HasSuffix(name, ".sql") && !strings.HasSuffix(name, ".down.sql") {
						write(t, filepath.Join(got, "fresh", step+".sql"), data)
					}
				}
			}
			for name, data := range tree(t, filepath.Join(one, "db")) {
				if strings.HasSuffix(name, ".json") {
					write(t, filepath.Join(got, name), data)
				}
			}
			committed := filepath.Join(folder, dialect)
			if *update {
				if err := os.RemoveAll(committed); err != nil {
					t.Fatal(err)
				}
				if err := os.CopyFS(committed, os.DirFS(got)); err != nil {
					t.Fatal(err)
				}
			}
			want, have := tree(t, committed), tree(t, got)
			for _, name := range slices.Sorted(maps.Keys(have)) {
				if have[name] != want[name] {
					t.Errorf("%s/%s differs; `go test ./generator -run Migrations -update` writes it:\n%s", dialect, name, cmp.Diff(strings.Split(want[name], "\n"), strings.Split(have[name], "\n")))
				}
			}
			if len(want) != len(have) {
				t.Errorf("%s has %d files, want %d", committed, len(want), len(have))
			}
		})
	}
}

// What a change means for programs of before depends on whether the database works on meanwhile.
func TestNotesOfAChangeOfTheTables(t *testing.T) {
	const stop = "programs that were built before cannot work on the tables as they will be: stop them before the migration, and their jobs wait"
	const last = "the last migration drops what programs that were built before need: apply it once none of them runs"
	const flag, number = "columns: [{name: c, type: boolean, from: ok}]", "columns: [{name: c, type: integer, from: n}]"
	const copied = "the column c is copied from the field n now: the rows that are there keep what they have from ok"
	const retyped = "columns: [{name: c, type: integer, from: n, retyped: {from: boolean, reason: counted}}]"
	const dropped = "dropped: [{name: c, reason: nobody asks}]"
	for name, tt := range map[string]struct {
		dialect, before, after string
		want                   []string
		last                   bool
	}{
		"a column less on PostgreSQL":                    {"postgres", flag, dropped, []string{last}, true},
		"a column less on MySQL":                         {"mysql", flag, dropped, []string{stop}, false},
		"a column and another name on PostgreSQL":        {"postgres", flag, dropped + ", prefix: x_", []string{stop}, true},
		"another type on PostgreSQL":                     {"postgres", flag, retyped, []string{copied, stop}, false},
		"another type on MySQL":                          {"mysql", flag, number, []string{copied, stop}, false},
		"a type that SQLite does not tell from another":  {"sqlite", flag, number, []string{copied}, false},
		"redrive, which no program of before looks at":   {"postgres", flag, flag + "}\nredrive: {", nil, false},
		"no redrive, which those of before have":         {"postgres", flag + "}\nredrive: {", flag + ", dropped: [{name: job_redrive, reason: nobody asks}]", []string{last}, true},
		"retention, which no program of before looks at": {"mysql", flag, flag + ", retention: {attempts: 400d}", nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			spec := func(ledger string) string {
				yaml := strings.Replace(valid, "{customer_id: string}", "{customer_id: string, ok: bool, n: int}", 1)
				return strings.Replace(yaml, "{dialect: sqlite}", "{dialect: "+tt.dialect+", "+ledger+"}", 1)
			}
			path := specAt(t, spec(tt.before))
			if r, err := generator.Generate(path, generator.Options{}); err != nil || r.Diagnostics.HasErrors() || r.DropsLast {
				t.Fatal(r, err)
			}
			write(t, path, spec(tt.after))
			r, err := generator.Generate(path, generator.Options{})
			if err != nil || r.Diagnostics.HasErrors() {
				t.Fatal(r, err)
			}
			if diff := cmp.Diff(tt.want, r.Notes); diff != "" || r.DropsLast != tt.last {
				t.Error(r.DropsLast, diff)
			}
		})
	}
}

// A run that was cut off between a migration and the record of it is completed by the next.
func TestMigrationThatTheRecordLacksYet(t *testing.T) {
	path := specAt(t, valid)
	dir := filepath.Dir(path)
	generate := func() *generator.Result {
		t.Helper()
		r, err := generator.Generate(path, generator.Options{})
		if err != nil || r.Diagnostics.HasErrors() {
			t.Fatal(r, err)
		}
		return r
	}
	generate()
	before := tree(t, dir)
	changed := strings.Replace(valid, "{dialect: sqlite}", "{dialect: sqlite, columns: [{name: customer, type: text, from: customer_id}]}", 1)
	write(t, path, changed)
	if r := generate(); r.Blocked || !slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, "the column customer is new") }) {
		t.Errorf("%+v", r)
	}
	after := tree(t, dir)
	const migration, record = "db/migrations/00002_retryc_add_customer.sql", "db/migrations/.retryc-schema.json"
	if after[migration] == "" {
		t.Fatal(slices.Collect(maps.Keys(after)))
	}
	for _, name := range []string{record, generator.ManifestName} {
		write(t, filepath.Join(dir, name), before[name])
	}
	if r := generate(); r.Blocked {
		t.Errorf("%+v", r.Files)
	}
	if diff := cmp.Diff(after, tree(t, dir)); diff != "" {
		t.Error(diff)
	}
	// Where the spec asks for something else by then, nobody knows whether a database has run it.
	write(t, filepath.Join(dir, record), before[record])
	write(t, path, strings.Replace(changed, "name: customer,", "name: client,", 1))
	r := generate()
	if !r.Blocked || len(r.Files) != 1 || r.Files[0].State != generator.Forked || r.Files[0].Path != migration {
		t.Errorf("%+v", r.Files)
	}
	if _, err := generator.Renumber(path, filepath.Join(dir, filepath.FromSlash(migration))); err != nil {
		t.Error(err)
	}
	if got := tree(t, dir); got[migration] != "" || got["db/migrations/00002_retryc_add_client.sql"] == "" {
		t.Error(slices.Sorted(maps.Keys(got)))
	}
}
