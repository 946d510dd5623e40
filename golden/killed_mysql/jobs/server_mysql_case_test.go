//go:build unix

package jobs

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/retryc/retryc/golden/mariaserver"
)

// newServer is a server of the test's own. The test is skipped where none can be started; in CI it fails.
func newServer(t *testing.T) (*mariaserver.Server, *theatre) {
	t.Helper()
	s, err := mariaserver.New()
	switch {
	case errors.Is(err, mariaserver.ErrMissing) && os.Getenv("CI") != "true":
		t.Skip(err)
	case err != nil:
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	config, err := mysql.ParseDSN(s.DSN())
	if err != nil {
		t.Fatal(err)
	}
	config.DBName = "test"
	h := &theatre{T: t, dir: t.TempDir(), lease: "20s"}
	h.openOn(config)
	h.exec(createEffect)
	return s, h
}

func TestServerThatIsKilledInMidFinishLosesNothing(t *testing.T) {
	t.Parallel()
	s, h := newServer(t)
	enqueued := map[string]bool{}
	for i, point := range []string{"finish before commit", "effect before commit", "finish after commit", "effect after commit"} {
		p := h.start("worker", "PAUSE="+point)
		p.mustAwait("ready")
		var id string
		if strings.HasPrefix(point, "effect") {
			id = h.paid(fmt.Sprint(i), "effect")
		} else {
			id = h.plain("nothing")
		}
		enqueued[id] = true
		p.mustAwait("at " + point)
		if err := errors.Join(s.Kill(), s.Start()); err != nil {
			t.Fatal(err)
		}
		p.tell("on")
		h.until("the job is done", func() bool { return len(h.attempts(id)) == 1 })
		p.stop()
		h.wantOnce(id)
	}
	h.audit(enqueued)
}

func TestServerThatIsReadOnlyForAWhileLosesNothing(t *testing.T) {
	t.Parallel()
	_, h := newServer(t)
	h.exec("create user app@'127.0.0.1'") // whom read_only stops, as it does not stop a superuser
	h.exec("grant all on `" + h.strings("select database()")[0] + "`.* to app@'127.0.0.1'")
	h.env[0] = strings.Replace(h.env[0], "root@", "app@", 1)
	id, waits := h.paid("e", "wait effect"), h.plain("wait")
	p := h.start("worker")
	p.mustAwait("in handler")
	p.mustAwait("in handler")
	h.exec("set global read_only = on")
	p.tell("go")
	for _, refused := range []string{"effects could not be committed; trying again", "a turn failed; its attempts are kept"} {
		if !strings.Contains(strings.Join(p.seen, "\n"), refused) {
			p.mustAwait(refused)
		}
	}
	h.exec("set global read_only = off")
	h.over()
	p.stop()
	h.wantOnce(id, waits)
	h.audit(map[string]bool{id: true, waits: true})
}
