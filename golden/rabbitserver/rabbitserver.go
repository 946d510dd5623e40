//go:build unix

// Package rabbitserver runs a RabbitMQ server of one's own, to be killed and to be spoilt.
package rabbitserver

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	amqp "github.com/rabbitmq/amqp091-go" // to ask whether it answers
)

// server is the program of Debian's package. The one in PATH changes to another user.
const server = "/usr/lib/rabbitmq/bin/rabbitmq-server"

// Server is in a folder of its own, and listens on ports of its own, of this machine alone.
type Server struct {
	dir     string
	port    int
	env     []string
	names   *exec.Cmd // the port mapper of Erlang: one that the server started would stay behind
	process *exec.Cmd
}

// ErrMissing is that this machine lacks the programs of the server.
var ErrMissing = errors.New("no RabbitMQ server can be started here")

// New makes a server and starts it. Close ends it.
func New() (*Server, error) {
	epmd, err := exec.LookPath("epmd")
	if _, missing := os.Stat(server); missing != nil || err != nil {
		return nil, fmt.Errorf("%w: rabbitmq-server is not installed", ErrMissing)
	}
	dir, err := os.MkdirTemp("", "retryc-server-")
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir}
	if err := s.make(epmd); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Server) make(epmd string) error {
	ports, err := freePorts(3)
	if err != nil {
		return err
	}
	s.port = ports[0]
	config := fmt.Sprintf("listeners.tcp.1 = 127.0.0.1:%d\n", s.port)
	if err := os.WriteFile(s.path("rabbitmq.conf"), []byte(config), 0o600); err != nil {
		return err
	}
	if err := os.WriteFile(s.path("enabled_plugins"), []byte("[].\n"), 0o600); err != nil {
		return err
	}
	s.env = append(os.Environ(),
		"HOME="+s.dir, // where the cookie is
		"ERL_EPMD_ADDRESS=127.0.0.1", "ERL_EPMD_PORT="+strconv.Itoa(ports[1]),
		"RABBITMQ_NODENAME=retryc"+strconv.Itoa(s.port)+"@localhost", "RABBITMQ_DIST_PORT="+strconv.Itoa(ports[2]),
		"RABBITMQ_MNESIA_BASE="+s.path("mnesia"), "RABBITMQ_LOG_BASE="+s.path("log"),
		"RABBITMQ_CONFIG_FILE="+s.path("rabbitmq"), "RABBITMQ_ENABLED_PLUGINS_FILE="+s.path("enabled_plugins"),
		"RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=-noinput -kernel inet_dist_use_interface {127,0,0,1}",
		"RABBITMQ_ALLOW_INPUT=1", // this process is the server then, and not a shell that waits for it
	)
	s.names = exec.Command(epmd)
	s.names.Env, s.names.SysProcAttr = s.env, endsWithParent()
	if err := s.names.Start(); err != nil {
		return err
	}
	return s.Start()
}

func (s *Server) path(name string) string { return filepath.Join(s.dir, name) }

func freePorts(n int) ([]int, error) {
	var ports []int
	for range n {
		free, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer func() { _ = free.Close() }() // all at the end, so that they differ
		ports = append(ports, free.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// Start starts it again, and waits until it answers.
func (s *Server) Start() error {
	out, err := os.OpenFile(s.path("out"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = out.Close() }()
	s.process = exec.Command(server)
	s.process.Dir, s.process.Env, s.process.SysProcAttr = s.dir, s.env, endsWithParent()
	s.process.Stdout, s.process.Stderr = out, out
	if err := s.process.Start(); err != nil {
		return err
	}
	for over := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		conn, err := amqp.Dial(s.URL())
		if err == nil {
			return conn.Close()
		}
		if time.Now().After(over) {
			said, _ := os.ReadFile(s.path("out"))
			return fmt.Errorf("RabbitMQ does not answer: %w\n%s", err, said)
		}
	}
}

// settled is how old a quorum queue has to be to outlive a kill: RabbitMQ 3.10 writes down which ones it has when nothing has
// changed for 500 ms, and one that it has forgotten never answers again.
const settled = 2 * time.Second

// Kill ends it as a power cut does, a moment later.
func (s *Server) Kill() error {
	time.Sleep(settled)
	if err := s.signal(syscall.SIGKILL); err != nil {
		return err
	}
	_ = s.process.Wait() // it was killed
	return nil
}

// Freeze lets it answer nothing, as a network that loses everything, until Thaw.
func (s *Server) Freeze() error {
	if err := s.signal(syscall.SIGSTOP); err != nil {
		return err
	}
	for { // until it stands still: a signal takes its time to reach every thread
		var status syscall.WaitStatus
		_, err := syscall.Wait4(s.process.Process.Pid, &status, syscall.WUNTRACED, nil)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// Thaw lets it go on.
func (s *Server) Thaw() error { return s.signal(syscall.SIGCONT) }

func (s *Server) signal(sig syscall.Signal) error { return s.process.Process.Signal(sig) }

// Close ends it, and removes what it stored.
func (s *Server) Close() error {
	if s.process != nil && s.process.Process != nil {
		_ = s.Kill() // it may have been killed
	}
	if s.names != nil && s.names.Process != nil {
		_ = s.names.Process.Kill()
		_ = s.names.Wait() // it was killed
	}
	return os.RemoveAll(s.dir)
}

// Control runs rabbitmqctl on it.
func (s *Server) Control(args ...string) error {
	cmd := exec.Command(filepath.Join(filepath.Dir(server), "rabbitmqctl"), args...)
	cmd.Env = s.env
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("rabbitmqctl %v: %w\n%s", args, err, out)
	}
	return nil
}

// URL is how to connect.
func (s *Server) URL() string { return fmt.Sprintf("amqp://guest:guest@127.0.0.1:%d/", s.port) }
