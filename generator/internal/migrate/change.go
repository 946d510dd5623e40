package migrate

import (
	"fmt"
	"slices"
	"strings"
)

// Kind is what a change does.
type Kind string

// The kinds of changes. Each is the name of a template of the dialect, but for Copy, which no table knows of.
const (
	DropIndex     Kind = "dropIndex"
	DropColumn    Kind = "dropColumn"
	DropTenants   Kind = "dropTenants"
	DropBrokers   Kind = "dropBrokers"
	DropTraces    Kind = "dropTraces"
	RenameJob     Kind = "renameJob"
	RenameAttempt Kind = "renameAttempt"
	RenameView    Kind = "renameView"
	RenameColumn  Kind = "renameColumn"
	ChangeType    Kind = "changeType"
	Copy          Kind = "copy" // from another field
	AddTenants    Kind = "addTenants"
	AddBrokers    Kind = "addBrokers"
	AddTraces     Kind = "addTraces"
	AddColumn     Kind = "addColumn"
	AddIndex      Kind = "addIndex"

	// With retention come the table of purges and an index of the ledger, which is a change of its own: where workers go on
	// meanwhile, it is made in another way.
	DropPurgeIndex Kind = "dropPurgeIndex"
	DropPurge      Kind = "dropPurge"
	RenamePurge    Kind = "renamePurge"
	AddPurge       Kind = "addPurge"
	AddPurgeIndex  Kind = "addPurgeIndex"

	// The same holds of redrives, and the index is of the job table.
	DropRedriveIndex Kind = "dropRedriveIndex"
	DropRedrive      Kind = "dropRedrive"
	RenameRedrive    Kind = "renameRedrive"
	AddRedrive       Kind = "addRedrive"
	AddRedriveIndex  Kind = "addRedriveIndex"
)

// shaped is the kind that brings the tables of every spec to a number of Shape: shape2. Its inverse is unshape2.
func shaped(n int) Kind { return Kind(fmt.Sprintf("shape%d", n)) }

// inverses are the kinds that are not their own.
var inverses = map[Kind]Kind{
	DropIndex: AddIndex, DropColumn: AddColumn, DropTenants: AddTenants, DropBrokers: AddBrokers, DropTraces: AddTraces,
	AddIndex: DropIndex, AddColumn: DropColumn, AddTenants: DropTenants, AddBrokers: DropBrokers, AddTraces: DropTraces,
	DropPurgeIndex: AddPurgeIndex, DropPurge: AddPurge, AddPurgeIndex: DropPurgeIndex, AddPurge: DropPurge,
	DropRedriveIndex: AddRedriveIndex, DropRedrive: AddRedrive, AddRedriveIndex: DropRedriveIndex, AddRedrive: DropRedrive,
}

// Change is one step from a schema to another.
type Change struct {
	Kind     Kind
	Column   Column // as it is after the change; as it was, where it is dropped
	Was      Column // as it was before, where it is renamed, or its type or field changes
	Name     string // of a table or the view, after the change
	WasName  string
	Shape    int // of the tables, after the change
	WasShape int
}

// Contracts reports whether the change takes away what programs need that were built before, and others do not.
func (c Change) Contracts() bool {
	return c.Kind == DropColumn || c.Kind == DropTenants || c.Kind == DropBrokers || c.Kind == DropTraces || c.Kind == DropPurge || c.Kind == DropRedrive
}

// Inverse takes the change back.
func (c Change) Inverse() Change {
	back := Change{Kind: c.Kind, Column: c.Column, Name: c.WasName, WasName: c.Name, Shape: c.WasShape, WasShape: c.Shape}
	name, undone := strings.CutPrefix(string(c.Kind), "un")
	switch kind, other := inverses[c.Kind]; {
	case other:
		back.Kind = kind
	case undone:
		back.Kind = Kind(name)
	case strings.HasPrefix(name, "shape"):
		back.Kind = "un" + c.Kind
	}
	if c.Was != (Column{}) {
		back.Column, back.Was = c.Was, c.Column
	}
	return back
}

// Diff is what makes the schema old into next. renamed has the earlier name of each column that is renamed now.
func Diff(old, next Schema, renamed map[string]string) []Change {
	var shapes, drops, renames, changes, adds []Change
	for n := old.Shape + 1; n <= next.Shape; n++ {
		shapes = append(shapes, Change{Kind: shaped(n), Shape: n, WasShape: n - 1})
	}
	kept := map[string]bool{} // names of old
	for _, c := range next.Columns {
		name := c.Name
		if was := renamed[name]; was != "" {
			name = was
		}
		was, there := old.Column(name)
		if !there {
			adds = append(adds, Change{Kind: AddColumn, Column: Column{Name: c.Name, Type: c.Type, From: c.From}})
			if c.Index {
				adds = append(adds, Change{Kind: AddIndex, Column: c})
			}
			continue
		}
		kept[name] = true
		step := func(to *[]Change, kind Kind, change func(*Column)) {
			is := was
			change(&is)
			if is != was {
				*to = append(*to, Change{Kind: kind, Column: is, Was: was})
				was = is
			}
		}
		step(&renames, RenameColumn, func(is *Column) { is.Name = c.Name })
		step(&changes, ChangeType, func(is *Column) { is.Type = c.Type })
		step(&changes, Copy, func(is *Column) { is.From = c.From })
		switch {
		case was.Index && !c.Index:
			changes = append(changes, Change{Kind: DropIndex, Column: c})
		case c.Index && !was.Index:
			adds = append(adds, Change{Kind: AddIndex, Column: c})
		}
	}
	for _, c := range old.Columns {
		if kept[c.Name] {
			continue
		}
		if c.Index {
			c.Index = false
			drops = append(drops, Change{Kind: DropIndex, Column: c})
		}
		drops = append(drops, Change{Kind: DropColumn, Column: c})
	}
	switch {
	case old.Tenants && !next.Tenants:
		drops = append(drops, Change{Kind: DropTenants})
	case next.Tenants && !old.Tenants:
		adds = slices.Insert(adds, 0, Change{Kind: AddTenants})
	}
	switch {
	case old.Brokers && !next.Brokers:
		drops = append(drops, Change{Kind: DropBrokers})
	case next.Brokers && !old.Brokers:
		adds = slices.Insert(adds, 0, Change{Kind: AddBrokers})
	}
	switch {
	case old.Traces && !next.Traces:
		drops = append(drops, Change{Kind: DropTraces})
	case next.Traces && !old.Traces:
		adds = slices.Insert(adds, 0, Change{Kind: AddTraces})
	}
	switch {
	case old.Purge != "" && next.Purge == "":
		drops = append(drops, Change{Kind: DropPurgeIndex}, Change{Kind: DropPurge, WasName: old.Purge})
	case next.Purge != "" && old.Purge == "":
		adds = append(adds, Change{Kind: AddPurge, Name: next.Purge}, Change{Kind: AddPurgeIndex})
	}
	switch {
	case old.Redrive != "" && next.Redrive == "":
		drops = append(drops, Change{Kind: DropRedriveIndex}, Change{Kind: DropRedrive, WasName: old.Redrive})
	case next.Redrive != "" && old.Redrive == "":
		adds = append(adds, Change{Kind: AddRedrive, Name: next.Redrive}, Change{Kind: AddRedriveIndex})
	}
	return slices.Concat(shapes, drops, tableRenames(old, next), renames, changes, adds)
}

// tableRenames are of the tables and the view: there is at most one of each, so that another name is another name of the
// same.
func tableRenames(old, next Schema) (out []Change) {
	rename := func(kind Kind, was, is string) {
		if was != is {
			out = append(out, Change{Kind: kind, Name: is, WasName: was})
		}
	}
	rename(RenameJob, old.Job, next.Job)
	rename(RenameAttempt, old.Attempt, next.Attempt)
	rename(RenameView, old.DeadLetter, next.DeadLetter)
	if old.Purge != "" && next.Purge != "" {
		rename(RenamePurge, old.Purge, next.Purge)
	}
	if old.Redrive != "" && next.Redrive != "" {
		rename(RenameRedrive, old.Redrive, next.Redrive)
	}
	return out
}

// Apply is the schema after the change. What is added comes last.
func (s Schema) Apply(c Change) Schema {
	s.Columns = slices.Clone(s.Columns)
	if c.Shape != 0 {
		s.Shape = c.Shape
	}
	switch c.Kind {
	case DropTenants, AddTenants:
		s.Tenants = c.Kind == AddTenants
	case DropBrokers, AddBrokers:
		s.Brokers = c.Kind == AddBrokers
	case DropTraces, AddTraces:
		s.Traces = c.Kind == AddTraces
	case RenameJob:
		s.Job = c.Name
	case RenameAttempt:
		s.Attempt = c.Name
	case RenameView:
		s.DeadLetter = c.Name
	case AddPurge, DropPurge, RenamePurge:
		s.Purge = c.Name
	case AddRedrive, DropRedrive, RenameRedrive:
		s.Redrive = c.Name
	case AddColumn:
		s.Columns = append(s.Columns, c.Column)
	case DropColumn:
		s.Columns = slices.DeleteFunc(s.Columns, func(is Column) bool { return is.Name == c.Column.Name })
	case AddIndex, DropIndex:
		s.Columns[s.at(c.Column.Name)].Index = c.Kind == AddIndex
	case RenameColumn, ChangeType, Copy:
		s.Columns[s.at(c.Was.Name)] = c.Column
	}
	return s
}
