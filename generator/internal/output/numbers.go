package output

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Migrations is what a folder of migrations looks like that somebody else wrote.
type Migrations struct {
	Format string // goose, golang-migrate or plain; plain where there are none
	Next   int    // above every number in it, 1 where there is none
}

// MigrationsIn looks at a folder, which need not exist.
func MigrationsIn(folder string) (Migrations, error) {
	m := Migrations{Format: "plain", Next: 1}
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err != nil {
		return m, reason(err)
	}
	for _, e := range entries {
		number, _ := Number(e.Name())
		m.Next = max(m.Next, number+1)
		if e.IsDir() || !strings.HasSuffix(e.Name(), ".sql") || m.Format == "goose" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		switch {
		case err != nil:
			return m, fmt.Errorf("%s: %w", e.Name(), reason(err))
		case forGoose(text):
			m.Format = "goose"
		case strings.HasSuffix(e.Name(), ".up.sql"):
			m.Format = "golang-migrate"
		}
	}
	return m, nil
}

func forGoose(text []byte) bool {
	for line := range bytes.Lines(text) {
		if comment, is := bytes.CutPrefix(bytes.TrimSpace(line), []byte("--")); is && bytes.HasPrefix(bytes.TrimSpace(comment), []byte("+goose")) {
			return true
		}
	}
	return false
}

// Number is the number that orders a migration, of SQL or of Go.
func Number(name string) (int, bool) {
	if ext := path.Ext(name); ext != ".sql" && ext != ".go" {
		return 0, false
	}
	digits := name[:len(name)-len(strings.TrimLeft(name, "0123456789"))]
	number, err := strconv.Atoi(digits)
	return number, err == nil
}

// numberTaken answers what to do where a file that is not ours has the number of the migration p, and "" where none
// has it. The files that are ours may share one, as an up and a down do.
func (d *disk) numberTaken(p string, ours func(p string) bool) (string, error) {
	number, numbered := Number(path.Base(p))
	if !numbered {
		return "", nil
	}
	folder := path.Dir(p)
	names, err := d.list(folder)
	if err != nil {
		return "", err
	}
	slices.Sort(names)
	taken, highest := "", number
	for _, name := range names {
		other, numbered := Number(name)
		if !numbered {
			continue
		}
		highest = max(highest, other)
		if file := path.Join(folder, name); other == number && taken == "" && !ours(file) {
			taken = file
		}
	}
	if taken == "" {
		return "", nil
	}
	return fmt.Sprintf(adviseTaken, taken, number, highest+1), nil
}
