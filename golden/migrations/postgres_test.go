package migrations

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Jobs are enqueued all the while, as by a program that knows no column of the team's.
func TestOnPostgres(t *testing.T) {
	db := openPostgres(t, "")
	all := steps(t, "postgres")
	run := func(files []statements) {
		t.Helper()
		for _, f := range files {
			for _, text := range f.texts {
				if _, err := db.Exec(t.Context(), text, pgx.QueryExecModeSimpleProtocol); err != nil {
					t.Fatalf("%s: %v", f.file, err)
				}
			}
		}
	}
	same := func(s step, way string) {
		t.Helper()
		fresh := openPostgres(t, "_fresh")
		if _, err := fresh.Exec(t.Context(), s.fresh.texts[0], pgx.QueryExecModeSimpleProtocol); err != nil {
			t.Fatalf("%s: %v", s.fresh.file, err)
		}
		want, got := postgresSchema(t, fresh), postgresSchema(t, db)
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
	run(all[0].up)
	stop := enqueue(t)
	const types = "select distinct json_build_array(flag, yes, price, due, size, done, born)::text from task where flag is not null"
	for _, s := range all[1:] {
		run(s.up)
		same(s, "up")
		if s.name == "13_more_columns" {
			set := "set flag = true, yes = true, price = 13, due = '2026-01-31T09:30:00.5Z', size = '1.5', done = 'true', born = '2026-01-31T09:30:00Z'"
			if _, err := db.Exec(t.Context(), "update task "+set); err != nil {
				t.Fatal(err)
			}
		}
		if s.name == "14_other_types" {
			if got, want := rowsOf(t, db, types), []string{`["true", 1, 13, "2026-01-31T09:30:00.500000Z", 1.5, true, "2026-01-31T09:30:00+00:00"]`}; !slices.Equal(got, want) {
				t.Errorf("other types: %s, want %s", got, want)
			}
		}
	}
	if _, err := db.Exec(t.Context(), "update y_job_attempt set class = 'x'"); err == nil || !strings.Contains(err.Error(), "append-only") {
		t.Error("the ledger can be changed:", err)
	}
	for i := len(all) - 1; i > 0; i-- {
		run(all[i].down)
		same(all[i-1], "again, down from "+all[i].name)
		if all[i].name == "14_other_types" {
			if got, want := rowsOf(t, db, types), []string{`[true, true, 13, "2026-01-31T09:30:00.5+00:00", "1.5", "true", "2026-01-31T09:30:00.000000Z"]`}; !slices.Equal(got, want) {
				t.Errorf("types again: %s, want %s", got, want)
			}
		}
	}
	inserted, longest := stop()
	if n := rowsOf(t, db, "select count(*)::text from job"); inserted < len(all) || n[0] != fmt.Sprint(inserted) {
		t.Errorf("%d jobs were enqueued, and there are %s", inserted, n)
	}
	t.Logf("%d jobs were enqueued meanwhile, the slowest in %v", inserted, longest)
}

// enqueue adds a job and an attempt of it again and again, until it is stopped. It answers how many there are then, and how
// long the slowest took. A table that has another name by now is looked for under each that it has in some step.
func enqueue(t *testing.T) (stop func() (inserted int, longest time.Duration)) {
	db := connect(t, schemaOf(t, ""))
	ctx, cancel := context.WithCancel(t.Context())
	var done sync.WaitGroup
	inserted, longest := 0, time.Duration(0)
	done.Go(func() {
		names := [][2]string{{"job", "job_attempt"}, {"w_job", "w_job_attempt"}, {"task", "run"}, {"y_job", "y_job_attempt"}}
		for ctx.Err() == nil {
			if _, err := db.Exec(t.Context(), "select pg_sleep(0.005)"); err != nil {
				t.Error(err)
				return
			}
			started := time.Now()
			err := pgx.BeginFunc(t.Context(), db, func(tx pgx.Tx) error {
				var id string
				err := tx.QueryRow(t.Context(), fmt.Sprintf(`insert into %s (job_id, queue, payload, payload_sha256, schema_hash, policy_hash, created_at, next_run_at)
					values (gen_random_uuid(), 'charge', '{}', '', '', '', now(), now()) returning job_id::text`, names[0][0])).Scan(&id)
				if err != nil {
					return err
				}
				_, err = tx.Exec(t.Context(), fmt.Sprintf(`insert into %s (job_id, attempt, outcome, attempted_at, queue, generation, decision, payload_sha256, started_at, lease_token, worker, policy_hash)
					values ($1, 1, 'ok', now(), 'charge', 1, 'done', '', now(), '', '', '')`, names[0][1]), id)
				return err
			})
			var refused *pgconn.PgError
			switch {
			case err == nil:
				inserted++
				longest = max(longest, time.Since(started))
			case errors.As(err, &refused) && refused.Code == "42P01": // no such table
				names = append(names[1:], names[0])
			default:
				t.Error("enqueue:", err)
				cancel()
			}
		}
	})
	return func() (int, time.Duration) {
		cancel()
		done.Wait()
		return inserted, longest
	}
}

func schemaOf(t *testing.T, suffix string) string {
	return fmt.Sprintf("retryc_migrations_%d%s", os.Getpid(), suffix)
}

// openPostgres is a connection to an empty schema.
func openPostgres(t *testing.T, suffix string) *pgx.Conn {
	t.Helper()
	schema := schemaOf(t, suffix)
	db := connect(t, schema)
	if _, err := db.Exec(t.Context(), "drop schema if exists "+schema+" cascade; create schema "+schema); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		last := connect(t, schema)
		if _, err := last.Exec(context.Background(), "drop schema if exists "+schema+" cascade"); err != nil {
			t.Error(err)
		}
	})
	return db
}

func connect(t *testing.T, schema string) *pgx.Conn {
	t.Helper()
	const variable = "RETRYC_TEST_POSTGRES"
	name := os.Getenv(variable)
	if name == "" {
		if os.Getenv("CI") != "" {
			t.Fatal(variable + " is not set: it names a database for this test, such as postgres://postgres@127.0.0.1:5432/postgres")
		}
		t.Skip(variable + " names no database for this test")
	}
	config, err := pgx.ParseConfig(name)
	if err != nil {
		t.Fatal(err)
	}
	config.RuntimeParams["search_path"], config.RuntimeParams["TimeZone"] = schema, "UTC"
	config.DefaultQueryExecMode = pgx.QueryExecModeExec // plans would be of tables that change
	db, err := pgx.ConnectConfig(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close(context.Background()) })
	return db
}

// postgresSchema is one line for each column, constraint, index, trigger, function and view. Where a column stands in its
// table does not count, and neither does the name of a check, which the server chose.
func postgresSchema(t *testing.T, db *pgx.Conn) []string {
	t.Helper()
	lines := rowsOf(t, db, `
		select relname || ': ' || attname || ' ' || format_type(atttypid, atttypmod) || ' ' || attnotnull || ' ' || coalesce(pg_get_expr(adbin, adrelid), '')
			from pg_class c join pg_attribute on attrelid = c.oid left join pg_attrdef on adrelid = c.oid and adnum = attnum
			where relnamespace = current_schema::regnamespace and relkind in ('r', 'v') and attnum > 0 and not attisdropped
		union all select conrelid::regclass || ': ' || pg_get_constraintdef(oid) from pg_constraint where connamespace = current_schema::regnamespace
		union all select pg_get_indexdef(indexrelid) || ' valid ' || indisvalid from pg_index join pg_class on pg_class.oid = indexrelid where relnamespace = current_schema::regnamespace
		union all select pg_get_triggerdef(t.oid) from pg_trigger t join pg_class c on c.oid = tgrelid where relnamespace = current_schema::regnamespace
		union all select proname || ' ' || prosrc from pg_proc where pronamespace = current_schema::regnamespace
		union all select relname || ' ' || pg_get_viewdef(oid) from pg_class where relnamespace = current_schema::regnamespace and relkind = 'v'
		union all select relname || ' with ' || reloptions::text from pg_class where relnamespace = current_schema::regnamespace and reloptions is not null`)
	schema := rowsOf(t, db, "select current_schema::text")[0] + "."
	for i := range lines {
		lines[i] = strings.ReplaceAll(lines[i], schema, "")
	}
	return lines
}

func rowsOf(t *testing.T, db *pgx.Conn, query string) []string {
	t.Helper()
	rows, err := db.Query(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return lines
}
