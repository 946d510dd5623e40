package output

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func migration(text string) []File {
	return []File{{Path: "db/0001.sql", Data: []byte(text), Once: true}}
}

// A migration that a database may have run is never rewritten; what the team may do with it is told.
func TestFilesWrittenOnce(t *testing.T) {
	const first = "-- the jobs\ncreate table job (id text);\n"
	for _, tt := range []struct {
		name  string
		disk  string // "-": deleted
		files []File
		want  State
		left  string
	}{
		{"as it was", first, migration(first), Unchanged, first},
		{"generated with another comment", first, migration("-- all jobs\ncreate table job (id text);\n"), Unchanged, first},
		{"a comment of the team's", "-- ran on 1 May\n" + first, migration(first), Unchanged, "-- ran on 1 May\n" + first},
		{"a comment of the team's, and another of ours", "-- ran on 1 May\n" + first, migration("create table job (id text);\n"), Unchanged, "-- ran on 1 May\n" + first},
		{"the spec needs another table", first, migration("create table job (id int);\n"), Frozen, first},
		{"a statement edited by hand", "create table jobs (id text);\n", migration(first), Edited, "create table jobs (id text);\n"},
		{"edited by hand to what is now wanted", "create table job (id int);\n", migration("create table job (id int); -- x\n"), Unchanged, "create table job (id int);\n"},
		{"no longer generated", first, nil, Frozen, first},
		{"deleted on purpose, the table is another", "-", migration("create table job (id int);\n"), Missing, "create table job (id int);\n"},
		{"deleted on purpose, no longer generated", "-", nil, Unrecorded, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			mustSync(t, root, migration(first))
			manifest := readTree(t, root)[ManifestName]
			if tt.disk == "-" {
				remove(t, root, "db/0001.sql")
			} else {
				put(t, root, "db/0001.sql", tt.disk)
			}
			r := mustSync(t, root, tt.files)
			if len(r.Entries) != 1 || r.Entries[0].State != tt.want {
				t.Errorf("%+v, want %s", r.Entries, tt.want)
			}
			got := readTree(t, root)
			if got["db/0001.sql"] != tt.left {
				t.Errorf("on disk is %q", got["db/0001.sql"])
			}
			if tt.want == Unchanged && got[ManifestName] != manifest {
				t.Error("the manifest changed though the file did not")
			}
		})
	}
}

func TestMigrationWithoutManifestIsTakenOverIfItsStatementsAreRight(t *testing.T) {
	root := t.TempDir()
	put(t, root, "db/0001.sql", "-- ran on 1 May\ncreate table job (id text);\n")
	r := mustSync(t, root, migration("create table job (id text);\n"))
	if diff := cmp.Diff(map[string]State{"db/0001.sql": Unrecorded}, states(r)); diff != "" {
		t.Error(diff)
	}
	if r, err := Diff(root, Wanted{Files: migration("create table job (id text);\n")}); err != nil || !r.Clean() {
		t.Error("not clean after a run:", states(r), err)
	}
	r = mustSync(t, root, migration("create table job (id int);\n"))
	if diff := cmp.Diff(map[string]State{"db/0001.sql": Frozen}, states(r)); diff != "" {
		t.Error(diff)
	}
}
