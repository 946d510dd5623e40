package plan

import (
	"path"
	"time"

	"github.com/retryc/retryc/generator/internal/dialect"
	"github.com/retryc/retryc/generator/internal/migrate"
	"github.com/retryc/retryc/spec"
	"github.com/retryc/retryc/spec/diag"
)

// New resolves doc for a product that has no tables yet.
func New(doc *spec.Document) (*Plan, diag.List) { return Next(doc, migrate.Folder{}) }

// Next resolves doc for a product whose migrations are those of the folder. What the schema has refused is left out or has
// its default, so that one run shows as much as it can; the plan is fit for emitting only if no stage found an error.
func Next(doc *spec.Document, folder migrate.Folder) (*Plan, diag.List) {
	b := builder{doc: doc, plan: &Plan{
		Spec:             doc,
		Package:          doc.Generate.Package.V,
		GoDir:            path.Clean(doc.Generate.Go.V),
		TypeScriptDir:    typeScriptDir(doc),
		MigrationsDir:    MigrationsDir(doc),
		MigrationsFormat: doc.Generate.MigrationsFormat.Or("goose"),
		MigrationsNumber: max(doc.Generate.MigrationsNumber.Or(1), folder.Next),
		Migrations:       Migrations{Record: folder.Record},
		Caps:             capsOf(doc.Caps),
		Unmatched:        doc.Unmatched.Or("transient"),
		Poll:             doc.Worker.Poll.Or(time.Second),
		Grace:            doc.Worker.Grace.Or(25 * time.Second),
		Prices:           pricesOf(doc.Prices),
		Review:           reviewOf(doc.Review),
		Names:            &Names{Refused: doc.Refused},
	}}
	b.ladders()
	b.classes()
	b.tenants()
	b.queues()
	b.ledger()
	b.backends()
	b.observability()
	b.webhooks()
	b.bindTenants()
	b.bindColumns()
	b.changes()
	b.plan.Names.check(&b.list)
	b.list.Sort()
	return b.plan, b.list
}

// MigrationsDir is the folder of the migrations, slash-separated and below the folder of the spec.
func MigrationsDir(doc *spec.Document) string {
	return path.Clean(doc.Generate.MigrationsDir.Or("db/migrations"))
}

func typeScriptDir(doc *spec.Document) string {
	if !doc.Generate.TypeScript.Set() {
		return ""
	}
	return path.Clean(doc.Generate.TypeScript.V)
}

// builder is a plan in the making and what was found on the way.
type builder struct {
	doc  *spec.Document
	plan *Plan
	list diag.List
}

func capsOf(c spec.Caps) Caps {
	return Caps{
		Attempts:   orAt(c.Attempts, 10),
		Throttles:  orAt(c.Throttles, 20),
		Crashes:    orAt(c.Crashes, 3),
		Interrupts: orAt(c.Interrupts, 20),
		Snoozes:    orAt(c.Snoozes, 100),
		Delay:      orAt(c.Delay, time.Hour),
		RetryAfter: orAt(c.RetryAfter, 6*time.Hour),
		Window:     orAt(c.Window, 48*time.Hour),
	}
}

// orAt is a, or def without a place where the file leaves it out.
func orAt[T any](a spec.At[T], def T) spec.At[T] {
	if a.Set() {
		return a
	}
	return spec.At[T]{V: def}
}

// dialectOf is the dialect of the ledger. A name that the catalogue lacks has been refused by the schema.
func dialectOf(name spec.Name) *dialect.Dialect {
	if d := dialect.ByName(name.V); d != nil {
		return d
	}
	return dialect.SQLite
}

// errorAt appends an error about a value of the file.
func errorAt[T any](b *builder, code string, at spec.At[T], format string, args ...any) *diag.Diagnostic {
	return b.list.Errorf(code, at.Pos, at.Width, format, args...)
}
