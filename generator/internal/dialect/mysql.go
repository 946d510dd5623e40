package dialect

import "fmt"

// MySQL is MySQL 8.0.16 and later, and MariaDB 10.6 and later: what is emitted is SQL that both have.
var MySQL = &Dialect{
	Name:     "mysql",
	Title:    "MySQL",
	Variable: "DATABASE_DSN",
	About: []string{
		"MySQL 8.0.16 and later, and MariaDB 10.6 and later, by SQL that is in the manuals of both. It is tested on MariaDB 10.11. The workers' transactions are read " +
			"committed, whatever the sessions begin others as. What they rely on is not the snapshot but the row: each claim, renewal and end names the attempt and " +
			"the lease that it is for, under the row's lock.",
		"Times are UTC, by the database's clock alone: a worker whose clock is wrong changes nothing.",
		"An enqueue wakes the workers of its own process. Those of another find the job at their next poll.",
		"An enqueue whose key is there already locks that job's row only where another transaction has made it in the same moment. In a deadlock the server rolls " +
			"a whole transaction back: the workers run theirs again. A function given to OnCommit must return the error that a statement gives it, or what it does " +
			"after a deadlock is outside any transaction.",
		"A statement that changes tables commits the transaction that it stands in: there is no place for one in OnCommit.",
		"A failover that loses commits loses an attempt's row, its job's next state and its OnCommit effects together: the job runs again, with the same attempt number. " +
			"What a handler did elsewhere then happens again, under the same job ID. Where that must not be, let commits wait for a replica.",
	},
	Commits: true,
	Module:  "github.com/go-sql-driver/mysql",
	Version: "v1.10.1",
	Types: map[string]Type{ // a document is read as a table i, which has the columns
		"text":      {"longtext", "i.%s"},
		"integer":   {"bigint", "i.%s"},
		"real":      {"double", "i.%s"},
		"boolean":   {"tinyint(1)", "i.%s"},
		"timestamp": {"datetime(6)", "i.%s"},
	},
	Widens:    map[string][]string{"boolean": {"integer", "text"}, "integer": {"text"}, "timestamp": {"text"}},
	NameMax:   64,
	Functions: true,
	quoted:    func(text string) string { return fmt.Sprintf("_utf8mb4 x'%x'", text) },
	Roles:     true,
	// https://dev.mysql.com/doc/refman/8.4/en/keywords.html and https://mariadb.com/kb/en/reserved-words/
	Reserved: []string{
		"accessible", "add", "all", "alter", "analyze", "and", "as", "asc", "asensitive", "before", "between", "bigint", "binary", "blob", "both",
		"by", "call", "cascade", "case", "change", "char", "character", "check", "collate", "column", "condition", "constraint", "continue",
		"conversion", "convert", "create", "cross", "cube", "cume_dist", "current_date", "current_role", "current_time", "current_timestamp",
		"current_user", "cursor", "database", "databases", "day_hour", "day_microsecond", "day_minute", "day_second", "dec", "decimal", "declare",
		"default", "delayed", "delete", "delete_domain_id", "dense_rank", "desc", "describe", "deterministic", "distinct", "distinctrow", "div",
		"do_domain_ids", "double", "drop", "dual", "each", "else", "elseif", "empty", "enclosed", "escaped", "except", "exists", "exit",
		"explain", "false", "fetch", "first_value", "float", "float4", "float8", "for", "force", "foreign", "from", "fulltext", "function",
		"general", "generated", "get", "grant", "group", "grouping", "groups", "having", "high_priority", "hour_microsecond", "hour_minute",
		"hour_second", "if", "ignore", "ignore_domain_ids", "ignore_server_ids", "in", "index", "infile", "inner", "inout", "insensitive",
		"insert", "int", "int1", "int2", "int3", "int4", "int8", "integer", "intersect", "interval", "into", "io_after_gtids",
		"io_before_gtids", "is", "iterate", "join", "json_table", "key", "keys", "kill", "lag", "last_value", "lateral", "lead", "leading",
		"leave", "left", "like", "limit", "linear", "lines", "load", "localtime", "localtimestamp", "lock", "long", "longblob", "longtext",
		"loop", "low_priority", "manual", "master_bind", "master_heartbeat_period", "master_ssl_verify_server_cert", "match", "maxvalue",
		"mediumblob", "mediumint", "mediumtext", "middleint", "minute_microsecond", "minute_second", "mod", "modifies", "natural",
		"no_write_to_binlog", "not", "nth_value", "ntile", "null", "numeric", "of", "offset", "on", "optimize", "optimizer_costs", "option",
		"optionally", "or", "order", "out", "outer", "outfile", "over", "page_checksum", "parallel", "parse_vcol_expr", "partition",
		"percent_rank", "position", "precision", "primary", "procedure", "purge", "qualify", "range", "rank", "read", "read_write", "reads",
		"real", "recursive", "ref_system_id", "references", "regexp", "release", "rename", "repeat", "replace", "require", "resignal",
		"restrict", "return", "returning", "revoke", "right", "rlike", "row", "row_number", "rownum", "rows", "schema", "schemas",
		"second_microsecond", "select", "sensitive", "separator", "set", "show", "signal", "slow", "smallint", "spatial", "specific", "sql",
		"sql_big_result", "sql_calc_found_rows", "sql_small_result", "sqlexception", "sqlstate", "sqlwarning", "ssl", "starting",
		"stats_auto_recalc", "stats_persistent", "stats_sample_pages", "stored", "straight_join", "sysdate", "system", "table", "tablesample",
		"terminated", "then", "tinyblob", "tinyint", "tinytext", "to", "to_date", "trailing", "trigger", "true", "undo", "union", "unique",
		"unlock", "unsigned", "update", "usage", "use", "using", "utc_date", "utc_time", "utc_timestamp", "values", "varbinary", "varchar",
		"varcharacter", "varying", "vector", "virtual", "when", "where", "while", "window", "with", "write", "xor", "year_month", "zerofill",
	},
}
