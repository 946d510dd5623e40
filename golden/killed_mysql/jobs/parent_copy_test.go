// Code generated from golden/killed/jobs/parent_case_test.go by go test ./generator -update. DO NOT EDIT.

//go:build unix

package jobs

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// deadline is for what is sure to come: no test waits for a time to pass.
const deadline = 40 * time.Second

// theatre is one database and the processes on it.
type theatre struct {
	*testing.T
	store *Store
	dir   string
	lease string
	env   []string // with which a process finds the database
}

const createEffect = "create table effect (job_id text not null, attempt integer not null)"

func newTheatre(t *testing.T, lease string) *theatre {
	t.Helper()
	h := &theatre{T: t, dir: t.TempDir(), lease: lease}
	h.open()
	h.exec(createEffect)
	return h
}

// strings is the first column of a query's rows.
func (h *theatre) strings(query string, args ...any) []string {
	h.Helper()
	all, err := texts(h.Context(), h.store, query, args...)
	if err != nil {
		h.Fatal(err)
	}
	return all
}

func (h *theatre) plain(does string) string {
	h.Helper()
	r, err := EnqueuePlain(h.Context(), h.store, Plain{Does: does})
	if err != nil {
		h.Fatal(err)
	}
	return r.JobID
}

func (h *theatre) paid(event, does string) string {
	h.Helper()
	r, err := EnqueuePaid(h.Context(), h.store, Paid{Event: event, Does: does})
	if err != nil {
		h.Fatal(err)
	}
	return r.JobID
}

// attempts is "attempt class decision reason" of each row of the ledger for the job.
func (h *theatre) attempts(id string) []string {
	h.Helper()
	return h.strings("select attempt || ' ' || coalesce(class, outcome) || ' ' || decision || coalesce(' ' || dead_reason, '') from "+ledgerTable+
		" where job_id = ? order by attempt", id)
}

func (h *theatre) wantAttempts(id string, want ...string) {
	h.Helper()
	if got := h.attempts(id); !slices.Equal(got, want) {
		h.Errorf("ledger %q, want %q", got, want)
	}
}

// until asks the database again and again, and not the clock.
func (h *theatre) until(what string, come func() bool) {
	h.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for over := time.After(deadline); !come(); {
		select {
		case <-tick.C:
		case <-over:
			h.Fatalf("%s: it did not come; jobs %q", what, h.strings("select queue || ' ' || state || ' ' || attempt || ' due ' || next_run_at from "+jobTable))
		}
	}
}

// over waits until every job is done or dead.
func (h *theatre) over() {
	h.Helper()
	h.until("every job is done or dead", func() bool {
		return len(h.strings("select job_id from "+jobTable+" where state in ('scheduled', 'running')")) == 0
	})
}

// child is a process of the test.
type child struct {
	h     *theatre
	cmd   *exec.Cmd
	in    io.Writer
	lines chan string
	seen  []string
}

// start starts a process with variables such as PAUSE=handler.
func (h *theatre) start(who string, vars ...string) *child {
	h.Helper()
	c := &child{h: h, cmd: exec.Command(os.Args[0]), lines: make(chan string, 10_000)}
	c.cmd.Env = append(append(os.Environ(), h.env...), role+"="+who, "RUNS="+filepath.Join(h.dir, "runs"), "LEASE="+h.lease, "BUSY=10000")
	c.cmd.Env = append(c.cmd.Env, vars...)
	c.cmd.Stderr = os.Stderr
	out, err := c.cmd.StdoutPipe()
	if err == nil {
		c.in, err = c.cmd.StdinPipe()
	}
	if err == nil {
		err = c.cmd.Start()
	}
	if err != nil {
		h.Fatal(err)
	}
	go func() {
		defer close(c.lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			c.lines <- s.Text()
		}
	}()
	h.Cleanup(func() { _ = c.cmd.Process.Kill() })
	return c
}

// await reads what the process says until a line holds text; false if it ended before.
func (c *child) await(text string) bool {
	c.h.Helper()
	over := time.After(deadline)
	for {
		select {
		case line, more := <-c.lines:
			c.seen = append(c.seen, line)
			if strings.Contains(line, text) {
				return true
			}
			if !more {
				return false
			}
		case <-over:
			c.h.Fatalf("%q did not come; the process said\n%s", text, strings.Join(c.seen, "\n"))
		}
	}
}

func (c *child) mustAwait(text string) {
	c.h.Helper()
	if !c.await(text) {
		c.h.Fatalf("the process ended without %q; it said\n%s", text, strings.Join(c.seen, "\n"))
	}
}

func (c *child) signal(s syscall.Signal) {
	c.h.Helper()
	if err := c.cmd.Process.Signal(s); err != nil {
		c.h.Fatal(err)
	}
}

func (c *child) tell(word string) {
	c.h.Helper()
	if _, err := fmt.Fprintln(c.in, word); err != nil {
		c.h.Fatal(err)
	}
}

// kill is kill -9.
func (c *child) kill() {
	c.h.Helper()
	c.signal(syscall.SIGKILL)
	c.end()
}

// end waits for the process, and answers what it ended with.
func (c *child) end() error {
	c.h.Helper()
	ctx, cancel := context.WithTimeout(c.h.Context(), deadline)
	defer cancel()
	unwatch := context.AfterFunc(ctx, func() { _ = c.cmd.Process.Kill() })
	defer unwatch()
	for line := range c.lines {
		c.seen = append(c.seen, line)
	}
	return c.cmd.Wait()
}

// stop is SIGTERM, and a clean end.
func (c *child) stop() {
	c.h.Helper()
	c.signal(syscall.SIGTERM)
	if err := c.end(); err != nil {
		c.h.Errorf("%v; the process said\n%s", err, strings.Join(c.seen, "\n"))
	}
}

// errKilled is what a process ends with that was killed.
const errKilled = "signal: killed"
