//go:build unix

package pgserver

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Pooler is a PgBouncer in front of a server, which hands out connections by transaction.
type Pooler struct {
	cmd  *exec.Cmd
	dir  string
	port int
}

// Pool starts a pooler with a number of connections to the server, for some of its roles. Close ends it.
func (s *Server) Pool(size int, roles ...string) (*Pooler, error) {
	bin, err := exec.LookPath("pgbouncer")
	if err != nil {
		return nil, fmt.Errorf("%w: pgbouncer is not installed", ErrMissing)
	}
	p := &Pooler{}
	if p.dir, err = os.MkdirTemp(s.dir, "pooler-"); err != nil {
		return nil, err
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p.port = free.Addr().(*net.TCPAddr).Port
	_ = free.Close()
	users := ""
	for _, role := range roles {
		users += `"` + role + `" ""` + "\n"
	}
	config := strings.Join([]string{
		"[databases]", fmt.Sprintf("postgres = host=127.0.0.1 port=%d", s.port),
		"[pgbouncer]", "listen_addr = 127.0.0.1", fmt.Sprintf("listen_port = %d", p.port), "unix_socket_dir =",
		"auth_type = trust", "auth_file = " + p.file("users"), "pool_mode = transaction", "ignore_startup_parameters = search_path, lock_timeout", fmt.Sprintf("default_pool_size = %d", size), "",
	}, "\n")
	for name, text := range map[string]string{"users": users, "ini": config} {
		if err := os.WriteFile(p.file(name), []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	if s.as != nil { // nor does it run as root
		if err := os.Chown(p.dir, int(s.as.Uid), int(s.as.Gid)); err != nil {
			return nil, err
		}
	}
	p.cmd = exec.Command(bin, "-q", p.file("ini"))
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.as}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	for range 100 {
		conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", p.port))
		if err == nil {
			return p, conn.Close()
		}
		time.Sleep(50 * time.Millisecond)
	}
	return nil, errors.Join(errors.New("the pooler does not answer"), p.Close())
}

func (p *Pooler) file(name string) string { return filepath.Join(p.dir, name) }

// URL is how a role connects through the pooler.
func (p *Pooler) URL(role string) string {
	return fmt.Sprintf("postgres://%s@127.0.0.1:%d/postgres?sslmode=disable", role, p.port)
}

// Close ends it.
func (p *Pooler) Close() error {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait() // it was killed
	return nil
}
