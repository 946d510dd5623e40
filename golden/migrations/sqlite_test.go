package migrations

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite"
)

func TestOnSQLite(t *testing.T) {
	db := openSQLite(t)
	all := steps(t, "sqlite")
	rows := 0
	same := func(s step, way string) {
		t.Helper()
		fresh := openSQLite(t)
		runSQLite(t, fresh, s.fresh)
		want, got := sqliteSchema(t, fresh), sqliteSchema(t, db)
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
		for _, table := range sqliteTables(t, db) {
			if n := number(t, db, "select count(*) from "+table); n != rows {
				t.Errorf("%s %s: %s has %d rows, want %d", s.name, way, table, n, rows)
			}
		}
	}
	for _, s := range all {
		for _, up := range s.up {
			runSQLite(t, db, up)
		}
		same(s, "up")
		for _, table := range sqliteTables(t, db) {
			insertSQLite(t, db, table, s.name)
		}
		rows++
		if t.Failed() {
			return
		}
		switch s.name {
		case "05_widen":
			if got := text(t, db, "select group_concat(typeof(n) || ' ' || n, ', ') from (select n from job_attempt order by job_id)"); got != "text 1, text 2, text 3, text 4, text x" {
				t.Error("widened:", got)
			}
		case "06_narrow":
			if got := text(t, db, "select group_concat(coalesce(region, 'none'), ', ') from (select region from job order by job_id)"); got != "none, 20, none, 40, none, 6" {
				t.Error("narrowed:", got)
			}
		case "14_other_types":
			const columns = "flag, yes, price, due, size, done, born"
			got := text(t, db, "select json_array("+columns+") from run where job_id = '13_more_columns'")
			if want := `["true",1,13,"2026-01-31T09:30:00.500Z",1.5,1,1769851800000]`; got != want {
				t.Errorf("other types: %s, want %s", got, want)
			}
			got = text(t, db, "select json_array("+columns+") from run where job_id = '12_copy'")
			if want := `[null,null,null,null,null,null,null]`; got != want {
				t.Errorf("other types of nothing: %s, want %s", got, want)
			}
		case "08_prefix":
			if _, err := db.Exec("update w_job_attempt set class = 'x'"); err == nil || !strings.Contains(err.Error(), "append-only") {
				t.Error("the ledger can be changed:", err)
			}
		}
	}
	for i := len(all) - 1; i > 0; i-- {
		for _, down := range all[i].down {
			runSQLite(t, db, down)
		}
		same(all[i-1], "again, down from "+all[i].name)
		if all[i].name == "14_other_types" {
			const columns = "flag, yes, price, due, size, done, born"
			got := text(t, db, "select json_array("+columns+") from run where job_id in ('13_more_columns', '14_other_types') order by job_id")
			if want := `[1,1,13.0,1769851800500,"1.5","true","2026-01-31T09:30:00.000Z"]` + "\n" + `[null,1,14.0,null,"0.5","false","1970-01-01T00:00:00.000Z"]`; got != want {
				t.Errorf("types again: %s, want %s", got, want)
			}
		}
		if t.Failed() {
			return
		}
	}
}

func openSQLite(t *testing.T) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(filepath.Join(t.TempDir(), "jobs.db")))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func runSQLite(t *testing.T, db *sql.DB, s statements) {
	t.Helper()
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range s.texts {
		if _, err := tx.Exec(text); err != nil {
			t.Fatalf("%s: %v", s.file, err)
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
}

// sqliteTables are the two tables that rows are added to.
func sqliteTables(t *testing.T, db *sql.DB) []string {
	t.Helper()
	return column(t, db, "select name from sqlite_master where type = 'table' and name not like '%purge' order by name")
}

// insertSQLite adds a row with a value in every column, which is another for each step.
func insertSQLite(t *testing.T, db *sql.DB, table, step string) {
	t.Helper()
	known := map[string]string{
		"outcome": "'transient'", "decision": "'retry'", "class": "'timeout'", "delay_ms": "1", "attempt": "1", "dead_reason": "null",
		"state": "'scheduled'", "lease_token": "null", "lease_until": "null", "dead_at": "null", "run_alone": "0", "company": "0", "job_id": "'" + step + "'",
		"flag": "1", "yes": "1", "due": "1769851800500", "size": "'1.5'", "done": "'true'", "born": "'2026-01-31T09:30:00Z'",
		"region": "'" + strings.TrimLeft(step[:2], "0") + "0'",
	}
	if step >= "14" { // what cannot go back to what it was
		known["flag"], known["due"], known["size"], known["done"], known["born"] = "'maybe'", "'soon'", "0.5", "0", "0"
	}
	if strings.Contains(step, "03") || strings.Contains(step, "05") {
		known["region"] = "'north'"
	}
	if strings.Contains(table, "attempt") || table == "run" {
		known["lease_token"] = "'token'"
	}
	if step >= "06" {
		known["region"] = strings.TrimLeft(step[:2], "0")
	}
	var names, values []string
	for _, c := range column(t, db, "select name || ' ' || type from pragma_table_info('"+table+"')") {
		name, kind, _ := strings.Cut(c, " ")
		value, there := known[name]
		switch {
		case there:
		case kind == "TEXT" || kind == "text":
			value = "'x'"
		case kind == "BLOB" || kind == "blob":
			value = "x'00'"
		default:
			value = strings.TrimLeft(step[:2], "0")
		}
		names, values = append(names, name), append(values, value)
	}
	if _, err := db.Exec(fmt.Sprintf("insert into %s (%s) values (%s)", table, strings.Join(names, ", "), strings.Join(values, ", "))); err != nil {
		t.Fatalf("%s after %s: %v", table, step, err)
	}
}

var (
	comment = regexp.MustCompile(`(?m)--.*$`)
	blanks  = regexp.MustCompile(`\s+`)
	tableOf = regexp.MustCompile(`^create table (\w+) \((.*)\) ?strict$`)
)

// sqliteSchema is one line for each column and constraint of a table, index, trigger and view. Where a column stands in its
// table, and how a name is quoted, does not count.
func sqliteSchema(t *testing.T, db *sql.DB) (lines []string) {
	t.Helper()
	for _, text := range column(t, db, "select sql from sqlite_master where sql is not null") {
		text = strings.ReplaceAll(comment.ReplaceAllString(text, ""), `"`, "")
		text = strings.TrimSpace(strings.ReplaceAll(blanks.ReplaceAllString(text, " "), " ,", ","))
		text = strings.Replace(text, "CREATE TABLE", "create table", 1)
		text = strings.Replace(text, "CREATE INDEX", "create index", 1)
		table := tableOf.FindStringSubmatch(text)
		if table == nil {
			lines = append(lines, text)
			continue
		}
		for _, part := range parts(table[2]) {
			lines = append(lines, table[1]+": "+part)
		}
	}
	slices.Sort(lines)
	return lines
}

// parts splits a list at the commas that are outside brackets.
func parts(list string) (out []string) {
	depth, from := 0, 0
	for i, r := range list + "," {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case r == ',' && depth == 0:
			out = append(out, strings.TrimSpace(list[from:i]))
			from = i + 1
		}
	}
	return out
}

func column(t *testing.T, db *sql.DB, query string) (out []string) {
	t.Helper()
	rows, err := db.Query(query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func text(t *testing.T, db *sql.DB, query string) string {
	t.Helper()
	return strings.Join(column(t, db, query), "\n")
}

func number(t *testing.T, db *sql.DB, query string) (n int) {
	t.Helper()
	if err := db.QueryRow(query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
