package jobs

import (
	"bytes"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
)

// wire is what lies between a program and its database: it can be cut, and it can lose the answers to commits.
type wire struct {
	net.Listener
	server string

	mu    sync.Mutex
	open  map[net.Conn]bool
	isCut bool

	lose atomic.Int64 // how many answers to commits are still to be lost
	lost atomic.Int64
}

// newWire is a wire to the database of config, and a store behind it. It has the clock of the store that made the tables.
func newWire(t *testing.T, config *pgxpool.Config, direct *Store) (*wire, *Store) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{Listener: listener, server: fmt.Sprintf("%s:%d", config.ConnConfig.Host, config.ConnConfig.Port), open: map[net.Conn]bool{}}
	go w.serve()
	t.Cleanup(func() { _ = w.Close(); w.cut() })
	behind := config.Copy()
	behind.ConnConfig.Host, behind.ConnConfig.Fallbacks, behind.ConnConfig.TLSConfig = "127.0.0.1", nil, nil // to be read on the way
	behind.ConnConfig.Port = uint16(listener.Addr().(*net.TCPAddr).Port)
	behind.MaxConns = 8
	pool, err := pgxpool.NewWithConfig(t.Context(), behind)
	if err != nil {
		t.Fatal(err)
	}
	store := newStore(pool, statements, direct.clock)
	t.Cleanup(func() { w.cut(); _ = store.Close() })
	return w, store
}

func (w *wire) serve() {
	for {
		program, err := w.Accept()
		if err != nil {
			return
		}
		if !w.keep(program) {
			continue
		}
		server, err := net.Dial("tcp", w.server)
		if err != nil || !w.keep(server) {
			w.end(program)
			continue
		}
		go w.carry(program, server)
	}
}

// keep notes the end of a connection, so that it can be cut. While all are, it closes it.
func (w *wire) keep(end net.Conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.isCut {
		_ = end.Close()
		return false
	}
	w.open[end] = true
	return true
}

// cut ends all connections, and each new one at once.
func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.isCut = true
	for c := range w.open {
		_ = c.Close()
	}
	clear(w.open)
}

func (w *wire) mend() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.isCut = false
}

func (w *wire) end(ends ...net.Conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range ends {
		_ = c.Close()
		delete(w.open, c)
	}
}

// carry passes on what the two say. Where an answer is to be lost, it waits until the server has committed, and cuts the
// connection before the program hears of it.
func (w *wire) carry(program, server net.Conn) {
	defer w.end(program, server)
	var losing atomic.Bool
	go func() {
		defer w.end(program, server)
		buffer := make([]byte, 1<<16)
		for {
			n, err := program.Read(buffer)
			if bytes.Contains(buffer[:n], []byte("commit\x00")) && w.lose.Add(-1) >= 0 {
				losing.Store(true)
			}
			if _, writeErr := server.Write(buffer[:n]); err != nil || writeErr != nil {
				return
			}
		}
	}()
	buffer := make([]byte, 1<<16)
	for {
		n, err := server.Read(buffer)
		if losing.Load() && bytes.Contains(buffer[:n], []byte("COMMIT\x00")) {
			w.lost.Add(1)
			return
		}
		if _, writeErr := program.Write(buffer[:n]); err != nil || writeErr != nil {
			return
		}
	}
}
