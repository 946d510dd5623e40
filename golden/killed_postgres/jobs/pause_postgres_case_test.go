//go:build unix

package jobs

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgconn"
)

// wire is a connection to the server that reads along. It knows which of the store's statements are under way, and when
// their transaction is over, and there it stops the process (PAUSE), cuts the connection (CUT) or lets everything vanish
// that is sent from then on (STALL), the last two for as many times as TIMES says.
type wire struct {
	net.Conn
	kinds map[string]string // of statements, by their text

	mu      sync.Mutex
	named   map[string]string // kinds of statements, by the name under which they were prepared
	started bool
	status  byte     // of the transaction, as the server told it last
	asked   []string // kinds that were sent since the server was ready
	ran     []string // kinds in this transaction
	answer  []byte   // of the server, up to the end of its last whole message
	stalled bool
}

func dialWire(kinds map[string]string, dial pgconn.DialFunc) pgconn.DialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return &wire{Conn: c, kinds: kinds, named: map[string]string{}}, nil
	}
}

var (
	errCut   = errors.New("the connection was cut")
	troubles atomic.Int64 // that have happened
)

// at is a moment before a message is sent, or after one has come.
func (w *wire) at(kinds []string, moment string) error {
	for _, kind := range kinds {
		point := kind + " " + moment
		pause(point)
		cut, stall := point == os.Getenv("CUT"), point == os.Getenv("STALL")
		if times, _ := strconv.Atoi(os.Getenv("TIMES")); !cut && !stall || troubles.Add(1) > int64(max(times, 1)) {
			continue
		}
		fmt.Println("trouble", point)
		if w.stalled = stall; cut {
			return errors.Join(errCut, w.Conn.Close())
		}
	}
	return nil
}

// Write sends whole messages: the driver writes no halves.
func (w *wire) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	sent := 0
	send := func(upTo int) error {
		if w.stalled {
			return nil
		}
		n, err := w.Conn.Write(b[sent:upTo])
		sent += n
		return err
	}
	if !w.started { // the first message has no type
		w.started = true
		return len(b), send(len(b))
	}
	for at := 0; at < len(b); {
		end := at + 1 + int(binary.BigEndian.Uint32(b[at+1:]))
		kinds, moments := w.sending(b[at], b[at+5:end])
		if len(kinds) > 0 {
			if err := send(at); err != nil {
				return sent, err
			}
		}
		for _, moment := range moments {
			if err := w.at(kinds, moment); err != nil {
				return sent, err
			}
		}
		at = end
	}
	return len(b), send(len(b))
}

// sending is the moments before a message is sent, and the kinds of statements whose moments they are.
func (w *wire) sending(kind byte, body []byte) (kinds, moments []string) {
	text := func() string {
		s, rest, _ := bytes.Cut(body, []byte{0})
		body = rest
		return string(s)
	}
	switch kind {
	case 'P': // prepare: name, text
		name := text()
		w.named[name] = w.kinds[text()]
	case 'B': // bind: portal, name, parameters
		_ = text()
		k := w.named[text()]
		if k == "finish" && bytes.Contains(body, []byte(`"reaped":true`)) {
			k = "reap"
		}
		if k != "" {
			w.asked, w.ran = append(w.asked, k), append(w.ran, k)
			return []string{k}, []string{"before"}
		}
	case 'S': // sync: outside a transaction, all that came before it is one, and is committed now
		if w.status == 'I' {
			return w.ran, []string{"after", "before commit"}
		}
	case 'Q': // a simple query
		if q := text(); strings.HasPrefix(q, "commit") {
			return w.ran, []string{"before commit"}
		} else if q == "rollback" {
			w.ran = nil
		}
	}
	return nil, nil
}

// Read sees when the server is ready again: what was asked has run, and outside a transaction it is committed.
func (w *wire) Read(b []byte) (int, error) {
	for {
		n, err := w.Conn.Read(b)
		if trouble := w.heard(b[:n]); trouble != nil {
			return 0, trouble
		}
		if !w.stalled || err != nil {
			return n, err
		}
	}
}

func (w *wire) heard(b []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answer = append(w.answer, b...)
	for len(w.answer) > 4 {
		end := 1 + int(binary.BigEndian.Uint32(w.answer[1:]))
		if end > len(w.answer) {
			break
		}
		var trouble error
		switch kind := w.answer[0]; kind {
		case 'E': // an error
			w.asked, w.ran = nil, nil
		case 'Z': // ready
			w.status = w.answer[5]
			if asked := w.asked; w.status == 'T' {
				w.asked = nil
				trouble = w.at(asked, "after")
			} else {
				ran := w.ran
				w.asked, w.ran = nil, nil
				trouble = w.at(ran, "after commit")
			}
		}
		if trouble != nil {
			return trouble
		}
		w.answer = w.answer[end:]
	}
	return nil
}
