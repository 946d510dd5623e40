// Package migrate knows the tables of a ledger as they were made, as retry.yaml wants them, and what lies between. It
// reads no disk and writes no SQL.
package migrate

import "slices"

// Shape is the number of the columns, checks, indexes and triggers that the tables have in every spec. Whoever changes
// those in templates/sql raises it, and writes the change from the number before in each changes.sql: shape2, and unshape2
// for the way back.
const Shape = 1

// Schema is the tables of a ledger, as far as a spec shapes them.
type Schema struct {
	Dialect    string   `json:"dialect"`
	Shape      int      `json:"shape"`
	Job        string   `json:"job"`
	Attempt    string   `json:"attempt"`
	DeadLetter string   `json:"dead_letter"`
	Tenants    bool     `json:"tenants"`           // jobs have a tenant_id and a tier
	Brokers    bool     `json:"brokers,omitempty"` // runs have the message that began them
	Traces     bool     `json:"traces,omitempty"`  // jobs have the traceparent of their producer
	Purge      string   `json:"purge,omitempty"`   // the table of purges; with it the ledger has an index of attempted_at
	Redrive    string   `json:"redrive,omitempty"` // the table of redrives; with it the job table has an index of dead_at
	Columns    []Column `json:"columns"`           // copied from the payload
}

// Column is one of ledger.columns. From is the field of the payload: no statement depends on it, but what the rows mean
// does.
type Column struct {
	Name  string `json:"name"`
	Type  string `json:"type"` // as retry.yaml calls it
	From  string `json:"from"`
	Index bool   `json:"index"`
}

// Column finds a column by name.
func (s Schema) Column(name string) (Column, bool) {
	i := s.at(name)
	if i < 0 {
		return Column{}, false
	}
	return s.Columns[i], true
}

func (s Schema) at(name string) int {
	return slices.IndexFunc(s.Columns, func(c Column) bool { return c.Name == name })
}
