//go:build unix

package jobs

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/retryc/retryc/golden/pgserver"
)

// server is a PostgreSQL server of the test's own.
type server struct {
	*testing.T
	*pgserver.Server
}

// newServer skips the test where no server can be started; in CI it fails.
func newServer(t *testing.T) *server {
	t.Helper()
	s, err := pgserver.New()
	switch {
	case errors.Is(err, pgserver.ErrMissing) && os.Getenv("CI") != "true":
		t.Skip(err)
	case err != nil:
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return &server{t, s}
}

// restart is a power cut, and the server's coming back.
func (s *server) restart() {
	s.Helper()
	if err := errors.Join(s.Kill(), s.Start()); err != nil {
		s.Fatal(err)
	}
}

// set changes a setting of the running server, as its superuser.
func (s *server) set(setting string) {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), 10*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.URL("postgres"))
	if err != nil {
		s.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }()
	for _, query := range []string{setting, "select pg_reload_conf()"} {
		if _, err := conn.Exec(ctx, query); err != nil {
			s.Fatal(err)
		}
	}
}

// theatre is one on a schema of a role's own.
func (s *server) theatre(role, lease string) *theatre {
	s.Helper()
	if role != "postgres" {
		s.set("create role " + role + " login")
	}
	s.set("create schema " + role + "_jobs authorization " + role)
	config, err := pgxpool.ParseConfig(s.URL(role))
	if err != nil {
		s.Fatal(err)
	}
	config.ConnConfig.RuntimeParams["search_path"] = role + "_jobs"
	config.MaxConns = 2
	h := &theatre{T: s.T, dir: s.TempDir(), lease: lease}
	h.openOn(config)
	h.exec(createEffect)
	return h
}
