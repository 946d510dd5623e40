package generator_test

import (
	"bytes"
	"flag"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/retryc/retryc/generator"
)

var update = flag.Bool("update", false, "rewrite golden/ once what is emitted compiles, is clean and passes its tests")

const golden = "../golden"

// TestGolden generates every case of golden/ anew and compares the exact sets of files. What comes out is then
// vetted, checked and tested as the module that its owners would have.
func TestGolden(t *testing.T) {
	scratch := t.TempDir()
	if err := os.CopyFS(scratch, os.DirFS(golden)); err != nil {
		t.Fatal(err)
	}
	for _, dir := range cases(t, scratch) {
		removeEmitted(t, dir)
		spec := filepath.Join(dir, "retry.yaml")
		result, err := generator.Generate(spec, generator.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(result.Diagnostics) > 0 {
			var b bytes.Buffer
			result.Diagnostics.Text(&b, spec, result.Document.Source)
			t.Fatalf("%s", b.String())
		}
		copyTests(t, dir)
	}
	got := tree(t, scratch)
	if !*update {
		want := tree(t, golden)
		for _, name := range slices.Sorted(maps.Keys(want)) {
			if _, there := got[name]; !there {
				t.Errorf("%s is no longer emitted", name)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(got)) {
			if got[name] != want[name] {
				t.Errorf("%s differs; `go test ./generator -update` rewrites golden/:\n%s", name, cmp.Diff(strings.Split(want[name], "\n"), strings.Split(got[name], "\n")))
			}
		}
	}
	if t.Failed() {
		return
	}
	if *update {
		command(t, scratch, "go", "mod", "tidy")
	}
	command(t, scratch, "go", "vet", "./...")
	command(t, scratch, "go", "test", "./...")
	staticcheck(t, scratch)
	if *update && !t.Failed() {
		for _, dir := range cases(t, golden) {
			removeEmitted(t, dir)
		}
		if err := os.RemoveAll(filepath.Join(golden, "go.sum")); err != nil {
			t.Fatal(err)
		}
		for name, data := range tree(t, scratch) {
			write(t, filepath.Join(golden, name), data)
		}
	}
}

// staticcheck runs on a copy that does not say it is generated, or dead code would pass.
func staticcheck(t *testing.T, module string) {
	t.Helper()
	bare := t.TempDir()
	for name, data := range tree(t, module) {
		write(t, filepath.Join(bare, name), generated.ReplaceAllString(data, ""))
	}
	command(t, bare, "go", "tool", "staticcheck", "./...")
}

var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.\n`)

func cases(t *testing.T, root string) (dirs []string) {
	t.Helper()
	specs, err := filepath.Glob(filepath.Join(root, "*", "retry.yaml"))
	if err != nil || len(specs) == 0 {
		t.Fatal("no cases", err)
	}
	for _, s := range specs {
		dirs = append(dirs, filepath.Dir(s))
	}
	return dirs
}

// removeEmitted leaves what is written by hand: the spec, and tests whose name ends in _case_test.go.
func removeEmitted(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "retry.yaml" || strings.HasSuffix(path, "_case_test.go") {
			return err
		}
		return os.Remove(path)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// copyTests gives a case that is another one in a further dialect, such as killed_postgres, the tests that are the same in
// both: those whose name before _case_test.go is one word. What follows a dialect is called pause_postgres_case_test.go.
func copyTests(t *testing.T, dir string) {
	t.Helper()
	cut := strings.LastIndex(filepath.Base(dir), "_")
	if cut < 0 {
		return
	}
	original := filepath.Join(filepath.Dir(dir), filepath.Base(dir)[:cut])
	originals, err := filepath.Glob(filepath.Join(original, "*", "*_case_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range originals {
		name, _ := filepath.Rel(original, path)
		if strings.Count(filepath.Base(name), "_") > 2 {
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		top := "// Code generated from golden/" + filepath.ToSlash(filepath.Join(filepath.Base(original), name)) + " by go test ./generator -update. DO NOT EDIT.\n\n"
		write(t, filepath.Join(dir, strings.Replace(name, "_case_", "_copy_", 1)), top+string(data))
	}
}

func tree(t *testing.T, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "node_modules" {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(root, path)
		files[filepath.ToSlash(name)] = strings.ReplaceAll(string(data), "\r\n", "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func write(t *testing.T, path, data string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
}

func command(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}
