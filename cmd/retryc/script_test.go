package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"retryc": main})
}

var update = flag.Bool("update", false, "rewrite the outputs that the scripts expect")

// The scripts of testdata/script run the command as a person would. Beside the usual commands they have
//
//	exits N command…   runs it and compares its exit code
//	edit FILE OLD NEW  replaces a text that the file must have
//	conflict OURS FILE puts the marks of a merge that failed around OURS and what is in FILE
//	until FILE TEXT    waits for a program in the background to write the text to the file
//
// and the condition [root], for whom no file is read-only.
func TestScripts(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Setup: func(e *testscript.Env) error {
			e.Setenv("ROOT", root)
			return goEnv(e)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "edit": edit, "conflict": conflict, "until": until},
		Condition: func(name string) (bool, error) {
			if name != "root" {
				return false, fmt.Errorf("no condition %s", name)
			}
			return os.Geteuid() == 0, nil
		},
	})
}

// goEnv lets a script's go command use the caches and the proxy of the one that runs the test.
func goEnv(e *testscript.Env) error {
	for _, k := range []string{"GOMODCACHE", "GOCACHE", "GOPROXY", "GOSUMDB", "GOFLAGS", "GONOSUMDB", "GOTOOLCHAIN"} {
		out, err := exec.Command("go", "env", k).Output()
		if err != nil {
			return err
		}
		if v := strings.TrimSpace(string(out)); v != "" {
			e.Setenv(k, v)
		}
	}
	return nil
}

func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func edit(ts *testscript.TestScript, _ bool, args []string) {
	name := ts.MkAbs(args[0])
	text := ts.ReadFile(args[0])
	if !strings.Contains(text, args[1]) {
		ts.Fatalf("%s has no %q:\n%s", args[0], args[1], text)
	}
	ts.Check(os.WriteFile(name, []byte(strings.ReplaceAll(text, args[1], args[2])), 0o644))
}

func conflict(ts *testscript.TestScript, _ bool, args []string) {
	text := fmt.Sprintf("<<<<<<< HEAD\n%s=======\n%s>>>>>>> branch\n", ts.ReadFile(args[0]), ts.ReadFile(args[1]))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o644))
}

func until(ts *testscript.TestScript, _ bool, args []string) {
	const longest = time.Minute
	for start := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		text, err := os.ReadFile(ts.MkAbs(args[0]))
		if err == nil && strings.Contains(string(text), args[1]) {
			return
		}
		if time.Since(start) > longest {
			ts.Fatalf("%s has no %q after %v:\n%s", args[0], args[1], longest, text)
		}
	}
}
