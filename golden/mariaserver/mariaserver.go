//go:build unix

// Package mariaserver runs a MariaDB server of one's own, to be killed and to be spoilt.
package mariaserver

import (
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"time"

	_ "github.com/go-sql-driver/mysql" // to ask whether it answers
)

// Server is in a folder of its own, and listens on a port of its own.
type Server struct {
	dir     string
	args    []string
	port    int
	process *exec.Cmd
}

// ErrMissing is that this machine lacks the programs of the server, or the user that it needs.
var ErrMissing = errors.New("no MariaDB server can be started here")

// New makes a server and starts it. Close ends it.
func New() (*Server, error) {
	for _, name := range []string{"mariadb-install-db", "mariadbd"} {
		if _, err := exec.LookPath(name); err != nil {
			return nil, fmt.Errorf("%w: %s is not installed", ErrMissing, name)
		}
	}
	dir, err := os.MkdirTemp("", "retryc-server-")
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir, args: []string{"--no-defaults", "--datadir=" + filepath.Join(dir, "data")}}
	if err := s.make(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Server) make() error {
	if os.Getuid() == 0 {
		who, err := user.Lookup("mysql")
		if err != nil {
			return fmt.Errorf("%w: it refuses to run as root, and there is no user mysql", ErrMissing)
		}
		uid, _ := strconv.Atoi(who.Uid)
		gid, _ := strconv.Atoi(who.Gid)
		if err := os.Chown(s.dir, uid, gid); err != nil {
			return err
		}
		s.args = append(s.args, "--user=mysql")
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s.port = free.Addr().(*net.TCPAddr).Port
	_ = free.Close()
	install := exec.Command("mariadb-install-db", append(s.args, "--auth-root-authentication-method=normal")...)
	install.Env = append(os.Environ(), "TMPDIR="+s.dir) // two that share one remove each other's tables
	if out, err := install.CombinedOutput(); err != nil {
		return fmt.Errorf("mariadb-install-db: %w\n%s", err, out)
	}
	return s.Start()
}

// Start starts it again, and waits until it answers.
func (s *Server) Start() error {
	s.process = exec.Command("mariadbd", append(s.args, "--port="+strconv.Itoa(s.port), "--bind-address=127.0.0.1", "--socket="+filepath.Join(s.dir, "socket"), "--innodb-buffer-pool-size=32M")...)
	s.process.Dir, s.process.Env = s.dir, append(os.Environ(), "TMPDIR="+s.dir)
	if err := s.process.Start(); err != nil {
		return err
	}
	db, err := sql.Open("mysql", s.DSN())
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	for over := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if err = db.Ping(); err == nil || time.Now().After(over) {
			return err
		}
	}
}

// Kill ends it as a power cut does.
func (s *Server) Kill() error {
	if err := s.process.Process.Kill(); err != nil {
		return err
	}
	_ = s.process.Wait() // it was killed
	return nil
}

// Close ends it, and removes what it stored.
func (s *Server) Close() error {
	if s.process != nil && s.process.Process != nil {
		_ = s.Kill() // it may have been killed
	}
	return os.RemoveAll(s.dir)
}

// DSN is how to connect as its superuser.
func (s *Server) DSN() string { return fmt.Sprintf("root@tcp(127.0.0.1:%d)/", s.port) }
