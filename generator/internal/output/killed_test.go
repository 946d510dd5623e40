package output

import (
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// killed is what the process's end looks like to a test.
type killed struct{}

func syncUntil(root string, files []File, changes int) (finished bool, err error) {
	defer func() {
		if r := recover(); r != nil && r != (killed{}) {
			panic(r)
		}
	}()
	_, err = sync(root, Wanted{Files: files}, func() {
		if changes--; changes == 0 {
			panic(killed{})
		}
	})
	return true, err
}

// Wherever a run is cut off, check says so, and the next run leaves what an undisturbed one leaves: even if the spec
// asks for something else by then.
func TestRunThatIsCutOff(t *testing.T) {
	third := []File{before[0], {Path: "jobs/policy_gen.go", Data: []byte("package jobs // three\n")}, before[3]}
	for name, from := range map[string][]File{"the first run": nil, "a later run": before} {
		t.Run(name, func(t *testing.T) {
			start := t.TempDir()
			if from != nil {
				mustSync(t, start, from)
			}
			trees := map[string]tree{}
			for name, files := range map[string][]File{"after": after, "third": third} {
				undisturbed := copyOf(t, start)
				mustSync(t, undisturbed, files)
				trees[name] = readTree(t, undisturbed)
			}
			for n := 1; ; n++ {
				root := copyOf(t, start)
				finished, err := syncUntil(root, after, n)
				if err != nil {
					t.Fatal(err)
				}
				if finished {
					if n < 10 {
						t.Fatalf("only %d changes of the disk were seen", n-1)
					}
					return
				}
				last := fmt.Sprintf("cut off after change %d", n)
				r, err := Diff(root, Wanted{Files: after})
				if err != nil || r.Blocked() {
					t.Fatal(last, states(r), err)
				}
				if complete := cmp.Equal(trees["after"], readTree(t, root)); r.Clean() != complete {
					t.Errorf("%s: complete is %v, but the states are %v", last, complete, states(r))
				}
				changed := copyOf(t, root)
				mustSync(t, root, after)
				if diff := cmp.Diff(trees["after"], readTree(t, root)); diff != "" {
					t.Errorf("%s, then run again: %s", last, diff)
				}
				if r := mustSync(t, changed, third); r.Blocked() {
					t.Errorf("%s, then run for another spec: %v", last, states(r))
				}
				if diff := cmp.Diff(trees["third"], readTree(t, changed)); diff != "" {
					t.Errorf("%s, then run for another spec: %s", last, diff)
				}
			}
		})
	}
}

// What such a run meant to write is ours only as it meant to write it.
func TestRunThatIsCutOffThenEditedByHand(t *testing.T) {
	root := t.TempDir()
	mustSync(t, root, before)
	if finished, err := syncUntil(root, after, 5); finished || err != nil {
		t.Fatal(finished, err)
	}
	put(t, root, "jobs/policy_gen.go", "mine")
	put(t, root, "jobs/new/queues_gen.go", "mine")
	r := mustSync(t, root, after)
	want := map[string]State{"jobs/policy_gen.go": Edited, "jobs/new/queues_gen.go": Edited, "old/deep/gone_gen.go": Orphaned}
	if diff := cmp.Diff(want, states(r)); diff != "" {
		t.Error(diff)
	}
}

// What a run that is cut off has written can be dropped too: the spec may have been put back in between.
func TestRunThatIsCutOffThenPutBack(t *testing.T) {
	root := t.TempDir()
	mustSync(t, root, before)
	want := readTree(t, root)
	put(t, root, "jobs/.policy_gen.go.retryc-tmp", "half a fi")
	mustSync(t, root, before)
	if diff := cmp.Diff(want, readTree(t, root)); diff != "" {
		t.Error(diff)
	}
}

func copyOf(t *testing.T, root string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(root)); err != nil {
		t.Fatal(err)
	}
	return to
}
