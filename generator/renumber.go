package generator

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/retryc/retryc/generator/internal/migrate"
	"github.com/retryc/retryc/generator/internal/output"
	"github.com/retryc/retryc/spec"
)

// Renumber settles what a merge of two branches has left. The migration file, which no database has run, comes after all
// others: one that the record has keeps its statements, with those after it; any other is removed with those that its branch
// added, and Generate writes what they did.
func Renumber(specPath, file string) (*Result, error) {
	doc, findings, err := spec.Load(specPath)
	if err != nil {
		return nil, err
	}
	if findings.HasErrors() {
		return &Result{Document: doc, Diagnostics: findings}, nil
	}
	h, err := readHistory(specPath, doc)
	if err != nil {
		return nil, err
	}
	root := filepath.Dir(specPath)
	name, err := h.nameOf(root, file)
	if err != nil {
		return nil, err
	}
	var write []output.File
	keep, moved := h.folder.Record, []string(nil)
	switch {
	case len(h.broken) > 0:
		keep, moved, err = h.splitFork(root, name)
	case h.folder.Record.Has(name):
		write, keep, moved, err = h.moveUp(root, name)
	default:
		moved, err = h.splitUnknown(name)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot renumber %s: %w", file, err)
	}
	write = append(write, output.File{Path: path.Join(h.dir, migrate.RecordName), Data: keep.Encode()})
	if err := output.Settle(root, write, in(h.dir, moved)); err != nil {
		return nil, err
	}
	return Generate(specPath, Options{})
}

// nameOf is a file of the folder of migrations by its name in there. A person names it from the working folder.
func (h history) nameOf(root, file string) (string, error) {
	dir, err := filepath.Abs(filepath.Join(root, filepath.FromSlash(h.dir)))
	if err != nil {
		return "", err
	}
	abs, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	name, err := filepath.Rel(dir, abs)
	if err != nil || strings.HasPrefix(name, "..") {
		return "", fmt.Errorf("%s is not in the folder of migrations, %s", file, h.dir)
	}
	return filepath.ToSlash(name), nil
}

// splitFork is the record of the branch that stays, and the files of the one that has name.
func (h history) splitFork(root, name string) (keep migrate.Record, moved []string, err error) {
	fork, err := migrate.ForkOf(h.disk.Record)
	if err != nil {
		return keep, nil, fmt.Errorf("%s in %s cannot be read: %w", migrate.RecordName, h.dir, err)
	}
	ours, theirs := fork.Added()
	mover := fork.Ours
	keep, moved = fork.Theirs, ours
	if slices.Contains(theirs, name) {
		mover, keep, moved = fork.Theirs, fork.Ours, theirs
	}
	switch {
	case !slices.Contains(moved, name):
		return keep, nil, fmt.Errorf("no branch has added it; they have added %s", strings.Join(append(ours, theirs...), ", "))
	case fork.Shared() != "":
		return keep, nil, fmt.Errorf("both branches have written %s: take the file and the record of one branch (git checkout --ours or --theirs) and run retryc generate", fork.Shared())
	}
	for _, m := range mover.Migrations {
		for _, file := range moved {
			if sum := m.Files[file]; sum != "" {
				if _, err := h.unedited(root, file, sum); err != nil {
					return keep, nil, err
				}
			}
		}
	}
	return keep, moved, nil
}

// unedited is the text of a migration, nil where it is not there.
func (h history) unedited(root, name, sum string) ([]byte, error) {
	text, err := output.Read(root, path.Join(h.dir, name))
	if err == nil && text != nil && migrate.Sum(text) != sum {
		err = fmt.Errorf("%s was edited after it was written: undo the edit first", path.Join(h.dir, name))
	}
	return text, err
}

// moveUp gives a migration of the record, and those after it, numbers above all that are in the folder.
func (h history) moveUp(root, name string) (write []output.File, keep migrate.Record, moved []string, err error) {
	all := h.folder.Record.Migrations
	from := slices.IndexFunc(all, func(m migrate.Migration) bool { return m.Files[name] != "" })
	keep, next := h.folder.Record, h.folder.Next
	keep.Migrations = all[:from]
	collides := false
	for _, m := range all[from:] {
		files := map[string]string{}
		for old, sum := range m.Files {
			number, _ := output.Number(path.Base(old))
			collides = collides || slices.ContainsFunc(h.disk.Names, func(other string) bool {
				n, numbered := output.Number(path.Base(other))
				return numbered && n == number && !h.folder.Record.Has(other)
			})
			text, err := h.unedited(root, old, sum)
			if err == nil && text == nil {
				err = fmt.Errorf("%s is not there: restore it first", path.Join(h.dir, old))
			}
			if err != nil {
				return nil, keep, nil, err
			}
			rest := strings.TrimLeft(path.Base(old), "0123456789")
			file := path.Join(path.Dir(old), fmt.Sprintf("%0*d%s", len(path.Base(old))-len(rest), next, rest))
			files[file] = sum
			moved, write = append(moved, old), append(write, output.File{Path: path.Join(h.dir, file), Data: text})
		}
		if len(files) > 0 {
			next++
		}
		keep = keep.Append(files, m.Schema)
	}
	if !collides {
		return nil, keep, nil, errors.New("no other migration has its number")
	}
	return write, keep, moved, nil
}

// splitUnknown takes all that the record lacks: what one branch has added can be many files, and Generate writes it as a whole.
func (h history) splitUnknown(name string) (moved []string, err error) {
	if !slices.Contains(h.unknown, name) {
		return nil, errors.New("no other branch has brought it: the record has all migrations of retryc's, one after the other")
	}
	return h.unknown, nil
}
