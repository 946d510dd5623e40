package output

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// tempSuffix ends the name under which a file is written before it is renamed into place. The name starts with a dot
// and is another each time, so that runs do not share it; the next run finds by the suffix what one that was cut off
// has left.
const tempSuffix = ".retryc-tmp"

// disk is the folder of the spec. It cannot be left: not by a path, and not through a link.
type disk struct {
	root    *os.Root
	changed func() // called after every change of the disk
}

type kind int

const (
	absent kind = iota
	regular
	other // a folder, a link, a device
)

func (d *disk) close() { _ = d.root.Close() } // nothing is written through it

// read answers the text of a regular file.
func (d *disk) read(p string) ([]byte, kind, error) {
	name := filepath.FromSlash(p)
	info, err := d.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		if err := d.blockedBy(p); err != nil {
			return nil, absent, fmt.Errorf("cannot read %s: %w", p, err)
		}
		return nil, absent, nil
	}
	if err != nil {
		return nil, absent, d.fail("read", p, err)
	}
	if !info.Mode().IsRegular() {
		return nil, other, nil
	}
	text, err := d.root.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, absent, nil // another run has removed it
	}
	if err != nil {
		return nil, regular, d.fail("read", p, err)
	}
	return text, regular, nil
}

// list answers the names in a folder, none where it does not exist.
func (d *disk) list(folder string) ([]string, error) {
	f, err := d.root.Open(filepath.FromSlash(folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, d.fail("read", folder, err)
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // as it is where another run has removed it meanwhile
		return nil, d.fail("read", folder, err)
	}
	return names, nil
}

// write replaces p as a whole: who reads it sees the old text or the new one, never a part.
func (d *disk) write(p string, text []byte) error {
	const tries = 5
	for range tries {
		err := d.replace(filepath.FromSlash(p), text)
		if err == nil {
			return nil
		}
		if !errors.Is(err, fs.ErrNotExist) || d.blockedBy(p) != nil {
			return d.fail("write", p, err)
		}
		// Another run that started meanwhile took the temporary file for a leftover.
	}
	return fmt.Errorf("cannot write %s: another run of retryc works in this folder, run this one again when it is done", p)
}

func (d *disk) replace(name string, text []byte) error {
	if folder := filepath.Dir(name); folder != "." {
		if err := d.root.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		d.changed()
	}
	temp := filepath.Join(filepath.Dir(name), fmt.Sprintf(".%s.%08x%s", filepath.Base(name), rand.Uint32(), tempSuffix))
	if err := d.root.WriteFile(temp, text, 0o644); err != nil {
		return err
	}
	d.changed()
	if err := d.root.Rename(temp, name); err != nil {
		_ = d.root.Remove(temp) // the error that counts is the first
		return err
	}
	d.changed()
	return nil
}

// remove removes p if it is there.
func (d *disk) remove(p string) error {
	err := d.root.Remove(filepath.FromSlash(p))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return d.fail("remove", p, err)
	}
	d.changed()
	return nil
}

// prune removes the folders above p that are empty.
func (d *disk) prune(p string) error {
	for folder := path.Dir(p); folder != "."; folder = path.Dir(folder) {
		names, err := d.list(folder)
		if err != nil || len(names) > 0 {
			return err
		}
		if err := d.remove(folder); err != nil {
			return err
		}
	}
	return nil
}

// fail says what could not be done to p, and why in words of the file system.
func (d *disk) fail(verb, p string, err error) error {
	if blocked := d.blockedBy(p); blocked != nil {
		err = blocked
	}
	return fmt.Errorf("cannot %s %s: %w", verb, p, reason(err))
}

// blockedBy looks for something above p that is no folder to write into.
func (d *disk) blockedBy(p string) error {
	parts := strings.Split(path.Dir(p), "/")
	for i := range parts {
		above := strings.Join(parts[:i+1], "/")
		name := filepath.FromSlash(above)
		info, err := d.root.Lstat(name)
		if err != nil {
			return nil // the caller's error says it better
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			if info, err = d.root.Stat(name); err != nil {
				return fmt.Errorf("%s is a link that leads outside the folder of retry.yaml, or nowhere", above)
			}
		}
		if !info.IsDir() {
			return fmt.Errorf("%s is a file where a folder is needed", above)
		}
	}
	return nil
}

// reason is the bare cause of an error of the file system, without the name of a system call.
func reason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	var l *os.LinkError
	if errors.As(err, &l) {
		return l.Err
	}
	return err
}
