package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/retryc/retryc/spec"
)

// ledger resolves the tables, the columns copied from the payload, and how error texts are cleaned.
func (b *builder) ledger() {
	src := b.doc.Ledger
	prefix := src.Prefix.V
	l := &b.plan.Ledger
	l.Dialect = dialectOf(src.Dialect)
	l.Prefix = prefix
	l.JobTable = prefix + src.JobTable.Or("job")
	l.AttemptTable = prefix + src.AttemptTable.Or("job_attempt")
	l.DeadLetterView = prefix + "dead_letter"
	l.DetailMax = src.ErrorDetail.Max.Or(2048)
	for _, c := range src.Columns {
		l.Columns = append(l.Columns, Column{Name: c.Name, Type: c.Type.V, From: c.From, Index: c.Index.V, Retyped: c.Retyped})
	}
	l.Dropped = map[string]string{}
	for _, d := range src.Dropped {
		l.Dropped[fold(d.Name.V)] = d.Reason.V
	}
	for _, r := range src.ErrorDetail.Redact {
		l.Redact = append(l.Redact, Redaction{Name: r.Name.V, Pattern: r.Pattern.V})
	}
	b.retention()
	b.redrive()
	b.sqlNames()
}

// retention resolves how long finished jobs are kept. A key that came back while attempts of its first job are there would
// have the same attempt numbers, so that neither goes without the other.
func (b *builder) retention() {
	src := b.doc.Ledger.Retention
	if !src.Attempts.Set() {
		return
	}
	r := &Retention{Attempts: src.Attempts, Keys: src.Keys.Or(src.Attempts.V), PurgeTable: b.plan.Ledger.Prefix + purgeTable}
	b.plan.Ledger.Retention = r
	if r.Keys < r.Attempts.V {
		d := errorAt(b, "RC247", src.Keys, "jobs with a key would be kept for %s, and those without one for %s", Duration(r.Keys), Duration(r.Attempts.V))
		d.Hint, d.Related = "leave keys out, or write a longer time", relatedAt(src.Attempts, "attempts is here")
	}
}

// purgeTable is the table of purges without the prefix, by which ledger.dropped names it too.
const purgeTable = "job_purge"

// bindColumns finds the field of each payload that a column is copied from.
func (b *builder) bindColumns() {
	for _, q := range b.plan.Queues {
		q.Columns = make([]*Field, len(b.plan.Ledger.Columns))
	}
	for i, c := range b.plan.Ledger.Columns {
		if !c.From.Set() {
			continue
		}
		found := false
		for _, q := range b.plan.Queues {
			f := q.field(c.From.V)
			if f == nil {
				continue
			}
			found = true
			if kinds := columnKinds[c.Type]; kinds != nil && !slices.Contains(kinds, f.Type.Kind) {
				d := errorAt(b, "RC211", c.From, "a column of type %s cannot hold the field %q of the queue %q, which is of type %s", c.Type, c.From.V, q.Name.V, f.Type.Kind)
				d.Hint, d.Related = fmt.Sprintf("such a column holds %s fields", listed(kinds)), relatedAt(f.Name, "the field is here")
				continue
			}
			q.Columns[i] = f
		}
		if !found && len(b.plan.Queues) > 0 {
			errorAt(b, "RC210", c.From, "no payload has a field %q to copy", c.From.V).Hint =
				didYouMean(c.From.V, b.everyField(), "name a field of a payload, at its top level")
		}
	}
}

// columnKinds says which fields a column of each type can hold.
var columnKinds = map[string][]Kind{
	"text":      {String, Enum, UUID},
	"integer":   {Int, Int64},
	"real":      {Float64},
	"boolean":   {Bool},
	"timestamp": {Time},
}

// everyField is the top-level field names of all payloads, each once.
func (b *builder) everyField() []string {
	var names []string
	for _, q := range b.plan.Queues {
		for _, name := range fieldNames(q.Payload) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

func listed(kinds []Kind) string {
	var b strings.Builder
	for i, k := range kinds {
		switch {
		case i > 0 && i == len(kinds)-1:
			b.WriteString(" and ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(string(k))
	}
	return b.String()
}

// sqlNames refuses names that the database or the ledger itself has already taken.
func (b *builder) sqlNames() {
	l, src := &b.plan.Ledger, b.doc.Ledger
	if tool := migrationTables[b.plan.MigrationsFormat]; tool != "" {
		b.plan.Names.add(Tables, tool, "the table of the migration tool", spec.Name{})
	}
	b.table(l.JobTable, "the job table", firstSet(src.JobTable, src.AttemptTable, src.Prefix))
	b.table(l.AttemptTable, "the attempt table", firstSet(src.AttemptTable, src.JobTable, src.Prefix))
	b.plan.Names.add(Tables, fold(l.AttemptTable+"_append_only"), "the trigger of the attempt table", firstSet(src.AttemptTable, src.JobTable, src.Prefix))
	b.table(l.DeadLetterView, "the view of dead letters", firstSet(src.Prefix, src.JobTable, src.AttemptTable))
	for _, suffix := range jobIndexes {
		b.plan.Names.add(Tables, fold(l.JobTable+suffix), "an index of the job table", firstSet(src.JobTable, src.AttemptTable, src.Prefix))
	}
	attempts := func(suffix string) {
		b.plan.Names.add(Tables, fold(l.AttemptTable+suffix), "an index of the attempt table", firstSet(src.AttemptTable, src.JobTable, src.Prefix))
	}
	attempts("_pkey")
	if r := l.Retention; r != nil {
		b.table(r.PurgeTable, "the table of purges", firstSet(src.Prefix, src.JobTable, src.AttemptTable))
		attempts("_attempted_at")
	}
	b.redriveNames()
	b.kept(src)
	seen := map[string]spec.Name{}
	for _, c := range l.Columns {
		name := fold(c.Name.V)
		first, twice := seen[name]
		switch {
		case twice:
			d := errorAt(b, "RC241", c.Name, "there are two columns %q", name)
			d.Hint, d.Related = "rename one of them, or leave it out", relatedAt(first, "the first is here")
		case slices.Contains(builtinColumns, name):
			errorAt(b, "RC242", c.Name, "the ledger has a column %q of its own", name).Hint = "choose another name for the copy, such as payload_" + name
		case slices.Contains(l.Dialect.Reserved, name):
			errorAt(b, "RC243", c.Name, "%q is a reserved word of %s", c.Name.V, l.Dialect.Title).Hint = "choose another name"
		case c.Index:
			what := fmt.Sprintf("an index of the column %q", c.Name.V)
			b.plan.Names.add(Tables, fold(l.JobTable+"_"+name), what, c.Name)
			b.plan.Names.add(Tables, fold(l.AttemptTable+"_"+name), what, c.Name)
		}
		if !twice && c.Name.Set() {
			seen[name] = c.Name
		}
	}
	b.sqlFunctions()
	b.namesTooLong()
}

// sqlFunctions names the function of each queue whose payloads are rows. What they share is called by shorter names than the tables.
func (b *builder) sqlFunctions() {
	if !b.plan.Ledger.Dialect.Functions {
		return
	}
	for _, q := range b.plan.Queues {
		if q.Carried() {
			continue
		}
		q.SQLFunction = b.plan.Ledger.Prefix + "enqueue_" + strings.NewReplacer("-", "_", ".", "_").Replace(q.Name.V)
		b.plan.Names.add(Functions, q.SQLFunction, fmt.Sprintf("the SQL function of the queue %q", q.Name.V), q.Name)
	}
}

// namesTooLong refuses names that the database would cut, so that two of them could become one.
func (b *builder) namesTooLong() {
	d := b.plan.Ledger.Dialect
	if d.NameMax == 0 {
		return
	}
	for _, n := range b.plan.Names.All {
		if (n.Scope == Tables || n.Scope == Functions) && len(n.Name) > d.NameMax {
			errorAt(b, "RC245", n.At, "the name of %s, %q, is longer than the %d bytes that %s keeps of it", n.What, n.Name, d.NameMax, d.Title).Hint =
				"choose a shorter name, or a shorter prefix"
		}
	}
	for _, c := range b.plan.Ledger.Columns {
		if len(c.Name.V) > d.NameMax {
			errorAt(b, "RC245", c.Name, "the name of the column %q is longer than the %d bytes that %s keeps of it", c.Name.V, d.NameMax, d.Title).Hint = "choose a shorter name"
		}
	}
}

func (b *builder) table(name, what string, at spec.Name) {
	b.plan.Names.add(Tables, fold(name), what, at)
	if slices.Contains(b.plan.Ledger.Dialect.Reserved, fold(name)) {
		errorAt(b, "RC243", at, "%q is a reserved word of %s", name, b.plan.Ledger.Dialect.Title).Hint = "choose another name, or a prefix"
	}
}

// kept refuses the names that the database keeps for its own tables.
func (b *builder) kept(src spec.Ledger) {
	d := b.plan.Ledger.Dialect
	if d.Kept == "" {
		return
	}
	names := []spec.Name{src.Prefix}
	if !src.Prefix.Set() {
		names = []spec.Name{src.JobTable, src.AttemptTable}
	}
	for _, n := range names {
		if strings.HasPrefix(fold(n.V), d.Kept) {
			errorAt(b, "RC243", n, "%s keeps names that begin with %s for itself", d.Title, d.Kept).Hint = "choose another name"
		}
	}
}

// migrationTables are the tables in which migration tools count.
var migrationTables = map[string]string{"goose": "goose_db_version", "golang-migrate": "schema_migrations"}

// jobIndexes are the endings of the indexes of the job table in any dialect. PostgreSQL gives that of a primary key its own.
var jobIndexes = []string{"_alone", "_dead", "_dead_at", "_pkey", "_ready", "_running"}

// builtinColumns are the columns that the job and attempt tables have in every spec or in some, or that the database
// gives every table.
var builtinColumns = []string{
	"_rowid_", "announce_no", "announced_at", "attempt", "attempted_at", "class", "cmax", "cmin", "company", "crashes", "created_at", "ctid", "dead_at", "dead_reason", "decision",
	"delay_ms", "delivery_count", "error_detail", "failures", "fingerprint", "first_attempt_at", "generation", "idempotency_key",
	"interrupts", "job_id", "last_class", "last_error", "lease_token", "lease_until", "message_id", "next_run_at", "oid", "outcome", "payload",
	"payload_sha256", "policy_hash", "queue", "redrive_id", "retry_after_ms", "rowid", "run_alone", "schema_hash", "shared_crashes", "snoozes",
	"started_at", "state", "tableoid", "tenant_id", "throttles", "tier", "traceparent", "worker", "xmax", "xmin",
}

// fold is how databases compare names.
func fold(name string) string { return strings.ToLower(name) }

func firstSet(names ...spec.Name) spec.Name {
	for _, n := range names {
		if n.Set() {
			return n
		}
	}
	return spec.Name{}
}
