package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The test binary acts as the command, so that real processes are killed.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == "work" || os.Args[1] == "trigger") {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestAllButTheBrokenDigestArriveThoughTheWorkerIsKilled(t *testing.T) {
	var out strings.Builder
	if err := play(t.Context(), &out, 3000); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for _, want := range []string{
		`2999 digests arrived`,
		`; 0 jobs have an attempt that is not`,
		`(?s)key +\["c_01001","2026-W49"\]\n +class +bad_template \(permanent, after attempt [12]\)\n +fingerprint +[0-9a-f]{16}\n +error +bad template of c_01001`,
	} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("no %s in\n%s", want, out.String())
		}
	}
	if n := strings.Count(out.String(), "  key "); n != 1 {
		t.Errorf("%d dead letters, want 1\n%s", n, out.String())
	}
}
