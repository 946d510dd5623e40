// Package typescript compiles and runs the programs of golden/node that are written in TypeScript, with what retryc has
// emitted for them.
package typescript

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Tool is a program of golden/node, such as tsc. node is that folder as the test sees it.
func Tool(t *testing.T, node, name string) string {
	t.Helper()
	tool, err := filepath.Abs(filepath.Join(node, "node_modules", ".bin", name))
	if err != nil {
		t.Fatal(err)
	}
	_, noNode := exec.LookPath("node")
	if _, err := os.Stat(tool); err != nil || noNode != nil {
		const missing = "needs Node.js with what golden/node has: install it, and run npm ci there"
		if os.Getenv("CI") == "true" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	return tool
}

// Run compiles the programs and runs the one of that name. The answer is what it prints.
func Run(t *testing.T, node, name string, args ...string) []byte {
	t.Helper()
	out := t.TempDir()
	if err := os.WriteFile(filepath.Join(out, "package.json"), []byte(`{"type":"module"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	modules, err := filepath.Abs(filepath.Join(node, "node_modules"))
	if err == nil {
		err = os.Symlink(modules, filepath.Join(out, "node_modules"))
	}
	if err != nil {
		t.Fatal(err)
	}
	Output(t, exec.Command(Tool(t, node, "tsc"), "-p", filepath.Join(node, "tsconfig.programs.json"), "--outDir", out))
	return Output(t, exec.Command("node", append([]string{filepath.Join(out, "node", name+".js")}, args...)...))
}

// Output runs a command, and answers what it prints.
func Output(t *testing.T, cmd *exec.Cmd) []byte {
	t.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", cmd, err, out, stderr.Bytes())
	}
	return out
}
