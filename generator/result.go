package generator

import (
	"bytes"

	"github.com/retryc/retryc/generator/internal/output"
	"github.com/retryc/retryc/spec"
	"github.com/retryc/retryc/spec/diag"
)

// State is how a file on disk compares with what is generated and with what was recorded.
type State = output.State

// The states. Damaged, Foreign, Edited and Frozen keep Generate from writing anything.
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
	Damaged    = output.Damaged
)

// ManifestName is the file beside the spec in which retryc records which files it wrote.
const ManifestName = output.ManifestName

// Result is what a run found, and what it wrote or would write.
type Result struct {
	Document    *spec.Document
	Diagnostics diag.List // of all stages, in the order of the spec
	Files       []File    // in order of path; none if the spec has an error
	First       bool      // there was no output before
	Blocked     bool      // a file must be settled by a person, and nothing was written
	Driver      string    // module@version of the database driver that the output imports; empty if the spec has an error
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

// Action is what generate does to a file.
type Action string

// The actions. Keep leaves a file as it is.
const (
	Keep   Action = "keep"
	Write  Action = "write"
	Remove Action = "remove"
)

// File is one file that is generated, or was.
type File struct {
	Path   string // slash-separated, relative to the folder of the spec
	State  State  // before anything was written
	Action Action
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
	r.First, r.Blocked = report.First, report.Blocked()
	for _, e := range report.Entries {
		f := File{
			Path: e.Path, State: e.State, Action: Keep, Advice: e.Advice, Once: e.Once,
			Bytes: len(e.New), Lines: bytes.Count(e.New, []byte("\n")), entry: e,
		}
		switch {
		case r.Blocked:
		case e.State == Missing || e.State == Changed:
			f.Action = Write
		case e.State == Orphaned || e.State == Leftover:
			f.Action = Remove
		}
		r.Files = append(r.Files, f)
	}
}
