package output

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// comparison is what a run needs to know of the disk.
type comparison struct {
	report    Report
	old, next manifest // as they are recorded, and as a run would leave them
}

// classify compares what is generated, recorded and on disk.
func (d *disk) classify(files []File) (comparison, error) {
	old, bad, err := d.readManifest()
	c := comparison{old: old, next: newManifest()}
	if err != nil {
		return c, err
	}
	if bad != nil {
		c.report.Entries = []Entry{*bad}
		return c, nil
	}
	c.report.First = len(old.Files)+len(old.Once) == 0
	seen := map[string]bool{}
	for _, f := range files {
		f.Path = path.Clean(f.Path)
		if !validPath(f.Path) {
			return c, fmt.Errorf("cannot write %s: it is not inside the folder of retry.yaml", f.Path)
		}
		if seen[f.Path] {
			return c, fmt.Errorf("cannot write %s: two generated files have that name", f.Path)
		}
		seen[f.Path] = true
		e, record, err := d.classifyGenerated(f, old)
		if err != nil {
			return c, err
		}
		c.next.record(f.Path, f.Once, record)
		c.report.Entries = append(c.report.Entries, e)
	}
	for _, part := range []map[string]string{old.Files, old.Once, old.Pending} {
		for p := range part {
			if seen[p] {
				continue
			}
			seen[p] = true
			e, err := d.classifyOrphan(p, old)
			if err != nil {
				return c, err
			}
			c.report.Entries = append(c.report.Entries, e)
		}
	}
	left, err := d.leftovers(seen)
	if err != nil {
		return c, err
	}
	c.report.Entries = append(c.report.Entries, left...)
	slices.SortFunc(c.report.Entries, byPath)
	return c, nil
}

// classifyGenerated also answers the hash to record once the file is as it should be.
func (d *disk) classifyGenerated(f File, old manifest) (Entry, string, error) {
	have, kind, err := d.read(f.Path)
	e := Entry{Path: f.Path, Disk: have, New: f.Data, Once: f.Once}
	if e.New == nil {
		e.New = []byte{}
	}
	want, is, settled := hash(f.Data), hash(have), old.settled(f.Path, f.Once)
	switch {
	case err != nil:
		return e, "", err
	case kind == absent:
		e.State = Missing
	case kind == other:
		e.State, e.Advice = Foreign, adviseNotFile
	case f.Once && sameSQL(have, f.Data):
		// The text on disk stays, comments of a person included; so does the hash under which it is known.
		if settled != "" {
			e.State = Unchanged
			return e, settled, nil
		}
		e.State = Unrecorded
		return e, is, nil
	case is == want && is == settled:
		e.State = Unchanged
	case is == want:
		e.State = Unrecorded
	case !old.knows(f.Path):
		e.State, e.Advice = Foreign, adviseForeign
	case !old.wrote(f.Path, is):
		e.State, e.Advice = Edited, adviseEdited
	case f.Once:
		e.State, e.Advice = Frozen, adviseFrozen
	default:
		e.State = Changed
	}
	return e, want, nil
}

// classifyOrphan looks at a file that is ours and no longer generated.
func (d *disk) classifyOrphan(p string, old manifest) (Entry, error) {
	have, kind, err := d.read(p)
	_, once := old.Once[p]
	e := Entry{Path: p, Disk: have, Once: once}
	switch {
	case err != nil:
		return e, err
	case kind == absent: // removed already or never written, but still in the manifest
		e.State = Unrecorded
	case once:
		e.State, e.Advice = Frozen, adviseFrozenOrphan
	case kind == other || !old.wrote(p, hash(have)):
		e.State, e.Advice = Edited, adviseEditedOrphan
	default:
		e.State = Orphaned
	}
	return e, nil
}

// leftovers finds temporary files in the folders of paths, and beside the manifest.
func (d *disk) leftovers(paths map[string]bool) ([]Entry, error) {
	folders := map[string]bool{".": true}
	for p := range paths {
		folders[path.Dir(p)] = true
	}
	var found []Entry
	for folder := range folders {
		names, err := d.list(folder)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if strings.HasPrefix(name, ".") && strings.HasSuffix(name, tempSuffix) {
				found = append(found, Entry{Path: path.Join(folder, name), State: Leftover})
			}
		}
	}
	return found, nil
}
