package migrations

import (
	"database/sql"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
)

func TestOnMySQL(t *testing.T) {
	db := openMySQL(t, "")
	all := steps(t, "mysql")
	same := func(s step, way string) {
		t.Helper()
		fresh := openMySQL(t, "_fresh")
		runMySQL(t, fresh, s.fresh)
		want, got := mysqlSchema(t, fresh), mysqlSchema(t, db)
		for _, line := range want {
			if !slices.Contains(got, line) {
				t.Errorf("%s %s: missing: %s", s.name, way, line)
			}
		}
		for _, line := range got {
			if !slices.Contains(want, line) {
				t.Errorf("%s %s: too much: %s", s.name, way, line)
			}
		}
	}
	const types = "select concat_ws(' ', flag, yes, price, due, size, done, born) from task"
	for _, s := range all {
		for _, up := range s.up {
			runMySQL(t, db, up)
		}
		same(s, "up")
		if s.name == "13_more_columns" {
			_, err := db.Exec("insert into task (job_id, queue, payload, payload_sha256, schema_hash, policy_hash, created_at, next_run_at, flag, yes, price, due, size, done, born) " +
				"values ('j', 'charge', '{}', '', 's', 'p', utc_timestamp(6), utc_timestamp(6), 1, 1, 13, '2026-01-31 09:30:00.5', '1.5', 'true', '2026-01-31T09:30:00Z'), " +
				"('k', 'charge', '{}', '', 's', 'p', utc_timestamp(6), utc_timestamp(6), 0, 0, 0.5, null, 'large', 'perhaps', 'never')")
			if err != nil {
				t.Fatal(err)
			}
			_, err = db.Exec("insert into run (job_id, attempt, outcome, attempted_at, queue, generation, decision, payload_sha256, started_at, lease_token, worker, policy_hash, flag) " +
				"values ('j', 1, 'ok', utc_timestamp(6), 'charge', 1, 'done', '', utc_timestamp(6), 'token', 'w', 'p', 1)")
			if err != nil {
				t.Fatal(err)
			}
		}
		if s.name == "14_other_types" {
			if got, want := text(t, db, types), "true 1 13 2026-01-31T09:30:00.500000Z 1.5 1 2026-01-31 09:30:00.000000\nfalse 0"; got != want {
				t.Errorf("other types: %s, want %s", got, want)
			}
		}
		if t.Failed() {
			return
		}
	}
	if _, err := db.Exec("update job_attempt set class = 'x'"); err == nil || !strings.Contains(err.Error(), "append-only") {
		t.Error("the ledger can be changed:", err)
	}
	for i := len(all) - 1; i > 0; i-- {
		for _, down := range all[i].down {
			runMySQL(t, db, down)
		}
		same(all[i-1], "again, down from "+all[i].name)
		if all[i].name == "14_other_types" {
			if got, want := text(t, db, types), "1 1 13 2026-01-31 09:30:00.500000 1.5 true 2026-01-31T09:30:00.000000Z\n0 0"; got != want {
				t.Errorf("types again: %s, want %s", got, want)
			}
		}
		if t.Failed() {
			return
		}
	}
}

// runMySQL runs the statements of a file one by one, on one connection: they end with a semicolon that is the last of its
// line, but for a comment.
func runMySQL(t *testing.T, db *sql.DB, s statements) {
	t.Helper()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, text := range s.texts {
		for _, statement := range strings.Split(comment.ReplaceAllString(text, ""), ";") {
			if strings.TrimSpace(statement) == "" {
				continue
			}
			if _, err := conn.ExecContext(t.Context(), statement); err != nil {
				t.Fatalf("%s: %v\n%s", s.file, err, statement)
			}
		}
	}
}

// openMySQL makes a database of this test's own.
func openMySQL(t *testing.T, suffix string) *sql.DB {
	t.Helper()
	const variable = "RETRYC_TEST_MYSQL"
	config, err := mysql.ParseDSN(os.Getenv(variable))
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv(variable) == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal(variable + " is not set: it names a server for this test, such as root@tcp(127.0.0.1:3306)/")
		}
		t.Skip(variable + " is not set")
	}
	server, err := sql.Open("mysql", config.FormatDSN())
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	config.DBName = "retryc_migrations" + suffix
	for _, statement := range []string{"drop database if exists " + config.DBName, "create database " + config.DBName} {
		if _, err := server.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	db, err := sql.Open("mysql", config.FormatDSN())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = db.Exec("drop database if exists " + config.DBName)
		_ = db.Close()
	})
	return db
}

// mysqlSchema is one line for each column, check, part of an index, trigger and view. Where a column stands in its table
// does not count.
func mysqlSchema(t *testing.T, db *sql.DB) (lines []string) {
	t.Helper()
	for _, query := range []string{
		"select concat_ws(' ', 'column', table_name, column_name, column_type, is_nullable, column_default, collation_name) from information_schema.columns where table_schema = database()",
		"select concat_ws(' ', 'check', t.table_name, c.check_clause) from information_schema.check_constraints c join information_schema.table_constraints t " +
			"on t.constraint_schema = c.constraint_schema and t.constraint_name = c.constraint_name and t.table_schema = database() where t.constraint_type = 'CHECK'",
		"select concat_ws(' ', 'index', table_name, index_name, seq_in_index, column_name, sub_part) from information_schema.statistics where table_schema = database()",
		"select concat_ws(' ', 'trigger', trigger_name, event_object_table, action_timing, event_manipulation, action_statement) from information_schema.triggers where trigger_schema = database()",
		"select concat_ws(' ', 'view', table_name, replace(view_definition, database(), '')) from information_schema.views where table_schema = database()",
	} {
		lines = append(lines, column(t, db, query)...)
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}
