package main

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/retryc/retryc/generator"
)

// starterFiles are the first policy and the first program. The program is .txt so that it is no package of this
// module.
//
//go:embed starter/retry.yaml starter/main.go.txt
var starterFiles embed.FS

// starterModule stands for the product's module in the program.
const starterModule = "example.com/product"

// starterPackage is the folder of the package that the first policy asks for.
const starterPackage = "internal/jobs"

// starterMigrations is the folder of the migrations that it asks for.
const starterMigrations = "db/migrations"

// starterFormat is what the first policy says of them.
const starterFormat = "format: plain"

// starterTables is what the first policy says of them where Open makes the tables, and appliedTables where it does not.
const (
	starterTables = "The migration is for a program that applies its own: format is\n# plain, goose or golang-migrate, whichever tool that is. jobs.Open needs none of them, it makes the tables itself."
	appliedTables = "Apply the migration with the tool that\n# you have: format is plain, goose or golang-migrate. jobs.Open says so where the tables are missing."
)

// starterWords puts a dialect in place of the default in the starter.
func starterWords(d *generator.Dialect) *strings.Replacer {
	first, tables := generator.Dialects()[0], starterTables
	if !d.MakesTables {
		tables = appliedTables
	}
	return strings.NewReplacer("dialect: "+first.Name, "dialect: "+d.Name, first.Opens(), d.Opens(), starterTables, tables)
}

// dialectNamed finds a dialect.
func dialectNamed(name string) (*generator.Dialect, error) {
	for _, d := range generator.Dialects() {
		if d.Name == name {
			return d, nil
		}
	}
	return nil, fmt.Errorf("there is no dialect %q: write %s", name, dialectNames())
}

// dialectNames are the names of all, as a sentence has them: a, b or c.
func dialectNames() string {
	var names []string
	for _, d := range generator.Dialects() {
		names = append(names, d.Name)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// starterFile is one file that init writes; Path is slash-separated, below the folder that it writes to.
type starterFile struct {
	path string
	text string
}

// starterFor is what init writes into dir, the folder of the policy. The program goes to a folder of its own if there
// is Go code in dir already, because a second main would not compile; the policy goes on where existing migrations end.
func starterFor(dir string, d *generator.Dialect, m module, existing generator.Migrations) ([]starterFile, error) {
	words := starterWords(d)
	policy, err := starterFiles.ReadFile("starter/retry.yaml")
	if err != nil {
		return nil, err
	}
	program, err := starterFiles.ReadFile("starter/main.go.txt")
	if err != nil {
		return nil, err
	}
	below, err := filepath.Rel(m.dir, dir)
	if err != nil {
		return nil, fmt.Errorf("cannot tell where %s is in its module: %w", dir, err)
	}
	main := "main.go"
	if existing, err := filepath.Glob(filepath.Join(dir, "*.go")); err != nil || len(existing) > 0 {
		main = "cmd/worker/main.go"
	}
	format := "format: " + existing.Format
	if existing.Next > 1 {
		format += fmt.Sprintf(", number: %d", existing.Next)
	}
	return []starterFile{
		{specName, strings.Replace(words.Replace(string(policy)), starterFormat, format, 1)},
		{main, strings.ReplaceAll(words.Replace(string(program)), starterModule, path.Join(m.path, filepath.ToSlash(below)))},
	}, nil
}

// refuseExisting answers an error that names what is in the way of files, and of what is generated from them.
func refuseExisting(dir string, files []starterFile) error {
	var existing []string
	see := func(p string) error {
		name := filepath.Join(dir, filepath.FromSlash(p))
		_, err := os.Lstat(name)
		if err == nil {
			existing = append(existing, short(name))
		} else if !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cannot look for %s: %w", short(name), err)
		}
		return nil
	}
	for _, f := range files {
		what := f.path
		if d := path.Dir(f.path); d != "." {
			what = d // a program's folder is its own
		}
		if err := see(what); err != nil {
			return err
		}
	}
	if err := see(starterPackage); err != nil {
		return err
	}
	if len(existing) > 0 {
		return fmt.Errorf("nothing was written, because there is already %s: move it away, or name another folder with --dir",
			strings.Join(existing, " and "))
	}
	return nil
}

// writeNew writes files that do not exist yet.
func writeNew(dir string, files []starterFile) error {
	for _, f := range files {
		name := filepath.Join(dir, filepath.FromSlash(f.path))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return fmt.Errorf("cannot write %s: %w", short(name), err)
		}
		file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return fmt.Errorf("cannot write %s: %w", short(name), err)
		}
		_, err = file.WriteString(f.text)
		if err := errors.Join(err, file.Close()); err != nil {
			return fmt.Errorf("cannot write %s: %w", short(name), err)
		}
	}
	return nil
}
