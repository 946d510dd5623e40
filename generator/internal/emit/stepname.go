package emit

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/retryc/retryc/generator/internal/migrate"
)

// stepName is the end of a file's name: what the first change does, and whether there are others. The index of a column
// that is new or gone is no change of its own, and neither is that of retention or of redrives.
func stepName(changes []migrate.Change) string {
	var words []string
	of := map[string]bool{}
	for _, c := range changes {
		if c.Kind == migrate.AddColumn || c.Kind == migrate.DropColumn {
			of[c.Column.Name] = true
		}
	}
	for _, c := range changes {
		if (c.Kind == migrate.AddIndex || c.Kind == migrate.DropIndex) && of[c.Column.Name] || c.Kind == migrate.AddPurgeIndex || c.Kind == migrate.DropPurgeIndex ||
			c.Kind == migrate.AddRedriveIndex || c.Kind == migrate.DropRedriveIndex {
			continue
		}
		verb, known := verbs[c.Kind]
		if !known {
			verb = string(c.Kind) // of the tables of every spec
		}
		words = append(words, verb+c.Column.Name+cmp.Or(c.Name, c.WasName))
	}
	name := fileName(words[0])
	if len(words) > 1 {
		name += fmt.Sprintf("_and_%d_more", len(words)-1)
	}
	return name
}

// fileName is a word behind retryc, cut to a length that every file system takes.
func fileName(word string) string {
	const most = 80
	return "_" + strings.TrimRight(word[:min(len(word), most)], "_")
}

var verbs = map[migrate.Kind]string{
	migrate.DropIndex: "unindex_", migrate.DropColumn: "drop_", migrate.DropTenants: "drop_tenants", migrate.DropBrokers: "drop_messages", migrate.DropTraces: "drop_traceparent",
	migrate.RenameJob: "rename_to_", migrate.RenameAttempt: "rename_to_", migrate.RenameView: "rename_to_", migrate.RenameColumn: "rename_to_",
	migrate.ChangeType: "retype_", migrate.Copy: "copy_", migrate.AddTenants: "add_tenants", migrate.AddBrokers: "add_messages", migrate.AddTraces: "add_traceparent", migrate.AddColumn: "add_", migrate.AddIndex: "index_",
	migrate.DropPurgeIndex: "unindex_", migrate.DropRedriveIndex: "unindex_", migrate.DropRedrive: "drop_", migrate.RenameRedrive: "rename_to_", migrate.AddRedrive: "add_", migrate.AddRedriveIndex: "index_",
	migrate.DropPurge: "drop_", migrate.RenamePurge: "rename_to_", migrate.AddPurge: "add_", migrate.AddPurgeIndex: "index_",
}
