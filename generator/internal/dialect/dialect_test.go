package dialect_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/retryc/retryc/generator/internal/dialect"
)

func TestDialectsAreComplete(t *testing.T) {
	for _, d := range dialect.All {
		if dialect.ByName(d.Name) != d {
			t.Errorf("ByName does not find %s", d.Name)
		}
		for _, folder := range []string{"sql", "_backends"} {
			if _, err := os.Stat(filepath.Join("../../../templates", folder, d.Name)); err != nil {
				t.Errorf("%s: %v", d.Name, err)
			}
		}
		for file, there := range map[string]bool{"functions.sql": d.Functions, "grants.sql": d.Roles} {
			if _, err := os.Stat(filepath.Join("../../../templates/sql", d.Name, file)); there != (err == nil) {
				t.Errorf("%s: has %s: %t, and of the template: %v", d.Name, file, there, err)
			}
		}
		for _, name := range []string{"text", "integer", "real", "boolean", "timestamp"} {
			if t1 := d.Types[name]; t1.Name == "" || !strings.Contains(t1.FromJSON, "%s") {
				t.Errorf("%s has %+v for the column type %s", d.Name, t1, name)
			}
		}
		for from, wider := range d.Widens {
			for _, to := range wider {
				if d.Types[from].Name == "" || d.Types[to].Name == "" || from == to {
					t.Errorf("%s widens %s to %s", d.Name, from, to)
				}
			}
		}
		if d.Online && len(d.Widens) > 0 {
			t.Errorf("%s works on while a migration runs, and takes a change of type without being asked", d.Name)
		}
		if d.Title == "" || len(d.About) == 0 {
			t.Errorf("%s lacks what its documentation says", d.Name)
		}
		if d.Module == "" || !strings.HasPrefix(d.Version, "v") {
			t.Errorf("%s has the driver %q at %q", d.Name, d.Module, d.Version)
		}
		if !slices.IsSorted(d.Reserved) || len(d.Reserved) == 0 {
			t.Errorf("%s: the reserved words are not sorted, or there are none", d.Name)
		}
		for _, word := range d.Reserved {
			if word != strings.ToLower(word) {
				t.Errorf("%s: %s is not in lower case", d.Name, word)
			}
		}
	}
	if dialect.ByName("oracle") != nil {
		t.Error("ByName finds a dialect that is not there")
	}
}

func TestLiteralsEndNeitherAStringNorABody(t *testing.T) {
	for _, tt := range []struct {
		value           any
		postgres, mysql string
	}{
		{"it's é", "'it''s é'", "'it''s é'"},
		{"$$ '\\\n", `e'\x24\x24 ''\x5c\x0a'`, "_utf8mb4 x'242420275c0a'"},
		{"\u2028", `e'\U00002028'`, "_utf8mb4 x'e280a8'"},
		{0.5, "0.5", "0.5"},
		{true, "true", "true"},
	} {
		if got := dialect.Postgres.Literal(tt.value); got != tt.postgres {
			t.Errorf("%v is %s on PostgreSQL, want %s", tt.value, got, tt.postgres)
		}
		if got := dialect.MySQL.Literal(tt.value); got != tt.mysql {
			t.Errorf("%v is %s on MySQL, want %s", tt.value, got, tt.mysql)
		}
	}
}
