package dialect

import (
	"fmt"
	"strconv"
	"strings"
)

// Postgres is PostgreSQL 13 and later.
var Postgres = &Dialect{
	Name:     "postgres",
	Title:    "PostgreSQL",
	Variable: "DATABASE_URL",
	About: []string{
		"PostgreSQL 13 and later. The workers' transactions are read committed. What they rely on is not the snapshot but the row: each claim, " +
			"renewal and end names the attempt and the lease that it is for, under the row's lock.",
		"Times are by the database's clock alone: a worker whose clock is wrong changes nothing.",
		"An enqueue that has committed wakes the workers of every process by NOTIFY, one for all that a process enqueues within 10 ms; it is never part of " +
			"the enqueue's transaction, since those commits would stand in line. After the commit of a transaction of your own, Wake does it. What is missed is " +
			"found at the next poll.",
		"Behind a pooler that hands out connections by transaction, NOTIFY is not heard, so that a job of another process waits for the poll; all else holds, " +
			"provided that the pooler knows prepared statements or the URL says default_query_exec_mode=cache_describe.",
		"A failover that loses commits loses an attempt's row, its job's next state and its OnCommit effects together: the job runs again, with the same attempt number. " +
			"What a handler did elsewhere then happens again, under the same job ID. Where that must not be, let commits wait for a standby (synchronous_commit and " +
			"synchronous_standby_names).",
	},
	Online:  true,
	Module:  "github.com/jackc/pgx/v5",
	Version: "v5.13.0",
	Types: map[string]Type{
		"text":      {"text", "i.columns->>'%s'"},
		"integer":   {"bigint", "(i.columns->>'%s')::bigint"},
		"real":      {"double precision", "(i.columns->>'%s')::double precision"},
		"boolean":   {"boolean", "(i.columns->>'%s')::boolean"},
		"timestamp": {"timestamptz", "(i.columns->>'%s')::timestamptz"},
	},
	NameMax:   63,
	Functions: true,
	quoted:    escaped,
	Roles:     true,
	Brokers:   true,
	Redrives:  true,
	// https://www.postgresql.org/docs/current/sql-keywords-appendix.html: reserved, also where a function or type could
	// have the name.
	Reserved: []string{
		"all", "analyse", "analyze", "and", "any", "array", "as", "asc", "asymmetric", "authorization", "binary", "both", "case", "cast",
		"check", "collate", "collation", "column", "concurrently", "constraint", "create", "cross", "current_catalog", "current_date",
		"current_role", "current_schema", "current_time", "current_timestamp", "current_user", "default", "deferrable", "desc", "distinct",
		"do", "else", "end", "except", "false", "fetch", "for", "foreign", "freeze", "from", "full", "grant", "group", "having", "ilike", "in",
		"initially", "inner", "intersect", "into", "is", "isnull", "join", "lateral", "leading", "left", "like", "limit", "localtime",
		"localtimestamp", "natural", "not", "notnull", "null", "offset", "on", "only", "or", "order", "outer", "overlaps", "placing",
		"primary", "references", "returning", "right", "select", "session_user", "similar", "some", "symmetric", "system_user", "table",
		"tablesample", "then", "to", "trailing", "true", "union", "unique", "user", "using", "variadic", "verbose", "when", "where",
		"window", "with",
	},
}

// escaped is an escape string, with nothing in it that could end it or the body of a function.
func escaped(text string) string {
	var b strings.Builder
	b.WriteString("e'")
	for _, r := range text {
		switch {
		case r == '\'':
			b.WriteString("''")
		case r < ' ' || r == '\\' || r == '$':
			fmt.Fprintf(&b, `\x%02x`, r)
		case !strconv.IsPrint(r):
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + "'"
}
