package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A new repository is set up by the commands of the README, in its order: they are the ones that fresh_module.txt runs.
// The first installs a published version, in place of which the script names this checkout.
func TestScriptRunsTheCommandsOfTheReadme(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("testdata/script/fresh_module.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(readme), "## Add it to a repository")
	_, section, _ = strings.Cut(section, "```sh\n")
	block, _, found := strings.Cut(section, "```")
	if !found {
		t.Fatal("the README has no such block")
	}
	rest := string(script)
	for _, line := range strings.Split(strings.TrimSpace(block), "\n")[1:] {
		line, _, _ = strings.Cut(line, "#")
		for _, command := range strings.Split(line, "&&") {
			command = "exec " + strings.TrimSpace(command)
			_, after, found := strings.Cut(rest, command)
			if !found {
				t.Fatalf("the script does not run %q here:\n%s", command, rest)
			}
			rest = after
		}
	}
}

// What the README shows of an outage is what the command says of the policy above it.
func TestOutageOfTheReadmeIsTheCommands(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, policy, _ := strings.Cut(string(text), "```yaml\n")
	policy, _, _ = strings.Cut(policy, "```")
	_, shown, found := strings.Cut(string(text), "```\n$ retryc ")
	shown, _, _ = strings.Cut(shown, "```")
	command, shown, _ := strings.Cut(shown, "\n")
	path := filepath.Join(t.TempDir(), "retry.yaml")
	if err := os.WriteFile(path, []byte(policy), 0o600); err != nil || !found {
		t.Fatal(err, found)
	}
	var out, trouble strings.Builder
	if code := run(append(strings.Fields(command), "--file", path), &out, &trouble); code != exitOK || !strings.HasPrefix(out.String(), shown) {
		t.Errorf("exit code %d %s\n%s\nin the README is\n%s", code, trouble.String(), out.String(), shown)
	}
}
