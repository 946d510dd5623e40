package output

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tree is the files of a folder by path.
type tree map[string]string

func readTree(t *testing.T, root string) tree {
	t.Helper()
	got := tree{}
	err := fs.WalkDir(os.DirFS(root), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if p != "." {
				got[p+"/"] = ""
			}
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, p))
		got[p] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func put(t *testing.T, root, p, text string) {
	t.Helper()
	name := filepath.Join(root, filepath.FromSlash(p))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, root, p string) {
	t.Helper()
	if err := os.Remove(filepath.Join(root, filepath.FromSlash(p))); err != nil {
		t.Fatal(err)
	}
}

func mustSync(t *testing.T, root string, files []File) Report {
	t.Helper()
	r, err := Sync(root, Wanted{Files: files})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// states are the entries that are not unchanged.
func states(r Report) map[string]State {
	got := map[string]State{}
	for _, e := range r.Entries {
		if e.State != Unchanged {
			got[e.Path] = e.State
		}
	}
	return got
}

// before and after are two outputs: one file stays, one changes, one goes with its folder, one comes.
var (
	before = []File{
		{Path: "jobs/same_gen.go", Data: []byte("package jobs\n")},
		{Path: "jobs/policy_gen.go", Data: []byte("package jobs // one\n")},
		{Path: "old/deep/gone_gen.go", Data: []byte("package deep\n")},
		{Path: "db/0001.sql", Data: []byte("create table job (id text);\n"), Once: true},
	}
	after = []File{
		before[0],
		{Path: "jobs/policy_gen.go", Data: []byte("package jobs // two\n")},
		{Path: "jobs/new/queues_gen.go", Data: []byte("package new\n")},
		before[3],
	}
)

func TestSyncWritesRemovesAndRecords(t *testing.T) {
	root := t.TempDir()
	mustSync(t, root, before)
	r := mustSync(t, root, after)
	want := map[string]State{"jobs/policy_gen.go": Changed, "jobs/new/queues_gen.go": Missing, "old/deep/gone_gen.go": Orphaned}
	if diff := cmp.Diff(want, states(r)); diff != "" {
		t.Error(diff)
	}
	got := readTree(t, root)
	manifest := got[ManifestName]
	delete(got, ManifestName)
	if diff := cmp.Diff(tree{
		"db/": "", "db/0001.sql": "create table job (id text);\n", "jobs/": "", "jobs/new/": "", "jobs/new/queues_gen.go": "package new\n",
		"jobs/policy_gen.go": "package jobs // two\n", "jobs/same_gen.go": "package jobs\n",
	}, got); diff != "" {
		t.Error(diff)
	}
	if !strings.HasSuffix(manifest, "}\n") || strings.Count(manifest, "\n    ") != 4 || strings.Contains(manifest, "gone") {
		t.Errorf("manifest:\n%s", manifest)
	}
	if r, err := Diff(root, Wanted{Files: after}); err != nil || !r.Clean() {
		t.Error("not clean after a run:", states(r), err)
	}
}

func TestSyncTouchesNothingThatIsAsItShouldBe(t *testing.T) {
	root := t.TempDir()
	mustSync(t, root, before)
	changes := 0
	if _, err := sync(root, Wanted{Files: before}, func() { changes++ }); err != nil || changes != 0 {
		t.Error(changes, "changes,", err)
	}
}

func TestPathsAreClassified(t *testing.T) {
	const policy = "jobs/policy_gen.go"
	for _, tt := range []struct {
		name    string
		prepare func(t *testing.T, root string)
		files   []File
		want    map[string]State
	}{
		{"deleted", func(t *testing.T, root string) { remove(t, root, policy) }, before, map[string]State{policy: Missing}},
		{"edited by hand", func(t *testing.T, root string) { put(t, root, policy, "mine") }, before, map[string]State{policy: Edited}},
		{"edited by hand, and stale", func(t *testing.T, root string) { put(t, root, policy, "mine") }, after,
			map[string]State{policy: Edited, "jobs/new/queues_gen.go": Missing, "old/deep/gone_gen.go": Orphaned}},
		{"an orphan that was edited", func(t *testing.T, root string) { put(t, root, "old/deep/gone_gen.go", "mine") }, before[:2:2],
			map[string]State{"old/deep/gone_gen.go": Edited, "db/0001.sql": Frozen}},
		{"an orphan that is gone already", func(t *testing.T, root string) { remove(t, root, "old/deep/gone_gen.go") },
			[]File{before[0], before[1], before[3]}, map[string]State{"old/deep/gone_gen.go": Unrecorded}},
		{"a file of the team's in the way", func(t *testing.T, root string) { put(t, root, "jobs/new/queues_gen.go", "mine") }, after,
			map[string]State{policy: Changed, "jobs/new/queues_gen.go": Foreign, "old/deep/gone_gen.go": Orphaned}},
		{"a folder in the way", func(t *testing.T, root string) { remove(t, root, policy); put(t, root, policy+"/x", "mine") }, before,
			map[string]State{policy: Foreign}},
		{"written, then cut off", func(t *testing.T, root string) { put(t, root, policy, "package jobs // two\n") },
			[]File{before[0], after[1], before[2], before[3]}, map[string]State{policy: Unrecorded}},
		{"a temporary file left over", func(t *testing.T, root string) { put(t, root, "jobs/.policy_gen.go.retryc-tmp", "pack") }, before,
			map[string]State{"jobs/.policy_gen.go.retryc-tmp": Leftover}},
		{"checked out with CR LF", func(t *testing.T, root string) {
			for p, text := range readTree(t, root) {
				if text != "" {
					put(t, root, p, strings.ReplaceAll(text, "\n", "\r\n"))
				}
			}
		}, before, map[string]State{}},
		{"no manifest", func(t *testing.T, root string) { remove(t, root, ManifestName); put(t, root, policy, "mine") }, before,
			map[string]State{"jobs/same_gen.go": Unrecorded, policy: Foreign, "old/deep/gone_gen.go": Unrecorded, "db/0001.sql": Unrecorded}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			mustSync(t, root, before)
			tt.prepare(t, root)
			was := readTree(t, root)
			r, err := Diff(root, Wanted{Files: tt.files})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, states(r)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(was, readTree(t, root)); diff != "" {
				t.Error("Diff wrote", diff)
			}
			for _, e := range r.Entries {
				if e.State.Blocks() != (e.Advice != "") {
					t.Errorf("%s is %s, with the advice %q", e.Path, e.State, e.Advice)
				}
			}
			r = mustSync(t, root, tt.files)
			if r.Blocked() {
				if diff := cmp.Diff(was, readTree(t, root)); diff != "" {
					t.Error("a blocked run wrote", diff)
				}
				return
			}
			if r, err := Diff(root, Wanted{Files: tt.files}); err != nil || !r.Clean() {
				t.Error("not clean after a run:", states(r), err)
			}
		})
	}
}

func TestDamagedManifestStopsEverything(t *testing.T) {
	for name, text := range map[string]string{
		"not JSON":                 "hello",
		"empty":                    "",
		"conflict markers":         "<<<<<<< ours\n{\"version\":1,\"files\":{}}\n=======\n{}\n>>>>>>> theirs\n",
		"no version":               `{"files":{}}`,
		"no files":                 `{"version":1}`,
		"a newer version":          `{"version":2,"files":["of another shape"]}`,
		"a path outside":           `{"version":1,"files":{"../../etc/passwd":"00"}}`,
		"an absolute path":         `{"version":1,"files":{"/etc/passwd":"00"}}`,
		"a path that is not clean": `{"version":1,"files":{"a/../b":"00"}}`,
		"itself":                   `{"version":1,"files":{".retryc.json":"00"}}`,
		"a policy elsewhere":       `{"version":1,"spec":"../retry.yaml","files":{}}`,
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			put(t, root, ManifestName, text)
			r := mustSync(t, root, before)
			if got := states(r); !r.Blocked() || len(got) != 1 || got[ManifestName] != Damaged || r.Entries[0].Advice == "" {
				t.Errorf("entries: %+v", r.Entries)
			}
			if got := readTree(t, root); len(got) != 1 || got[ManifestName] != text {
				t.Errorf("wrote %v", got)
			}
		})
	}
}

func TestErrorsOfTheDiskNameTheFileAndTheCause(t *testing.T) {
	one := func(p string) []File { return []File{{Path: p, Data: []byte("x\n")}} }
	for _, tt := range []struct {
		name    string
		prepare func(t *testing.T, root string)
		files   []File
		want    string
	}{
		{"a file where a folder is needed", func(t *testing.T, root string) { put(t, root, "internal", "") }, one("internal/jobs/a.go"),
			"cannot read internal/jobs/a.go: internal is a file where a folder is needed"},
		{"a link that leads outside", func(t *testing.T, root string) { link(t, t.TempDir(), root, "jobs") }, one("jobs/a.go"),
			"cannot read jobs/a.go: jobs is a link that leads outside the folder of retry.yaml, or nowhere"},
		{"a relative link that leads outside", func(t *testing.T, root string) { link(t, "../..", root, "jobs") }, one("jobs/a.go"),
			"cannot read jobs/a.go: jobs is a link that leads outside the folder of retry.yaml, or nowhere"},
		{"a link that leads nowhere", func(t *testing.T, root string) { link(t, "gone", root, "jobs") }, one("jobs/a.go"),
			"cannot read jobs/a.go: jobs is a link that leads outside the folder of retry.yaml, or nowhere"},
		{"a path above", nil, one("../a.go"), "cannot write ../a.go: it is not inside the folder of retry.yaml"},
		{"an absolute path", nil, one("/a.go"), "cannot write /a.go: it is not inside the folder of retry.yaml"},
		{"the manifest", nil, one(ManifestName), "cannot write .retryc.json: it is not inside the folder of retry.yaml"},
		{"one path twice", nil, append(one("a.go"), one("./a.go")...), "cannot write a.go: two generated files have that name"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			if tt.prepare != nil {
				tt.prepare(t, root)
			}
			changes := 0
			_, err := sync(root, Wanted{Files: tt.files}, func() { changes++ })
			if err == nil || err.Error() != tt.want || changes != 0 {
				t.Errorf("%d changes, and %v\nwant %s", changes, err, tt.want)
			}
		})
	}
	if _, err := Sync(filepath.Join(t.TempDir(), "gone"), Wanted{}); err == nil || !strings.HasSuffix(err.Error(), ": no such file or directory") {
		t.Error("a folder that does not exist:", err)
	}
}

func link(t *testing.T, to, root, name string) {
	t.Helper()
	if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
		t.Skip("this system makes no links:", err)
	}
}

func TestLinkInsideTheFolderIsFollowed(t *testing.T) {
	root := t.TempDir()
	put(t, root, "real/keep.go", "package real\n")
	link(t, "real", root, "jobs")
	mustSync(t, root, []File{{Path: "jobs/a_gen.go", Data: []byte("package real\n")}})
	if got := readTree(t, filepath.Join(root, "real")); got["a_gen.go"] != "package real\n" {
		t.Error(got)
	}
}
