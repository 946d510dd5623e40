//go:build unix

package rabbitserver

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestAdapter runs testdata/outage_test.go beside the files that a worker gets, in a package that is nowhere on disk.
func TestAdapter(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	templates := filepath.Join(here, "..", "..", "templates")
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for _, pattern := range []string{
		filepath.Join(templates, "worker", "broker.go"), filepath.Join(templates, "_brokers", "rabbitmq", "*.go"), filepath.Join(here, "testdata", "*.go"),
	} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, file := range files {
			overlay.Replace[filepath.Join(here, "adapter", filepath.Base(file))] = file
		}
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	at, tests := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "adapter.test")
	if err := os.WriteFile(at, text, 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t)
	run := exec.Command(tests, "-test.timeout=300s")
	run.Dir, run.Env = dir, append(os.Environ(), "RETRYC_TEST_RABBITMQ="+s.URL())
	for _, cmd := range []*exec.Cmd{exec.Command("go", "test", "-c", "-race", "-vet=off", "-overlay", at, "-o", tests, "./adapter"), run} {
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
}

func start(t *testing.T) *Server {
	t.Helper()
	s, err := New()
	if errors.Is(err, ErrMissing) && os.Getenv("CI") == "" {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
