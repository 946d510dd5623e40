package main

import (
	"os"
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
