package compare

import (
	"fmt"

	"github.com/retryc/retryc/generator/internal/migrate"
)

// migrations says what has to be done to tables that are as the base wants them.
func (c *comparison) migrations() {
	old, next := c.base.Schema(), c.head.Schema()
	if old.Dialect != next.Dialect {
		c.kinds["data_dropped"] = true
		c.report.Migrations = append(c.report.Migrations, fmt.Sprintf("none leads from %s to %s: tables of a new database are made from the beginning", old.Dialect, next.Dialect))
		return
	}
	renamed := map[string]string{}
	for _, l := range c.head.Spec.Ledger.Columns {
		was := l.RenamedFrom.V
		_, known := old.Column(was)
		if _, done := old.Column(l.Name.V); known && !done {
			renamed[l.Name.V] = was
		}
	}
	for _, change := range migrate.Diff(old, next, renamed) {
		c.report.Migrations = append(c.report.Migrations, inWords(change))
		if change.Contracts() {
			c.kinds["data_dropped"] = true
		}
	}
}

func inWords(c migrate.Change) string {
	switch c.Kind {
	case migrate.DropIndex:
		return "drop the index of the column " + c.Column.Name
	case migrate.DropColumn:
		return "drop the column " + c.Column.Name + ", with all that is in it"
	case migrate.DropTenants:
		return "drop the columns tenant_id and tier, with all that is in them"
	case migrate.DropBrokers:
		return "drop the columns message_id and delivery_count, with all that is in them"
	case migrate.DropTraces:
		return "drop the column traceparent, with all that is in it"
	case migrate.RenameJob, migrate.RenameAttempt, migrate.RenamePurge, migrate.RenameRedrive:
		return fmt.Sprintf("rename the table %s to %s", c.WasName, c.Name)
	case migrate.RenameView:
		return fmt.Sprintf("rename the view %s to %s", c.WasName, c.Name)
	case migrate.RenameColumn:
		return fmt.Sprintf("rename the column %s to %s", c.Was.Name, c.Column.Name)
	case migrate.ChangeType:
		return fmt.Sprintf("change the type of the column %s from %s to %s", c.Column.Name, c.Was.Type, c.Column.Type)
	case migrate.Copy:
		return fmt.Sprintf("no statement: the column %s is copied from the field %s from now on, and was from %s", c.Column.Name, c.Column.From, c.Was.From)
	case migrate.AddTenants:
		return "add the columns tenant_id and tier"
	case migrate.AddBrokers:
		return "add the columns message_id and delivery_count"
	case migrate.AddTraces:
		return "add the column traceparent"
	case migrate.AddColumn:
		return fmt.Sprintf("add the column %s, of type %s", c.Column.Name, c.Column.Type)
	case migrate.AddIndex:
		return "add an index of the column " + c.Column.Name
	case migrate.DropPurgeIndex:
		return "drop the index by which purges find attempts"
	case migrate.DropPurge:
		return fmt.Sprintf("drop the table %s, and with it the record of what was purged", c.WasName)
	case migrate.AddPurge:
		return fmt.Sprintf("add the table %s", c.Name)
	case migrate.AddPurgeIndex:
		return "add an index by which purges find attempts"
	case migrate.DropRedriveIndex:
		return "drop the index by which dead jobs are listed"
	case migrate.DropRedrive:
		return fmt.Sprintf("drop the tables %[1]s and %[1]s_item, and with them the record of who sent what back, and why", c.WasName)
	case migrate.AddRedrive:
		return fmt.Sprintf("add the tables %[1]s and %[1]s_item", c.Name)
	case migrate.AddRedriveIndex:
		return "add an index by which dead jobs are listed"
	}
	return "bring the tables up to what this retryc makes"
}
