package plan

import (
	"fmt"
	"slices"

	"github.com/retryc/retryc/generator/internal/migrate"
	"github.com/retryc/retryc/spec"
)

// tenantID stands for both columns of the tenants in ledger.dropped.
const tenantID = "tenant_id"

// messageID stands for both columns of brokers there.
const messageID = "message_id"

// traceParent is the column of traces there.
const traceParent = "traceparent"

// Traces reports whether a job knows the span of its producer.
func (p *Plan) Traces() bool { return p.Observer != nil && p.Observer.Traces }

// Brokers reports whether a queue has a broker.
func (p *Plan) Brokers() bool {
	return slices.ContainsFunc(p.Queues, func(q *Queue) bool { return q.Backend != nil })
}

// Schema is the tables as the spec wants them.
func (p *Plan) Schema() migrate.Schema {
	l := &p.Ledger
	s := migrate.Schema{
		Dialect: l.Dialect.Name, Shape: migrate.Shape, Job: l.JobTable, Attempt: l.AttemptTable, DeadLetter: l.DeadLetterView,
		Tenants: p.Tenants != nil, Brokers: p.Brokers(), Traces: p.Traces(), Columns: []migrate.Column{},
	}
	if l.Retention != nil {
		s.Purge = l.Retention.PurgeTable
	}
	if p.Redrive != nil {
		s.Redrive = p.Redrive.Table
	}
	for _, c := range l.Columns {
		s.Columns = append(s.Columns, migrate.Column{Name: c.Name.V, Type: c.Type, From: c.From.V, Index: c.Index})
	}
	return s
}

// changes finds what lies between the tables that are there and those of the spec, and refuses what would lose something
// that nobody has allowed to be lost.
func (b *builder) changes() {
	b.droppedThatAreThere()
	m := &b.plan.Migrations
	old, there := m.Record.Last()
	refused := slices.ContainsFunc(b.doc.Ledger.Columns, func(c spec.Column) bool { return !c.Name.Set() || !c.Type.Set() })
	if !there || refused || !b.sameKind(old) {
		return
	}
	m.Changes = migrate.Diff(old, b.plan.Schema(), b.renames(old))
	for _, c := range m.Changes {
		switch c.Kind {
		case migrate.DropColumn:
			b.dropped(c.Column.Name, fmt.Sprintf("the column %q is in the tables and not under ledger.columns: it would be dropped, with all that is in it", c.Column.Name),
				fmt.Sprintf("put it back; where it has another name now, give that one renamed_from: %[1]s; to drop it, write under ledger dropped: [{name: %[1]s, reason: …}]", c.Column.Name))
		case migrate.DropTenants:
			b.dropped(tenantID, "the tables have the columns of tenants, and the spec has no tenants: tenant_id and tier would be dropped, with all that is in them",
				"put tenants back; to drop both columns, write under ledger dropped: [{name: tenant_id, reason: …}]")
		case migrate.DropBrokers:
			b.dropped(messageID, "the tables have the columns of brokers, and no queue has a backend any more: message_id and delivery_count would be dropped, with all that is in them",
				"to drop both columns, write under ledger dropped: [{name: message_id, reason: …}]")
		case migrate.DropTraces:
			b.dropped(traceParent, "the table of jobs has the column of traces, and the spec has no observability: otel any more: traceparent would be dropped, with all that is in it",
				"put it back; to drop the column, write under ledger dropped: [{name: traceparent, reason: …}]")
		case migrate.DropPurge:
			b.dropped(purgeTable, fmt.Sprintf("the spec has no retention any more: the table %s would be dropped, and with it the record of what was purged", c.WasName),
				"put retention back: nothing is purged unless a program of yours calls Purge; to drop the table, write under ledger dropped: [{name: job_purge, reason: …}]")
		case migrate.DropRedrive:
			b.dropped(redriveTable, fmt.Sprintf("the spec has no redrive any more: the tables %[1]s and %[1]s_item would be dropped, and with them the record of who sent what back, and why", c.WasName),
				"put redrive back: nothing is sent back unless a person does it; to drop both tables, write under ledger dropped: [{name: job_redrive, reason: …}]")
		case migrate.ChangeType:
			b.retyped(c)
		}
	}
}

// droppedThatAreThere refuses a column that is both dropped and kept.
func (b *builder) droppedThatAreThere() {
	for _, d := range b.doc.Ledger.Dropped {
		for _, c := range b.doc.Ledger.Columns {
			if d.Name.Set() && fold(d.Name.V) == fold(c.Name.V) {
				refused := errorAt(b, "RC244", d.Name, "the column %q is under ledger.columns and under ledger.dropped", d.Name.V)
				refused.Hint, refused.Related = "take it out of one of them", relatedAt(c.Name, "the column is here")
			}
		}
		if fold(d.Name.V) == tenantID && b.plan.Tenants != nil {
			errorAt(b, "RC244", d.Name, "tenant_id is dropped, and the spec has tenants").Hint = "take it out of ledger.dropped, or take tenants out"
		}
		if fold(d.Name.V) == messageID && b.plan.Brokers() {
			errorAt(b, "RC244", d.Name, "message_id is dropped, and a queue has a backend").Hint = "take it out of ledger.dropped, or take the backend out"
		}
		if fold(d.Name.V) == traceParent && b.plan.Traces() {
			errorAt(b, "RC244", d.Name, "traceparent is dropped, and the spec has observability: otel").Hint = "take it out of ledger.dropped, or take otel out"
		}
		if fold(d.Name.V) == purgeTable && b.plan.Ledger.Retention != nil {
			errorAt(b, "RC244", d.Name, "the table of purges is dropped, and the spec has retention").Hint = "take it out of ledger.dropped, or take retention out"
		}
		if fold(d.Name.V) == redriveTable && b.plan.Redrive != nil {
			errorAt(b, "RC244", d.Name, "the table of redrives is dropped, and the spec has redrive").Hint = "take it out of ledger.dropped, or take redrive out"
		}
	}
}

// sameKind refuses migrations of another database or another tool.
func (b *builder) sameKind(old migrate.Schema) bool {
	l := b.plan.Ledger
	if old.Dialect != l.Dialect.Name {
		errorAt(b, "RC404", b.doc.Ledger.Dialect, "the migrations in %s are for %s, and no migration leads from there to %s", b.plan.MigrationsDir, old.Dialect, l.Dialect.Name).Hint =
			fmt.Sprintf("write dialect: %s; to move to %s, name another folder under generate.migrations.dir, move the files of this one away, let the old workers finish their jobs, and copy the ledger",
				old.Dialect, l.Dialect.Name)
		return false
	}
	if format := b.plan.Migrations.Record.Format; format != b.plan.MigrationsFormat {
		at := b.doc.Generate.MigrationsFormat
		if !at.Set() {
			at = b.doc.Generate.Go
		}
		errorAt(b, "RC404", at, "the migrations in %s are written for %s, and the spec asks for %s", b.plan.MigrationsDir, format, b.plan.MigrationsFormat).Hint =
			fmt.Sprintf("write migrations: {format: %s} under generate", format)
		return false
	}
	return true
}

// renames are the earlier names of the columns that are to be renamed. A rename that was made already, or that a new
// product copies along, is none.
func (b *builder) renames(old migrate.Schema) map[string]string {
	renamed, taken := map[string]string{}, map[string]spec.Name{}
	for _, c := range b.doc.Ledger.Columns {
		was := c.RenamedFrom
		if _, done := old.Column(c.Name.V); done || !was.Set() {
			continue
		}
		_, known := old.Column(was.V)
		first, twice := taken[was.V]
		kept := slices.IndexFunc(b.doc.Ledger.Columns, func(o spec.Column) bool { return o.Name.V == was.V })
		switch {
		case !known:
			var names []string
			for _, o := range old.Columns {
				names = append(names, o.Name)
			}
			errorAt(b, "RC403", was, "the tables have no column %q that could be renamed to %q", was.V, c.Name.V).Hint =
				didYouMean(was.V, names, "take renamed_from out: the column is new")
		case kept >= 0:
			d := errorAt(b, "RC403", was, "the column %q is to be renamed to %q, and is still there", was.V, c.Name.V)
			d.Hint, d.Related = "rename one at a time, with retryc generate after each", relatedAt(b.doc.Ledger.Columns[kept].Name, "it is here")
		case twice:
			d := errorAt(b, "RC403", was, "two columns come from the column %q", was.V)
			d.Hint, d.Related = "take renamed_from out of the one that is new", relatedAt(first, "the first is here")
		default:
			renamed[c.Name.V], taken[was.V] = was.V, was
		}
	}
	return renamed
}

func (b *builder) dropped(name, message, hint string) {
	if b.plan.Ledger.Dropped[name] != "" {
		return
	}
	errorAt(b, "RC401", spec.NameAt("ledger", b.doc.Ledger.Pos), "%s", message).Hint = hint
}

func (b *builder) retyped(c migrate.Change) {
	if slices.Contains(b.plan.Ledger.Dialect.Widens[c.Was.Type], c.Column.Type) {
		return
	}
	i := slices.IndexFunc(b.plan.Ledger.Columns, func(l Column) bool { return l.Name.V == c.Column.Name })
	if b.plan.Ledger.Columns[i].Retyped.From.V == c.Was.Type {
		return
	}
	what := "a value that the new type cannot hold would be lost"
	if b.plan.Ledger.Dialect.Online {
		what = "every row would be written anew with the table locked, and a value that the new type cannot hold stops the migration"
	}
	errorAt(b, "RC402", b.doc.Ledger.Columns[i].Type, "the column %q is of type %s in the tables, and becomes %s: %s", c.Column.Name, c.Was.Type, c.Column.Type, what).Hint =
		fmt.Sprintf("add a column with another name instead; or allow it with retyped: {from: %s, reason: …} on the column", c.Was.Type)
}
