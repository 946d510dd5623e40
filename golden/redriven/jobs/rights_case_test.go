package jobs

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// as makes a role of a kind that may do what grants_gen.sql gives it, and a store on which it works.
func (s *stage) as(kind string) *Store {
	s.Helper()
	if _, err := exec.LookPath("psql"); err != nil {
		if os.Getenv("CI") == "true" {
			s.Fatal("needs psql: install PostgreSQL's client")
		}
		s.Skip("needs psql: install PostgreSQL's client")
	}
	role := "retryc_" + kind + "_" + strings.ToLower(rand.Text())
	s.exec("create role " + role)
	s.Cleanup(func() { _, _ = s.pool.Exec(context.Background(), "drop owned by "+role+"; drop role "+role) })
	psql := exec.Command("psql", "-X", "-q", "-f", "grants_gen.sql", "-v", kind+"="+role, os.Getenv(trialServer))
	psql.Env = append(os.Environ(), "PGOPTIONS=-c search_path="+s.pool.Config().ConnConfig.RuntimeParams["search_path"])
	if out, err := psql.CombinedOutput(); err != nil {
		s.Fatalf("%s", out)
	}
	config := s.pool.Config()
	config.ConnConfig.RuntimeParams["role"] = role
	return realStore(s.T, config)
}

func (s *stage) denied(who string, store *Store, statements ...string) {
	s.Helper()
	for _, query := range statements {
		_, err := store.pool.Exec(s.Context(), query)
		if e := new(pgconn.PgError); !errors.As(err, &e) || e.Code != "42501" {
			s.Errorf("%s: %s: %v", who, query, err)
		}
	}
}

func TestOperatorMaySendBackAndNoMore(t *testing.T) {
	s := newStage(t)
	s.exec(readFile(t, "enqueue_functions_gen.sql"))
	s.unjudged()
	s.dead(9, "a")
	operator := s.as("operator")
	apply := func(p RedrivePlan, err error) {
		if err != nil {
			t.Fatal(err)
		}
		if r, err := operator.apply(t.Context(), &s.rules, p.ID, p.Hash, ann, nil); err != nil || r.State != "done" {
			t.Errorf("%+v %v", r, err)
		}
		if _, err := operator.UndoRedrive(t.Context(), p.ID, ben); err != nil {
			t.Error(err)
		}
	}
	apply(operator.plan(t.Context(), &s.rules, "redrive", DeadFilter{}))
	apply(operator.PlanDiscard(t.Context(), DeadFilter{}))
	letters, err := operator.DeadLetters(t.Context(), DeadFilter{}, "", 1)
	if err != nil || len(letters.Letters) != 1 {
		t.Fatal(letters, err)
	}
	if _, err := operator.History(t.Context(), letters.Letters[0].JobID); err != nil {
		t.Error(err)
	}
	s.denied("operator", operator, "delete from "+jobTable, "insert into "+jobTable+" default values", "update "+jobTable+" set queue = 'x'", "update "+jobTable+" set attempt = 0",
		"update "+ledgerTable+" set class = 'x'", "delete from "+ledgerTable, "insert into "+ledgerTable+" default values", "delete from shop_job_redrive", "delete from "+redriveItems)
	for _, kind := range []string{"worker", "producer"} {
		s.denied(kind, s.as(kind), "select from shop_job_redrive", "insert into shop_job_redrive default values", "update "+redriveItems+" set result = 'sent'")
	}
	s.denied("reader", s.as("reader"), "update shop_job_redrive set operator = 'x'", "update "+jobTable+" set state = 'scheduled'")
	purge := s.as("purge")
	if _, err := purge.Purge(t.Context()); err != nil {
		t.Error(err)
	}
	s.denied("purge", purge, "delete from "+redriveItems, "update shop_job_redrive set operator = 'x'")
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
