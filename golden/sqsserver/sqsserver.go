// Package sqsserver runs an emulator of Amazon SQS of one's own, to be killed. README.md says how they differ from the
// service.
package sqsserver

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// The emulators.
const (
	Fauxqs = "fauxqs"        // behaves as SQS does
	Limits = "local-aws-sqs" // refuses what SQS refuses
)

// Server listens on a port of its own.
type Server struct {
	emulator, dir string
	port          int
	process       *exec.Cmd
}

// ErrMissing is that this machine lacks Node.js, or what npm ci installs.
var ErrMissing = errors.New("no emulator of SQS can be started here")

// New starts an emulator. Close ends it; so does the end of this process.
func New(emulator string) (*Server, error) {
	_, file, _, _ := runtime.Caller(0)
	s := &Server{emulator: emulator, dir: filepath.Dir(file)}
	if _, err := exec.LookPath("node"); err != nil {
		return nil, fmt.Errorf("%w: node is not installed", ErrMissing)
	}
	if _, err := os.Stat(filepath.Join(s.dir, "node_modules", emulator)); err != nil {
		return nil, fmt.Errorf("%w: run npm ci in golden/sqsserver", ErrMissing)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s.port = free.Addr().(*net.TCPAddr).Port
	_ = free.Close()
	return s, s.Start()
}

// Start starts it again, without the queues that it had, and waits until it answers.
func (s *Server) Start() error {
	s.process = exec.Command("node", "serve.mjs", fmt.Sprintf("%s=%d", s.emulator, s.port))
	s.process.Dir, s.process.Stderr = s.dir, os.Stderr
	if _, err := s.process.StdinPipe(); err != nil { // its end is the emulator's
		return err
	}
	out, err := s.process.StdoutPipe()
	if err != nil {
		return err
	}
	if err := s.process.Start(); err != nil {
		return err
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		return errors.Join(fmt.Errorf("%s did not start: %w", s.emulator, err), s.Close())
	}
	return nil
}

// Close ends it as a kill does. Its queues are in memory, and gone.
func (s *Server) Close() error {
	_ = s.process.Process.Kill() // it may have ended
	_ = s.process.Wait()         // it says that it was killed
	return nil
}

// URL is where it answers.
func (s *Server) URL() string { return fmt.Sprintf("http://127.0.0.1:%d", s.port) }
