//go:build unix

// Package pgserver runs a PostgreSQL server of one's own, to be killed and to be spoilt.
package pgserver

import (
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
)

// Server is in a folder of its own, and listens on a port of its own.
type Server struct {
	bin, dir string
	port     int
	as       *syscall.Credential // the server refuses to run as root
}

// ErrMissing is that this machine lacks the programs of the server, or the user that it needs.
var ErrMissing = errors.New("no PostgreSQL server can be started here")

// New makes a server with lines of its configuration, and starts it. Close ends it.
func New(settings ...string) (*Server, error) {
	s := &Server{}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // where Debian has them, outside PATH
	slices.Sort(found)
	if path, err := exec.LookPath("initdb"); err == nil {
		found = append(found, path)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%w: initdb is not installed", ErrMissing)
	}
	s.bin = filepath.Dir(found[len(found)-1])
	var err error
	if s.dir, err = os.MkdirTemp("", "retryc-server-"); err != nil {
		return nil, err
	}
	if err := s.make(settings); err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.dir))
	}
	return s, nil
}

func (s *Server) make(settings []string) error {
	if os.Getuid() == 0 {
		if err := s.becomePostgres(); err != nil {
			return err
		}
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s.port = free.Addr().(*net.TCPAddr).Port
	_ = free.Close()
	if err := s.run("initdb", "-D", s.data(), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(s.data(), "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	settings = append(settings, "port = "+strconv.Itoa(s.port), "listen_addresses = '127.0.0.1'", "unix_socket_directories = '"+s.dir+"'")
	for _, setting := range settings {
		_, err = fmt.Fprintln(f, setting)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return s.Start()
}

// becomePostgres lets the server run as the user postgres.
func (s *Server) becomePostgres() error {
	who, err := user.Lookup("postgres")
	if err != nil {
		return fmt.Errorf("%w: it refuses to run as root, and there is no user postgres", ErrMissing)
	}
	uid, _ := strconv.Atoi(who.Uid)
	gid, _ := strconv.Atoi(who.Gid)
	s.as = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return os.Chown(s.dir, uid, gid)
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

func (s *Server) run(name string, args ...string) error {
	cmd := exec.Command(filepath.Join(s.bin, name), args...)
	cmd.Dir, cmd.SysProcAttr = s.dir, &syscall.SysProcAttr{Credential: s.as}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, out)
	}
	return nil
}

// Start starts it again.
func (s *Server) Start() error {
	return s.run("pg_ctl", "-D", s.data(), "-w", "-l", filepath.Join(s.dir, "log"), "start")
}

// Kill ends it as a power cut does.
func (s *Server) Kill() error { return s.run("pg_ctl", "-D", s.data(), "-m", "immediate", "stop") }

// Close ends it, and removes what it stored.
func (s *Server) Close() error {
	_ = s.Kill() // it may have been killed
	return os.RemoveAll(s.dir)
}

// URL is how a role connects.
func (s *Server) URL(role string) string {
	return fmt.Sprintf("postgres://%s@127.0.0.1:%d/postgres?sslmode=disable", role, s.port)
}
