package producers_test

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/retryc/retryc/golden/producers/jobs"
)

// newRole makes a role that may do nothing yet.
func newRole(t *testing.T, trial *jobs.Trial, kind string) string {
	t.Helper()
	role := "retryc_" + kind + "_" + strings.ToLower(rand.Text())
	if _, err := trial.DB().Exec(t.Context(), "create role "+role); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = trial.DB().Exec(context.Background(), "drop owned by "+role+"; drop role "+role) })
	return role
}

// grant runs grants_gen.sql with variables, such as worker=jobs_worker.
func grant(t *testing.T, trial *jobs.Trial, variables ...string) error {
	t.Helper()
	if _, err := exec.LookPath("psql"); err != nil {
		missing(t, "psql", "install PostgreSQL's client")
	}
	args := []string{"-X", "-q", "-f", "jobs/grants_gen.sql"}
	for _, v := range variables {
		args = append(args, "-v", v)
	}
	psql := exec.Command("psql", append(args, os.Getenv("RETRYC_TEST_POSTGRES"))...)
	psql.Env = append(os.Environ(), "PGOPTIONS=-c search_path="+schemaOf(t, trial))
	out, err := psql.CombinedOutput()
	if err != nil {
		return errors.New(string(out))
	}
	return nil
}

// missing ends a test that lacks a program: in CI it must be there.
func missing(t *testing.T, what, advice string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("needs %s: %s", what, advice)
	}
	t.Skipf("needs %s: %s", what, advice)
}

func schemaOf(t *testing.T, trial *jobs.Trial) (schema string) {
	t.Helper()
	if err := trial.DB().QueryRow(t.Context(), "select current_schema()").Scan(&schema); err != nil {
		t.Fatal(err)
	}
	return schema
}

// as is connections on which a role works.
func as(t *testing.T, trial *jobs.Trial, role string) *pgxpool.Pool {
	t.Helper()
	config := trial.DB().Config()
	config.ConnConfig.RuntimeParams["role"] = role
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// wantDenied wants the server to refuse statements for lack of a right, and not for another reason.
func wantDenied(t *testing.T, who string, pool *pgxpool.Pool, statements ...string) {
	t.Helper()
	for _, s := range statements {
		_, err := pool.Exec(t.Context(), s)
		if e := new(pgconn.PgError); !errors.As(err, &e) || e.Code != "42501" {
			t.Errorf("%s: %s: %v", who, s, err)
		}
	}
}
