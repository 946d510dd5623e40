package output

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/retryc/retryc/generator/internal/migrate"
)

const firstSQL = "-- the jobs\ncreate table job (id text);\n"

// written is a migration that the record has already, and the record.
func written(record, from string) []File {
	return []File{
		{Path: "db/0001.sql", Once: true, Sum: migrate.Sum([]byte(firstSQL))},
		{Path: "db/record.json", Data: []byte(record), From: []byte(from)},
	}
}

func TestMigrationThatTheRecordHas(t *testing.T) {
	for _, tt := range []struct {
		name, disk string // "-": deleted
		want       State
		code       string
	}{
		{"as it was", firstSQL, Unchanged, ""},
		{"with another comment", "create table job\r\n(id text); -- ran on 1 May\r\n", Unchanged, ""},
		{"edited", "create table job (id int);\n", Edited, "RC411"},
		{"a string edited", firstSQL + "insert into job values ('--');", Edited, "RC411"},
		{"deleted", "-", Lost, "RC412"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			mustSync(t, root, append(migration(firstSQL), File{Path: "db/record.json", Data: []byte("1\n")}))
			if tt.disk == "-" {
				remove(t, root, "db/0001.sql")
			} else {
				put(t, root, "db/0001.sql", tt.disk)
			}
			before := readTree(t, root)
			r := mustSync(t, root, written("2\n", "1\n"))
			if len(r.Entries) != 2 || r.Entries[0].State != tt.want || r.Entries[0].Code != tt.code || (r.Entries[0].Advice != "") != (tt.code != "") {
				t.Errorf("%+v, want %s", r.Entries, tt.want)
			}
			after := readTree(t, root)
			if tt.want == Unchanged {
				if after["db/record.json"] != "2\n" || after["db/0001.sql"] != before["db/0001.sql"] {
					t.Errorf("on disk is %v", after)
				}
			} else if diff := cmp.Diff(before, after); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The record is the input of the run that continues it, so that no list of files has to vouch for it.
func TestRecordIsContinuedWithoutAManifest(t *testing.T) {
	root := t.TempDir()
	put(t, root, "db/0001.sql", firstSQL)
	put(t, root, "db/record.json", "1\r\n")
	r := mustSync(t, root, written("2\n", "1\n"))
	if diff := cmp.Diff(map[string]State{"db/0001.sql": Unrecorded, "db/record.json": Changed}, states(r)); diff != "" {
		t.Error(diff)
	}
	if got := readTree(t, root); got["db/0001.sql"] != firstSQL || got["db/record.json"] != "2\n" {
		t.Error(got)
	}
	put(t, root, "db/record.json", "mine\n")
	if r := mustSync(t, root, written("3\n", "2\n")); !r.Blocked() {
		t.Error("another text was overwritten:", states(r))
	}
}

// A migration is on disk before the record says so: the next run takes over one that the record lacks, but misses one that
// the record has.
func TestRunThatIsCutOffHasNoRecordOfWhatIsNotThere(t *testing.T) {
	files := append(migration(firstSQL), File{Path: "db/.record.json", Data: []byte("1\n")})
	for n := 1; ; n++ {
		root := t.TempDir()
		finished, err := syncUntil(root, files, n)
		if err != nil {
			t.Fatal(err)
		}
		got := readTree(t, root)
		if got["db/.record.json"] != "" && got["db/0001.sql"] == "" {
			t.Errorf("cut off after change %d, there is %v", n, got)
		}
		if finished {
			return
		}
	}
}

// Where it is not known what is wanted, nothing else is said or done.
func TestRefusedFilesAreAllThatThereIsToSay(t *testing.T) {
	root := t.TempDir()
	refused := Entry{Path: "db/record.json", State: Forked, Code: "RC413", Advice: "settle it"}
	r, err := Sync(root, Wanted{Files: before, Refused: []Entry{refused}})
	if err != nil || !r.Blocked() || !cmp.Equal(r.Entries, []Entry{refused}) {
		t.Errorf("%+v, %v", r, err)
	}
	put(t, root, ManifestName, "{")
	r, err = Sync(root, Wanted{Files: before, Refused: []Entry{refused}})
	if diff := cmp.Diff(map[string]State{ManifestName: Damaged, "db/record.json": Forked}, states(r)); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

func TestReadFolder(t *testing.T) {
	root := t.TempDir()
	if f, err := ReadFolder(root, "db", "record.json"); err != nil || f.Record != nil || len(f.Names) > 0 || f.Highest(nil) != 0 {
		t.Error(f, err)
	}
	put(t, root, "db/0002_a.sql", "")
	put(t, root, "db/0007_b.go", "")
	put(t, root, "db/down/0009_a.sql", "")
	put(t, root, "db/record.json", "1\n")
	f, err := ReadFolder(root, "db", "record.json")
	if err != nil || string(f.Record) != "1\n" || len(f.Names) != 5 {
		t.Error(f, err)
	}
	all, but := f.Highest(func(string) bool { return false }), f.Highest(func(name string) bool { return filepath.Dir(name) == "down" })
	if all != 9 || but != 7 {
		t.Error(all, but)
	}
	put(t, root, "file", "")
	if _, err := ReadFolder(root, "file/db", "record.json"); err == nil {
		t.Error("a file is taken for a folder")
	}
}
