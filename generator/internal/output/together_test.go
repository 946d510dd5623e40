package output

import (
	"os"
	"path/filepath"
	"strings"
	gosync "sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// One folder holds one policy: what another has generated there is not taken away.
func TestPolicyOfAnotherName(t *testing.T) {
	for _, tt := range []struct {
		name    string
		spec    string
		prepare func(t *testing.T, root string)
		shared  bool
	}{
		{"the same", "retry.yaml", nil, false},
		{"another", "retry2.yaml", nil, true},
		{"renamed", "retry2.yaml", func(t *testing.T, root string) { remove(t, root, "retry.yaml") }, false},
		{"one file under two names", "Retry.yaml", func(t *testing.T, root string) {
			if err := os.Link(filepath.Join(root, "retry.yaml"), filepath.Join(root, "Retry.yaml")); err != nil {
				t.Skip(err)
			}
		}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			put(t, root, "retry.yaml", "version: 1\n")
			if _, err := Sync(root, Wanted{Spec: "retry.yaml", Files: before}); err != nil {
				t.Fatal(err)
			}
			if tt.prepare != nil {
				tt.prepare(t, root)
			}
			was := readTree(t, root)
			r, err := Sync(root, Wanted{Spec: tt.spec, Files: after})
			if err != nil || r.Blocked() != tt.shared {
				t.Fatal(states(r), err)
			}
			if tt.shared {
				if diff := cmp.Diff(was, readTree(t, root)); diff != "" {
					t.Error("a blocked run wrote", diff)
				}
				return
			}
			if got := readTree(t, root)[ManifestName]; !strings.Contains(got, `"spec": "`+tt.spec+`"`) {
				t.Error(got)
			}
		})
	}
}

// What is new in the record alone is told and written too.
func TestRecordAloneIsBroughtUpToDate(t *testing.T) {
	root := t.TempDir()
	mustSync(t, root, before)
	w := Wanted{Spec: "retry.yaml", Files: before, Queues: map[string]Queue{"q": {Payload: map[string]Field{"a": Required}}}}
	r, err := Sync(root, w)
	if err != nil || r.Blocked() {
		t.Fatal(states(r), err)
	}
	if diff := cmp.Diff(map[string]State{ManifestName: Unrecorded}, states(r)); diff != "" {
		t.Error(diff)
	}
	if r, err := Diff(root, w); err != nil || !r.Clean() {
		t.Error("not clean after a run:", states(r), err)
	}
}

func TestRunsAtTheSameTime(t *testing.T) {
	root := t.TempDir()
	mustSync(t, root, before)
	var runs gosync.WaitGroup
	for range 8 {
		runs.Go(func() {
			if r, err := Sync(root, Wanted{Files: after}); err != nil || r.Blocked() {
				t.Error(states(r), err)
			}
		})
	}
	runs.Wait()
	alone := t.TempDir()
	mustSync(t, alone, after)
	if diff := cmp.Diff(readTree(t, alone), readTree(t, root)); diff != "" {
		t.Error(diff)
	}
}

// A run that starts removes temporary files, for it cannot tell that they are of one that still works.
func TestTemporaryFileThatAnotherRunRemoves(t *testing.T) {
	for _, tt := range []struct {
		name    string
		removed int
		want    string
	}{
		{"once", 1, ""},
		{"again and again", 1000, "cannot write .retryc.json: another run of retryc works in this folder, run this one again when it is done"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			left := tt.removed
			_, err := sync(root, Wanted{Files: before}, func() {
				for p := range readTree(t, root) {
					if strings.HasSuffix(p, tempSuffix) && left > 0 {
						left--
						remove(t, root, p)
					}
				}
			})
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != tt.want || left == tt.removed {
				t.Errorf("got %q with %d left, want %q", got, left, tt.want)
			}
		})
	}
}
