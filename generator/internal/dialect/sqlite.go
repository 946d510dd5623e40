package dialect

// SQLite is the embedded default.
var SQLite = &Dialect{
	Name:        "sqlite",
	Title:       "SQLite",
	MakesTables: true,
	About: []string{
		"One transaction writes at a time, and each is serializable. A commit waits for the disk: synchronous is FULL. A copy of the file " +
			"that is taken without SQLite's own backup can lack the last commits.",
		"Times are by the clock of the machine. A file serves the processes of one machine, and never a network's file system.",
		"An enqueue wakes the workers of its own process. Those of another find the job at their next poll.",
	},
	Module:  "modernc.org/sqlite",
	Version: "v1.62.0",
	Types: map[string]Type{ // a time is milliseconds since 1970, as in the other columns
		"text":      {"text", "value->'columns'->>'%s'"},
		"integer":   {"integer", "value->'columns'->>'%s'"},
		"real":      {"real", "value->'columns'->>'%s'"},
		"boolean":   {"integer", "value->'columns'->>'%s'"},
		"timestamp": {"integer", "cast(round(unixepoch(value->'columns'->>'%s', 'subsec') * 1000) as integer)"},
	},
	Widens: map[string][]string{"boolean": {"integer", "text"}, "integer": {"text"}, "timestamp": {"integer", "text"}},
	Kept:   "sqlite_",
	// https://sqlite.org/lang_keywords.html
	Reserved: []string{
		"abort", "action", "add", "after", "all", "alter", "always", "analyze", "and", "as", "asc", "attach", "autoincrement",
		"before", "begin", "between", "by", "cascade", "case", "cast", "check", "collate", "column", "commit", "conflict",
		"constraint", "create", "cross", "current", "current_date", "current_time", "current_timestamp", "database", "default",
		"deferrable", "deferred", "delete", "desc", "detach", "distinct", "do", "drop", "each", "else", "end", "escape",
		"except", "exclude", "exclusive", "exists", "explain", "fail", "filter", "first", "following", "for", "foreign", "from",
		"full", "generated", "glob", "group", "groups", "having", "if", "ignore", "immediate", "in", "index", "indexed",
		"initially", "inner", "insert", "instead", "intersect", "into", "is", "isnull", "join", "key", "last", "left", "like",
		"limit", "match", "materialized", "natural", "no", "not", "nothing", "notnull", "null", "nulls", "of", "offset", "on",
		"or", "order", "others", "outer", "over", "partition", "plan", "pragma", "preceding", "primary", "query", "raise",
		"range", "recursive", "references", "regexp", "reindex", "release", "rename", "replace", "restrict", "returning",
		"right", "rollback", "row", "rows", "savepoint", "select", "set", "table", "temp", "temporary", "then", "ties", "to",
		"transaction", "trigger", "unbounded", "union", "unique", "update", "using", "vacuum", "values", "view", "virtual",
		"when", "where", "window", "with", "without",
	},
}
