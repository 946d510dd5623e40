package plan

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/retryc/retryc/generator/internal/dialect"
)

// The migration declares a column at the start of a line, two spaces in: job_id text not null. A check, a key and the
// columns of the spec look otherwise.
var declared = regexp.MustCompile(`(?m)^  ([a-z0-9_]+) +(?:text|integer|blob|real)\b`)

func TestBuiltinColumnsHoldThoseOfTheMigrations(t *testing.T) {
	src, err := os.ReadFile("../../../templates/sql/sqlite/migration.sql")
	if err != nil {
		t.Fatal(err)
	}
	src, _, _ = bytes.Cut(src, []byte(`{{define "purgeTable"}}`)) // which gets no column of the spec
	found := declared.FindAllSubmatch(src, -1)
	if len(found) < 20 {
		t.Fatalf("only %d columns found: does the migration look otherwise now?", len(found))
	}
	for _, m := range found {
		if !slices.Contains(builtinColumns, string(m[1])) {
			t.Errorf("builtinColumns lacks %s", m[1])
		}
	}
	if !slices.IsSorted(builtinColumns) {
		t.Error("builtinColumns is not sorted")
	}
}

func TestJobIndexesAreThoseOfTheMigrations(t *testing.T) {
	for _, d := range dialect.All {
		src, err := os.ReadFile("../../../templates/sql/" + d.Name + "/migration.sql")
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(`index \{\{\$?\.Job\}\}(_[a-z_]+)`).FindAllSubmatch(src, -1)
		if len(found) == 0 {
			t.Fatalf("no index found for %s: does the migration look otherwise now?", d.Name)
		}
		for _, m := range found {
			if ending := string(m[1]); ending != "_" && !slices.Contains(jobIndexes, ending) {
				t.Errorf("jobIndexes lacks %s of %s", ending, d.Name)
			}
		}
	}
}
