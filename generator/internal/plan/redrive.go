package plan

import (
	"time"

	"github.com/retryc/retryc/generator/internal/dialect"
	"github.com/retryc/retryc/spec"
)

// redriveTable is the table of redrives without the prefix, by which ledger.dropped names it too.
const redriveTable = "job_redrive"

// redrive resolves how dead jobs are sent back, and refuses it where the ledger's database does not have it yet.
func (b *builder) redrive() {
	src := b.doc.Redrive
	if !src.Pos.Valid() {
		return
	}
	share := src.ErrorShare.Or(0.2)
	b.plan.Redrive = &Redrive{
		Batch: src.Batch.Or(10), Every: src.Every.Or(10 * time.Second), Canary: src.Canary.Or(1), MaxGenerations: src.MaxGenerations.Or(5),
		SameError: src.SameError.Or(true), ErrorShare: share, QueueAge: src.QueueAge.Or(10 * time.Minute),
		Table: b.plan.Ledger.Prefix + redriveTable,
	}
	named := b.doc.Ledger.Dialect
	if d := dialect.ByName(named.V); d != nil && !d.Redrives {
		finding := errorAt(b, "RC254", spec.NameAt("redrive", src.Pos), "redrive needs a ledger on PostgreSQL so far, and this one is on %s", d.Title)
		finding.Hint, finding.Related = "take redrive out, or write dialect: postgres", relatedAt(named, "the dialect is here")
	}
}

// redriveNames refuses names of redrives that the database has for something else.
func (b *builder) redriveNames() {
	if b.plan.Redrive == nil {
		return
	}
	src, table := b.doc.Ledger, b.plan.Redrive.Table
	at := firstSet(src.Prefix, src.JobTable, src.AttemptTable)
	b.table(table, "the table of redrives", at)
	b.table(table+"_item", "the table of what is redriven", at)
	for _, suffix := range []string{"_pkey", "_created_at", "_item_pkey", "_item_job", "_item_open"} {
		b.plan.Names.add(Tables, fold(table+suffix), "an index of redrives", at)
	}
}
