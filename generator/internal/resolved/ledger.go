package resolved

// Ledger is the tables in the product's database.
type Ledger struct {
	Dialect     string      `json:"dialect"`
	Prefix      string      `json:"prefix"`
	Tables      Tables      `json:"tables"`
	Columns     []Column    `json:"columns"`
	Dropped     []Dropped   `json:"dropped"`
	Retention   *Retention  `json:"retention"` // null: nothing is ever purged
	ErrorDetail ErrorDetail `json:"error_detail"`
}

// Tables are their names, with the prefix.
type Tables struct {
	Job        string `json:"job"`
	Attempt    string `json:"attempt"`
	DeadLetter string `json:"dead_letter"` // a view
	Purge      string `json:"purge"`       // empty: there is none
}

// Column is copied from the payload onto every row.
type Column struct {
	Name        string    `json:"name"`
	Type        string    `json:"type"`
	From        string    `json:"from"`
	Index       bool      `json:"index"`
	RenamedFrom string    `json:"renamed_from"`
	Retyped     *Retyping `json:"retyped"`
}

// Retyping allows a change of a column's type.
type Retyping struct {
	From   string `json:"from"`
	Reason string `json:"reason"`
}

// Dropped is a column that may be dropped.
type Dropped struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// Retention is how long finished jobs are kept.
type Retention struct {
	Attempts Duration `json:"attempts"`
	Keys     Duration `json:"keys"`
}

// ErrorDetail is what is kept of an error's text.
type ErrorDetail struct {
	MaxBytes int         `json:"max_bytes"`
	Redact   []Redaction `json:"redact"`
}

// Redaction is a pattern that is taken out.
type Redaction struct {
	Name    string `json:"name"`
	Pattern string `json:"pattern"` // empty: the built-in one of that name
}
