// Package output puts generated files on disk and remembers, in a manifest beside the spec, which of them are ours.
// Nothing that a person wrote or edited is ever overwritten or removed.
package output

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
)

// File is one generated file.
type File struct {
	Path string // slash-separated, below the folder of the spec
	Data []byte
	Once bool   // written once and never rewritten, as an SQL migration is
	Sum  string // of one that was written before and has no Data: what its statements are known by
	From []byte // the text on disk that Data continues, where it does
}

// Wanted is what a policy asks for.
type Wanted struct {
	Spec   string // name of its file, which is in the folder that is written to
	Files  []File
	Queues map[string]Queue
	// Refused are files that keep a run from knowing what else is wanted. Then they are all that there is to say.
	Refused []Entry
}

// writes reports whether p is one of the files.
func (w Wanted) writes(p string) bool {
	return slices.ContainsFunc(w.Files, func(f File) bool { return path.Clean(f.Path) == p })
}

// Entry is one path and how what is on disk compares with what is generated and with what was recorded.
type Entry struct {
	Path   string
	State  State
	Code   string // explains it at length; empty where nothing does
	Advice string // what to do about it, one line; empty where generating is enough
	Disk   []byte // what is on disk; nil where there is nothing
	New    []byte // what is generated; nil for a path that no longer is
	Once   bool   // written once and never rewritten
}

// Report lists every path that is generated, recorded or left over, in order of path.
type Report struct {
	Entries []Entry
	Notes   []string // what the change means for jobs that are enqueued already, one line each
}

// Blocked reports whether something must be settled by a person before anything is written.
func (r Report) Blocked() bool {
	return slices.ContainsFunc(r.Entries, func(e Entry) bool { return e.State.Blocks() })
}

// Clean reports whether the folder is exactly as generate leaves it.
func (r Report) Clean() bool {
	return !slices.ContainsFunc(r.Entries, func(e Entry) bool { return e.State != Unchanged })
}

// Diff compares root with what is wanted and writes nothing.
func Diff(root string, w Wanted) (Report, error) {
	d, err := open(root)
	if err != nil {
		return Report{}, err
	}
	defer d.close()
	c, err := d.classify(w)
	return c.report, err
}

// Sync makes root hold what is wanted: it writes what is missing or stale, removes what is no longer generated, and records
// the result last. If the report is blocked, nothing at all was written. The states are those found before writing.
func Sync(root string, w Wanted) (Report, error) {
	return sync(root, w, func() {})
}

// sync is Sync with a function that runs after every change of the disk, so that a test can end the run there.
func sync(root string, w Wanted, changed func()) (Report, error) {
	d, err := open(root)
	if err != nil {
		return Report{}, err
	}
	defer d.close()
	d.changed = changed
	c, err := d.classify(w)
	if err != nil || c.report.Blocked() || c.report.Clean() {
		return c.report, err
	}
	return c.report, d.apply(c)
}

// apply brings the disk to what was found to be wanted. The order is for a run that is cut off: what it will write is
// on record before it is written, and that all of it was comes last.
func (d *disk) apply(c comparison) error {
	each := func(do func(Entry) error, states ...State) error {
		for _, e := range c.report.Entries {
			if slices.Contains(states, e.State) {
				if err := do(e); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if err := each(func(e Entry) error { return d.remove(e.Path) }, Leftover); err != nil {
		return err
	}
	if pending := c.old.pending(c.report, c.next.Spec); len(pending.Pending) > 0 {
		if err := d.write(ManifestName, pending.encode()); err != nil {
			return err
		}
	}
	for _, once := range []bool{true, false} { // the migrations before the record of them: one that is left alone is taken over
		err := each(func(e Entry) error {
			if e.Once != once {
				return nil
			}
			return d.write(e.Path, e.New)
		}, Missing, Changed)
		if err != nil {
			return err
		}
	}
	err := each(func(e Entry) error {
		if e.New != nil {
			return nil
		}
		if err := d.remove(e.Path); err != nil {
			return err
		}
		return d.prune(e.Path)
	}, Orphaned, Unrecorded)
	if err != nil {
		return err
	}
	return d.write(ManifestName, c.next.encode())
}

func open(root string) (*disk, error) {
	r, err := os.OpenRoot(root)
	if err != nil {
		return nil, fmt.Errorf("cannot open the folder %s: %w", root, reason(err))
	}
	return &disk{root: r, changed: func() {}}, nil
}

func byPath(a, b Entry) int { return strings.Compare(a.Path, b.Path) }
