package spec_test

import (
	"bytes"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retryc/retryc/spec"
	"github.com/retryc/retryc/spec/diag"
	"github.com/retryc/retryc/spec/spectest"
)

var update = flag.Bool("update", false, "rewrite testdata/*.out")

func rendered(t *testing.T, name string, src []byte) string {
	t.Helper()
	_, findings := spec.Parse(name, src)
	var out bytes.Buffer
	if err := findings.Text(&out, name, src); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestMistakesAreExplained(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no test files: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := rendered(t, filepath.Base(file), src)
			golden := strings.TrimSuffix(file, ".yaml") + ".out"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("the findings differ from %s (-want +got); run with -update after a look:\n%s", golden, diff)
			}
		})
	}
}

func TestFindingsAreTheSameInEveryRun(t *testing.T) {
	src, err := os.ReadFile("testdata/several_mistakes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	first := rendered(t, "retry.yaml", src)
	for range 100 {
		if got := rendered(t, "retry.yaml", src); got != first {
			t.Fatalf("another run, other findings:\n%s", cmp.Diff(first, got))
		}
	}
}

func TestFileThatCannotBeReadIsAnError(t *testing.T) {
	_, _, err := spec.Load(filepath.Join(t.TempDir(), "retry.yaml"))
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error = %v, want fs.ErrNotExist in it", err)
	}
}

func TestLargeFileIsRefusedUnread(t *testing.T) {
	path := filepath.Join(t.TempDir(), "retry.yaml")
	if err := os.WriteFile(path, bytes.Repeat([]byte("# policy\n"), 1<<20), 0o644); err != nil {
		t.Fatal(err)
	}
	doc, findings, err := spec.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(findings) != 1 || findings[0].Code != "RC015" {
		t.Errorf("findings: %v, want one RC015", findings)
	}
	if len(doc.Source) > 1<<20+1 {
		t.Errorf("%d bytes were read", len(doc.Source))
	}
}

func TestTrapsOfBytes(t *testing.T) {
	for _, tt := range []struct{ name, src, code string }{
		{"byte order mark", "\xef\xbb\xbf" + spectest.Base, "RC003"},
		{"Windows line ends", strings.ReplaceAll(spectest.Base, "\n", "\r\n"), "RC004"},
		{"carriage return alone", strings.Replace(spectest.Base, "\n", "\r", 1), "RC004"},
		{"carriage return at the end", spectest.Base + "# x\r", "RC004"},
		{"Latin-1", spectest.Base + "# caf\xe9\n", "RC005"},
		{"UTF-16", "\xff\xfev\x00", "RC005"},
		{"line separator", spectest.Base + "# a\u2028b\n", "RC017"},
		{"next line", spectest.Base + "# a\u0085b\n", "RC017"},
		{"no-break space in the indentation", "queues:\n\u00a0 a: 1\n", "RC017"},
		{"null byte", spectest.Base + "# \x00\n", "RC017"},
		{"spaces only", " \n\t\n", "RC006"},
		{"nothing", "", "RC006"},
		{"null document", "---\n~\n", "RC006"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, findings := spec.Parse("retry.yaml", []byte(tt.src))
			if len(findings) != 1 || findings[0].Code != tt.code {
				t.Errorf("findings: %+v, want one %s", findings, tt.code)
			}
		})
	}
}

func TestWindowsLineEndsAreOnlyAWarning(t *testing.T) {
	doc, findings := spec.Parse("retry.yaml", []byte(strings.ReplaceAll(spectest.Base, "\n", "\r\n")))
	if findings.HasErrors() || findings[0].Severity != diag.Warning {
		t.Errorf("findings: %v", findings)
	}
	if doc.DefaultLadder.V != "standard" {
		t.Errorf("default ladder = %q", doc.DefaultLadder.V)
	}
}
