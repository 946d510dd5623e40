package generator

import (
	"bytes"

	"github.com/retryc/retryc/generator/internal/dialect"
	"github.com/retryc/retryc/generator/internal/output"
	"github.com/retryc/retryc/spec"
	"github.com/retryc/retryc/spec/diag"
)

// State is how a file on disk compares with what is generated and with what was recorded.
type State = output.State

// The states. Damaged, Shared, Forked, Lost, Foreign, Edited, Frozen and Taken keep Generate from writing anything.
const (
	Unchanged  = output.Unchanged
	Missing    = output.Missing
	Changed    = output.Changed
	Orphaned   = output.Orphaned
	Unrecorded = output.Unrecorded
	Leftover   = output.Leftover
	Edited     = output.Edited
	Foreign    = output.Foreign
	Frozen     = output.Frozen
	Lost       = output.Lost
	Forked     = output.Forked
	Taken      = output.Taken
	Damaged    = output.Damaged
	Shared     = output.Shared
)

// ManifestName is the file beside the spec in which retryc records which files it wrote.
const ManifestName = output.ManifestName

// Migrations is what a folder of migrations looks like that somebody else wrote.
type Migrations = output.Migrations

// MigrationsIn looks at a folder, which need not exist.
func MigrationsIn(folder string) (Migrations, error) { return output.MigrationsIn(folder) }

// Dialect is one SQL database, as ledger.dialect names it.
type Dialect = dialect.Dialect

// Dialects are all of them, the default first.
func Dialects() []*Dialect { return dialect.All }

// Result is what a run found, and what it wrote or would write.
type Result struct {
	Document    *spec.Document
	Diagnostics diag.List // of all stages, in the order of the spec
	Ignored     diag.List // those that a comment of the spec takes out, likewise
	Files       []File    // in order of path; none if the spec has an error
	Notes       []string  // what a change of the policy means for jobs that are enqueued already, one line each
	Tables      bool      // there was a migration before
	// OpenMakesTables says that the emitted Open makes tables where there are none.
	OpenMakesTables bool
	// DropsLast says that the last of the new migrations is for when no program runs that was built before.
	DropsLast bool
	Blocked   bool     // a file must be settled by a person, and nothing was written
	Drivers   []string // module@version of each client that the output imports: the database's, then those of brokers, then those to be seen by; none if the spec has an error
}

// Drift reports whether the disk was not as the spec asks when the run began.
func (r *Result) Drift() bool {
	for _, f := range r.Files {
		if f.State != Unchanged {
			return true
		}
	}
	return false
}

// Action is what generate does to a file, once nothing is in its way.
type Action string

// The actions. Keep leaves a file as it is, and so does Record, which notes in the manifest that it is ours.
const (
	Keep   Action = "keep"
	Record Action = "record"
	Write  Action = "write"
	Remove Action = "remove"
)

// File is one file that is generated, or was.
type File struct {
	Path   string // slash-separated, relative to the folder of the spec
	State  State  // before anything was written
	Action Action
	Code   string // explains the state at length; empty where nothing does
	Advice string // what a person has to do; empty where nothing
	Once   bool   // written once and never rewritten: a migration
	Bytes  int    // of the generated text
	Lines  int

	entry output.Entry
}

// Diff is the unified diff from what was on disk to what is generated; empty where one of them does not exist.
func (f File) Diff() string {
	if f.entry.Disk == nil || f.entry.New == nil {
		return ""
	}
	return output.Unified(f.Path+" (on disk)", f.Path+" (generated)", f.entry.Disk, f.entry.New)
}

func (r *Result) add(report output.Report) {
	r.Notes, r.Blocked = report.Notes, report.Blocked()
	for _, e := range report.Entries {
		f := File{
			Path: e.Path, State: e.State, Action: Keep, Code: e.Code, Advice: e.Advice, Once: e.Once,
			Bytes: len(e.New), Lines: bytes.Count(e.New, []byte("\n")), entry: e,
		}
		switch e.State {
		case Missing, Changed:
			f.Action = Write
		case Orphaned, Leftover:
			f.Action = Remove
		case Unrecorded:
			f.Action = Record
		}
		r.Files = append(r.Files, f)
	}
}
