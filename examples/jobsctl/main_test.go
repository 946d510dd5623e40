package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/retryc/retryc/examples/internal/scratch"
)

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	os.Exit(m.Run())
}

// console is the command on a database on which the demo runs.
type console struct{ *testing.T }

func newConsole(t *testing.T) console {
	t.Helper()
	url := os.Getenv("RETRYC_TEST_POSTGRES")
	if url == "" && os.Getenv("CI") != "true" {
		t.Skip("needs a server: set RETRYC_TEST_POSTGRES to its URL")
	}
	scratchURL, drop, err := scratch.Schema(t.Context(), url, migration)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("DATABASE_URL", scratchURL)
	ctx, cancel := context.WithCancel(context.Background())
	var told syncBuffer
	ended := make(chan error, 1)
	go func() { ended <- play(ctx, &options{out: &told}, scratchURL, 40) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := drop(); err != nil {
			t.Error(err)
		}
	})
	for end := time.Now().Add(60 * time.Second); !strings.Contains(told.String(), "40 payouts are dead"); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the demo has not begun")
		}
	}
	return console{t}
}

// syncBuffer is a buffer for two.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// run wants an exit status, and patterns in what comes out of both sides.
func (c console) run(status int, args []string, patterns ...string) string {
	c.Helper()
	var out, errOut bytes.Buffer
	if got := run(c.Context(), args, &out, &errOut); got != status {
		c.Fatalf("jobsctl %q: status %d, want %d\n%s%s", args, got, status, out.String(), errOut.String())
	}
	all := out.String() + errOut.String()
	for _, p := range patterns {
		if !regexp.MustCompile(p).MatchString(all) {
			c.Errorf("jobsctl %q: no %s in\n%s", args, p, all)
		}
	}
	return out.String()
}

// value is the first match of a pattern.
func (c console) value(text, pattern string) string {
	c.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if m == nil {
		c.Fatalf("no %s in\n%s", pattern, text)
	}
	return m[1]
}

func TestOperatorSendsBackWhatTheBankRefused(t *testing.T) {
	c := newConsole(t)
	by := []string{"--by", "ann", "--why", "the bank is back after its maintenance"}
	with := func(args ...string) []string { return append(args, by...) }

	groups := c.run(0, []string{"group"}, `(?m)^37 +payout +failures +[0-9a-f]{16} .*down for maintenance$`, `(?m)^3 +payout +permanent +[0-9a-f]{16} `)
	fingerprint := c.value(groups, `37 +payout +failures +([0-9a-f]{16})`)
	page := c.run(0, []string{"list", "--reason", "failures", "--limit", "10"}, `(?m)^more: --after `)
	if n := strings.Count(page, "po_"); n != 10 {
		t.Errorf("%d rows of 10:\n%s", n, page)
	}
	c.run(0, []string{"show", c.value(page, `(?m)^([0-9a-f-]{36}) `)}, `payload +\{"payout_id":"po_`, `state +dead failures`)
	rest := c.run(0, []string{"list", "--reason", "failures", "--after", c.value(page, `--after (\S+)`)})
	if n := strings.Count(rest, "po_"); n != 27 {
		t.Errorf("%d rows of 27:\n%s", n, rest)
	}

	planned := c.run(0, []string{"plan", "--fingerprint", fingerprint}, `payout: 37 jobs with at most 2 attempts each that fail are 74`, `37 jobs are in the plan`)
	plan, hash := c.value(planned, `apply (\S+) --hash`), c.value(planned, `--hash (\S+)`)
	c.run(1, []string{"apply", plan, "--hash", hash, "--by", "ann", "--why", "retry"}, `does not say why`)
	c.run(1, []string{"apply", plan, "--hash", hash, "--by", " ", "--why", by[3]}, `does not say who`)
	c.run(1, with("apply", plan, "--hash", strings.Repeat("0", 64)), `look at it again`)
	c.run(0, with("apply", plan, "--hash", hash), `\[#+\.+\] 2 of 37, 2 of them sent; 2 first attempts ended, 0 failed`, `is done: 37 of 37 jobs handled, 37 sent`)
	c.run(1, with("stop", plan), `is done`)
	c.run(0, []string{"plans"}, plan+` +redrive +done`)
	one := c.run(0, []string{"plans", plan}, `apply by ann: the bank is back`, `(?m)^37 +\S+ +payout +1 +sent`)

	job := c.value(one, `(?m)^1 +(\S+)`)
	c.run(0, []string{"show", job}, `(?m)^1 +1 .*transient`, plan)
	c.run(0, []string{"timeline", job}, `(?m)enqueued(.|\n)*attempt +2, generation 1(.|\n)*sent +by ann`)
	c.run(0, []string{"timeline", job, "--json"}, `"What": "sent"`)
}

func TestOperatorDiscardsUndoesAndAmends(t *testing.T) {
	c := newConsole(t)
	by := []string{"--by", "ben", "--why", "the accounts are closed for good, and the shops know"}
	with := func(args ...string) []string { return append(args, by...) }
	planned := c.run(0, []string{"discard", "--reason", "permanent"})
	plan, hash := c.value(planned, `apply (\S+) --hash`), c.value(planned, `--hash (\S+)`)
	c.run(0, with("apply", plan, "--hash", hash), `the discard \S+ is done: 3 of 3 jobs handled, 3 discarded`)
	if left := c.run(0, []string{"list", "--reason", "permanent"}); strings.Contains(left, "po_") {
		t.Error(left)
	}
	c.run(0, with("undo", plan), `3 jobs are dead again`)

	var page struct {
		Letters []struct{ JobID, IdempotencyKey string }
	}
	if err := json.Unmarshal([]byte(c.run(0, []string{"list", "--reason", "permanent", "--json"})), &page); err != nil || len(page.Letters) != 3 {
		t.Fatal(page, err)
	}
	d := page.Letters[0]
	var key []string
	if err := json.Unmarshal([]byte(d.IdempotencyKey), &key); err != nil {
		t.Fatal(err)
	}
	file := t.TempDir() + "/payload.json"
	payload := func(id string) {
		if err := os.WriteFile(file, fmt.Appendf(nil, `{"payout_id": %q, "shop": "shop-1", "iban": "DE1", "cents": 5}`, id), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	payload("po_999")
	c.run(1, with("amend", d.JobID, "--payload", file), `it would be another job`)
	payload(key[0])
	c.run(0, with("amend", d.JobID, "--payload", file), `the amend \S+ is done: 1 of 1 jobs handled, 1 sent`)
	for end := time.Now().Add(40 * time.Second); !strings.Contains(c.run(0, []string{"show", d.JobID}), "done"); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the amended payout was never paid")
		}
	}
	c.run(0, []string{"timeline", d.JobID}, `sent +by ben(.|\n)*payload [0-9a-f]{12} became [0-9a-f]{12}`, `2, generation 2: ok`, `discarded +by ben`, `undone +by ben`)
}

func TestWrongCallsAreTold(t *testing.T) {
	t.Setenv("DATABASE_URL", "")
	c := console{t}
	for want, args := range map[string][]string{
		"name a command": {}, "there is no command lst": {"lst"}, "name the job": {"show"}, "name the plan": {"apply", "--hash", "x"},
		"flag provided but not defined: -color": {"list", "--color"}, "what is x": {"list", "x"}, "at least": {"list", "--help"},
	} {
		c.run(2, args, want)
	}
	c.run(1, []string{"list"}, "DATABASE_URL has to name the database")
}
