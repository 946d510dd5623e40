package generator_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/retryc/retryc/generator/internal/migrate"
	"github.com/retryc/retryc/generator/internal/plan"
	"github.com/retryc/retryc/spec"
	"gopkg.in/yaml.v3"
)

// TestEveryFieldOfTheFormatReachesTheOutput changes each leaf of the schema in a spec, and wants other Go tokens, other
// statements of SQL or other names of files: not only another comment, hash or test.
func TestEveryFieldOfTheFormatReachesTheOutput(t *testing.T) {
	format, root, leaves := leavesOf(t)
	tried := map[string]bool{}
	for _, m := range mutations {
		tried[m.leaf] = true
		t.Run(m.leaf, func(t *testing.T) {
			before := edited(t, goldenSpec(t, m.in), m.given)
			after := edited(t, before, m.edit)
			changed := changedLeaves(t, format, root, before, after)
			if want := slices.Sorted(slices.Values(append(m.also, m.leaf))); !slices.Equal(changed, want) {
				t.Fatalf("the edit changes %q, want %q", changed, want)
			}
			var folder migrate.Folder
			if m.was != nil {
				folder = tablesOf(t, edited(t, before, m.was))
			}
			old, now := meaning(t, folder, []byte(before)), meaning(t, folder, []byte(after))
			if maps.Equal(old, now) {
				t.Error("what comes out is the same")
			}
			if m.shows != "" && (!shows(now, m.shows) || shows(old, m.shows)) {
				t.Errorf("%q does not come out, or did so before", m.shows)
			}
		})
	}
	for _, leaf := range leaves {
		switch reason := without[leaf]; {
		case !tried[leaf] && reason == "":
			t.Errorf("no mutation tries %s: add one, or say in without why there is none", leaf)
		case tried[leaf] && reason != "":
			t.Errorf("a mutation tries %s, of which without says that %s", leaf, reason)
		}
	}
	for leaf := range maps.Keys(without) {
		if !slices.Contains(leaves, leaf) {
			t.Errorf("the format has no %s", leaf)
		}
	}
}

// tablesOf is the folder of migrations of a product that has the tables of a spec.
func tablesOf(t *testing.T, text string) migrate.Folder {
	t.Helper()
	doc, findings := spec.Parse("retry.yaml", []byte(text))
	p, more := plan.New(doc)
	if append(findings, more...).HasErrors() {
		t.Fatal(findings, more)
	}
	record := migrate.Record{Format: p.MigrationsFormat}
	return migrate.Folder{Record: record.Append(map[string]string{"00001_retryc.sql": "x"}, p.Schema()), Next: 2}
}

// changedLeaves are the leaves at which two specs have different values.
func changedLeaves(t *testing.T, format contract, root map[string]any, before, after string) (changed []string) {
	t.Helper()
	var found [2]map[string][]string
	for i, text := range []string{before, after} {
		var doc map[string]any
		if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
			t.Fatal(err)
		}
		found[i] = map[string][]string{}
		format.valueLeaves(root, doc, "", nil, found[i])
	}
	all := maps.Clone(found[0])
	maps.Copy(all, found[1])
	for leaf := range all {
		slices.Sort(found[0][leaf])
		slices.Sort(found[1][leaf])
		if !slices.Equal(found[0][leaf], found[1][leaf]) {
			changed = append(changed, leaf)
		}
	}
	slices.Sort(changed)
	return changed
}

func goldenSpec(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(golden, name, "retry.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

// edited is text with each pair's first put in the place of its second; each is there.
func edited(t *testing.T, text string, pairs []string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("the spec has no %q", pairs[i])
		}
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

func shows(files map[string]string, text string) bool {
	for _, data := range files {
		if strings.Contains(strings.Join(strings.Fields(data), " "), text) {
			return true
		}
	}
	return false
}
