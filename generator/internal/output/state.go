package output

import "github.com/retryc/retryc/generator/internal/migrate"

// State is how a path on disk compares with what is generated and with what was recorded.
type State string

// The states. Those that block stop a run before it writes anything.
const (
	Unchanged  State = "unchanged"  // ours, and as generated
	Missing    State = "missing"    // generated, not on disk
	Changed    State = "changed"    // ours as it was recorded, but stale
	Orphaned   State = "orphaned"   // ours as it was recorded, no longer generated
	Unrecorded State = "unrecorded" // as it should be, but not in the manifest: a run was cut off
	Leftover   State = "leftover"   // a temporary file of a run that was cut off
	Edited     State = "edited"     // ours, but neither as recorded nor as generated (blocks)
	Foreign    State = "foreign"    // generated, but on disk is something that we did not write (blocks)
	Frozen     State = "frozen"     // written once, and now other content is wanted, or none (blocks)
	Lost       State = "lost"       // written once, and not there any more (blocks)
	Forked     State = "forked"     // a migration that the record lacks: two branches each have one (blocks)
	Taken      State = "taken"      // to be written once, but a migration of the team's has its number (blocks)
	Damaged    State = "damaged"    // the manifest cannot be read (blocks)
	Shared     State = "shared"     // the manifest is of another policy in the same folder (blocks)
)

// Blocks reports whether a person must settle this before anything is written.
func (s State) Blocks() bool {
	switch s {
	case Edited, Foreign, Frozen, Lost, Forked, Taken, Damaged, Shared:
		return true
	}
	return false
}

const (
	adviseEdited = "undo the edit (git checkout restores the file), or delete the file and generate again; " +
		"changes belong in retry.yaml"
	adviseEditedOrphan = "it is no longer generated: delete it, or move what you need of it to a file of your own"
	adviseForeign      = "move or rename it, or choose another folder under generate in retry.yaml; " +
		"if an earlier run wrote it, delete it and generate again"
	adviseNotFile = "something that is not a file has the name of a generated file: move it, or choose another folder under " +
		"generate in retry.yaml"
	adviseEditedOnce = "undo the edit (git checkout restores the file; comments may change): a database may have run it as it was; " +
		"what else the tables need belongs in retry.yaml, or in a migration of your own"
	adviseLost = "restore it (git checkout): a database may have run it; if none has, put the whole folder of migrations back " +
		"to where it was before, its " + migrate.RecordName + " included, and generate again"
	adviseFrozen = "the record of its tables, " + migrate.RecordName + " beside it, is missing: restore it (git checkout); if there " +
		"never was one, undo the change under ledger and tenants, run retryc generate, which makes it, and make the change again"
	adviseFrozenOrphan = "retry.yaml no longer asks for this migration, but a migration is never removed: undo the change of " +
		"folder, format or dialect; to move the folder, move its files along, " + migrate.RecordName + " included"
	adviseTaken   = "%s has the number %d already: write generate.migrations.number: %d in retry.yaml"
	adviseDamaged = "delete it and run retryc generate: files that are as they are generated are taken over again, and any " +
		"other is named"
	adviseShared = "a folder holds one policy, and here it is %[1]s: move %[2]s to a folder of its own, or, if it takes the " +
		"place of %[1]s, delete %[1]s and generate again"
	adviseNewer = "it was written by a newer retryc: update this one, or delete the file and run retryc generate"
)
