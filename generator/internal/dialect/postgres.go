package dialect

// Postgres is PostgreSQL 13 and later.
var Postgres = &Dialect{
	Name:    "postgres",
	Title:   "PostgreSQL",
	Module:  "github.com/jackc/pgx/v5",
	Version: "v5.13.0",
	Types: map[string]Type{
		"text":      {"text", "i.columns->>'%s'"},
		"integer":   {"bigint", "(i.columns->>'%s')::bigint"},
		"real":      {"double precision", "(i.columns->>'%s')::double precision"},
		"boolean":   {"boolean", "(i.columns->>'%s')::boolean"},
		"timestamp": {"timestamptz", "(i.columns->>'%s')::timestamptz"},
	},
	NameMax: 63,
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
