// Package migrations runs the migrations of a policy that changes on a database with rows in it. Each step has to leave
// the tables that a new product would get, and its way back those of the step before.
package migrations

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// step is what one version of the policy has brought.
type step struct {
	name     string
	up, down []statements // in the order in which they run
	fresh    statements   // what makes the same tables at once
}

// statements are one file, as the tool that it is for would split it.
type statements struct {
	file  string
	texts []string
	alone bool // outside a transaction
}

func steps(t *testing.T, dialect string) []step {
	t.Helper()
	fresh, err := filepath.Glob(filepath.Join(dialect, "fresh", "*.sql"))
	if err != nil || len(fresh) == 0 {
		t.Fatal("no steps", err)
	}
	var all []step
	for _, file := range fresh {
		name := strings.TrimSuffix(filepath.Base(file), ".sql")
		s := step{name: name, fresh: part(t, file, "up")}
		files, err := filepath.Glob(filepath.Join(dialect, "steps", name, "*.sql"))
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(files)
		for _, f := range files {
			if !strings.HasSuffix(f, ".down.sql") {
				s.up = append(s.up, part(t, f, "up"))
			}
			if !strings.HasSuffix(f, ".up.sql") {
				s.down = append(s.down, part(t, f, "down"))
			}
		}
		slices.Reverse(s.down)
		all = append(all, s)
	}
	return all
}

// part is one way of a file. A file of golang-migrate is one way as a whole, and one statement where it is outside a
// transaction; one of goose has its marks.
func part(t *testing.T, file, way string) statements {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(data), "\r\n", "\n")
	s := statements{file: file}
	up, down, marked := strings.Cut(text, "-- +goose Down\n")
	if !marked {
		s.texts, s.alone = []string{text}, strings.Contains(text, "concurrently")
		return s
	}
	head, up, _ := strings.Cut(up, "-- +goose Up\n")
	s.alone = strings.Contains(head, "-- +goose NO TRANSACTION\n")
	if way == "down" {
		up = down
	}
	s.texts = []string{up}
	return s
}
