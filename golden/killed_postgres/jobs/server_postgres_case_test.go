//go:build unix

package jobs

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// server is a PostgreSQL server of the test's own, to be killed and to be spoilt.
type server struct {
	*testing.T
	bin, dir string
	port     int
	as       *syscall.Credential // the server refuses to run as root
}

// newServer makes a server in a folder of its own. Where there are no programs for it, the test is skipped; in CI it fails.
func newServer(t *testing.T, settings ...string) *server {
	t.Helper()
	s := &server{T: t}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // where Debian has them, outside PATH
	slices.Sort(found)
	if path, err := exec.LookPath("initdb"); err == nil {
		found = append(found, path)
	}
	if len(found) == 0 {
		s.missing("needs the server programs of PostgreSQL, such as initdb")
	}
	s.bin = filepath.Dir(found[len(found)-1])
	var err error
	if s.dir, err = os.MkdirTemp("", "retryc-server-"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(s.dir) })
	if os.Getuid() == 0 {
		s.becomePostgres()
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.port = free.Addr().(*net.TCPAddr).Port
	_ = free.Close()
	s.run("initdb", "-D", s.data(), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	conf := fmt.Sprintf("port = %d\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = '%s'\n", s.port, s.dir)
	for _, setting := range settings {
		conf += setting + "\n"
	}
	f, err := os.OpenFile(filepath.Join(s.data(), "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(conf)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.command("pg_ctl", "-D", s.data(), "-m", "immediate", "stop").Run() })
	s.start()
	return s
}

func (s *server) missing(what string) {
	s.Helper()
	if os.Getenv("CI") == "true" {
		s.Fatal(what)
	}
	s.Skip(what)
}

// becomePostgres lets the server run as the user postgres.
func (s *server) becomePostgres() {
	s.Helper()
	who, err := user.Lookup("postgres")
	if err != nil {
		s.missing("the server refuses to run as root, and there is no user postgres")
	}
	uid, _ := strconv.ParseUint(who.Uid, 10, 32)
	gid, _ := strconv.ParseUint(who.Gid, 10, 32)
	s.as = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	if err := os.Chown(s.dir, int(uid), int(gid)); err != nil {
		s.Fatal(err)
	}
}

func (s *server) data() string { return filepath.Join(s.dir, "data") }

func (s *server) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.bin, name), args...)
	cmd.Dir, cmd.SysProcAttr = s.dir, &syscall.SysProcAttr{Credential: s.as}
	return cmd
}

func (s *server) run(name string, args ...string) {
	s.Helper()
	if out, err := s.command(name, args...).CombinedOutput(); err != nil {
		s.Fatalf("%s: %v\n%s", name, err, out)
	}
}

func (s *server) start() {
	s.Helper()
	s.run("pg_ctl", "-D", s.data(), "-w", "-l", filepath.Join(s.dir, "log"), "start")
}

// kill is the end of the server as by a power cut.
func (s *server) kill() {
	s.Helper()
	s.run("pg_ctl", "-D", s.data(), "-m", "immediate", "stop")
}

func (s *server) url(who string) string {
	return fmt.Sprintf("postgres://%s@127.0.0.1:%d/postgres?sslmode=disable", who, s.port)
}

// set changes a setting of the running server, as its superuser.
func (s *server) set(setting string) {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), 10*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.url("postgres"))
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

// theatre is one on a schema of who's own.
func (s *server) theatre(who, lease string) *theatre {
	s.Helper()
	if who != "postgres" {
		s.set("create role " + who + " login")
	}
	s.set("create schema " + who + "_jobs authorization " + who)
	config, err := pgxpool.ParseConfig(s.url(who))
	if err != nil {
		s.Fatal(err)
	}
	config.ConnConfig.RuntimeParams["search_path"] = who + "_jobs"
	config.MaxConns = 2
	h := &theatre{T: s.T, dir: s.TempDir(), lease: lease}
	h.openOn(config)
	h.exec(createEffect)
	return h
}
