// Package dialect is the catalogue of SQL dialects, one file each.
package dialect

import (
	"fmt"
	"strconv"
	"strings"
)

// Dialect is one SQL database as the emitted code sees it. Its store and adapters are the runtime files that have its
// name, and its migrations and queries those in templates/sql/<name>.
type Dialect struct {
	Name  string // as ledger.dialect has it
	Title string // as a sentence has it
	// Variable is of the environment, and says where the database is; empty: it is a file.
	Variable string
	// MakesTables says that Open makes the tables in a database that has none.
	MakesTables bool
	// About is what a team has to know of the database before it relies on it: isolation, clock, wake-up, failover.
	About []string
	// Online says that workers go on while a migration runs: an index is made outside a transaction, and what only an old
	// program needs goes last. A change of a column's type writes every row anew there, with the table locked.
	Online bool
	// Commits says that a statement which changes a table commits by itself: a migration is no transaction.
	Commits bool
	// Module and Version are the driver that the emitted code imports, at the version it is tested with.
	Module, Version string
	// Types are the column types of ledger.columns, by the name that retry.yaml has for them.
	Types map[string]Type
	// Widens says which of the types can become which with every value kept. A dialect that writes every row anew for it, with
	// the table locked, has none.
	Widens map[string][]string
	// NameMax is how many bytes the name of a table or an index can have; 0: as many as it likes.
	NameMax int
	// Functions says that each queue has a function or procedure of SQL to enqueue with.
	Functions bool
	quoted    func(text string) string // between quotes, where a text is not plain
	// Roles says that there are roles, or accounts, to grant rights to.
	Roles bool
	// Brokers says that a queue can have a backend.
	Brokers bool
	// Redrives says that dead jobs can be sent back.
	Redrives bool
	// Kept is how no table's name may begin, in lower case; "": there is no such rule.
	Kept string
	// Reserved are words that no table or column can have as its name, in lower case.
	Reserved []string
}

// Type is a column type. FromJSON is the expression for its value in the document of an enqueue, with %s for the
// column's name.
type Type struct{ Name, FromJSON string }

// Opens is an argument of Open, as Go text.
func (d *Dialect) Opens() string {
	if d.Variable == "" {
		return `"jobs.db"`
	}
	return `os.Getenv("` + d.Variable + `")`
}

// Literal is a string, a number or a truth value as SQL, also inside the body of a function.
func (d *Dialect) Literal(v any) string {
	text, is := v.(string)
	switch {
	case !is:
		return fmt.Sprint(v)
	case strings.ContainsAny(text, `\$`) || strings.ContainsFunc(text, func(r rune) bool { return !strconv.IsPrint(r) }):
		return d.quoted(text)
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

// SameType reports whether two of the types are one to the database.
func (d *Dialect) SameType(a, b string) bool { return d.Types[a].Name == d.Types[b].Name }

// All is every dialect, the default first.
var All = []*Dialect{SQLite, Postgres, MySQL}

// ByName finds one; nil where there is none.
func ByName(name string) *Dialect {
	for _, d := range All {
		if d.Name == name {
			return d
		}
	}
	return nil
}
