package output

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/retryc/retryc/generator/internal/migrate"
)

// comparison is what a run needs to know of the disk.
type comparison struct {
	report    Report
	old, next manifest // as they are recorded, and as a run would leave them
}

// classify compares what is generated, recorded and on disk.
func (d *disk) classify(w Wanted) (comparison, error) {
	old, bad, err := d.readManifest()
	c := comparison{old: old, next: newManifest()}
	if err != nil {
		return c, err
	}
	c.next.Spec, c.next.Queues = w.Spec, w.Queues
	if bad == nil {
		bad = d.otherPolicy(old.Spec, w.Spec)
	}
	c.report.Entries = slices.Clone(w.Refused)
	if bad != nil {
		c.report.Entries = append(c.report.Entries, *bad)
	}
	if len(c.report.Entries) > 0 {
		slices.SortFunc(c.report.Entries, byPath)
		return c, nil
	}
	c.report.Notes = notes(old.Queues, w.Queues)
	seen := map[string]bool{}
	for _, f := range w.Files {
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
		if e.State == Missing && f.Once {
			advice, err := d.numberTaken(f.Path, func(p string) bool { return old.knows(p) || w.writes(p) })
			if err != nil {
				return c, err
			}
			if advice != "" {
				e.State, e.Advice = Taken, advice
			}
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
	if c.report.Clean() && (old.Spec != w.Spec || !maps.EqualFunc(old.Queues, w.Queues, Queue.equal)) {
		// Of a run that writes files the manifest is a part; this one is all that there is to write.
		c.report.Entries = append(c.report.Entries, Entry{Path: ManifestName, State: Unrecorded, New: c.next.encode()})
	}
	slices.SortFunc(c.report.Entries, byPath)
	return c, nil
}

// otherPolicy answers an entry where the manifest is that of another policy. One whose file is gone was renamed.
func (d *disk) otherPolicy(recorded, wanted string) *Entry {
	if recorded == "" || recorded == wanted {
		return nil
	}
	was, err := d.root.Lstat(recorded)
	if err != nil {
		return nil
	}
	if is, err := d.root.Lstat(wanted); err == nil && os.SameFile(was, is) {
		return nil // on a disk that does not tell Retry.yaml from retry.yaml
	}
	return &Entry{Path: ManifestName, State: Shared, Advice: fmt.Sprintf(adviseShared, recorded, wanted)}
}

// classifyGenerated also answers the hash to record once the file is as it should be.
func (d *disk) classifyGenerated(f File, old manifest) (Entry, string, error) {
	have, kind, err := d.read(f.Path)
	e := Entry{Path: f.Path, Disk: have, New: f.Data, Once: f.Once}
	if e.New == nil {
		e.New = []byte{}
	}
	want, settled := hash(f.Data), old.settled(f.Path, f.Once)
	is := want
	if !bytes.Equal(have, f.Data) {
		is = hash(have)
	}
	switch {
	case err != nil:
		return e, "", err
	case f.Sum != "":
		return d.classifyWritten(e, f.Sum, settled, kind)
	case kind == absent:
		e.State = Missing
	case kind == other:
		e.State, e.Advice = Foreign, adviseNotFile
	case f.Once && migrate.SameSQL(have, f.Data):
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
	case f.From != nil && bytes.Equal(plainLineEnds(have), f.From):
		e.State = Changed
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

// classifyWritten looks at a migration that the record has. It is never written again.
func (d *disk) classifyWritten(e Entry, sum, settled string, kind kind) (Entry, string, error) {
	e.New = e.Disk
	record := settled
	if record == "" {
		record = hash(e.Disk)
	}
	switch {
	case kind == absent:
		e.State, e.Code, e.Advice = Lost, "RC412", adviseLost
	case kind == other || migrate.Sum(e.Disk) != sum:
		e.State, e.Code, e.Advice = Edited, "RC411", adviseEditedOnce
	case settled == "":
		e.State = Unrecorded
	default:
		e.State = Unchanged
	}
	return e, record, nil
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
