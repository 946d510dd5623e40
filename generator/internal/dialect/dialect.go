// Package dialect is the catalogue of SQL dialects, one file each.
package dialect

// Dialect is one SQL database as the emitted code sees it.
type Dialect struct {
	Name string // as ledger.dialect has it
	// Store are the runtime files that talk to it, the one that declares its statements first; Open the adapters that
	// bring its driver in. Both are paths in package templates.
	Store []string
	Open  []string
	// SQL is the folder of its migrations and queries in package templates.
	SQL string
	// Module and Version are the driver that the emitted code imports, at the version it is tested with.
	Module, Version string
	// Reserved are words that no table or column can have as its name, in lower case.
	Reserved []string
}

// All is every dialect.
var All = []*Dialect{SQLite}

// ByName finds one; nil where there is none.
func ByName(name string) *Dialect {
	for _, d := range All {
		if d.Name == name {
			return d
		}
	}
	return nil
}
