package main

import (
	"os"
	"path/filepath"
	"strings"
)

// databasePattern covers SQLite's file and those beside it.
const databasePattern = "*.db*"

// lacksIgnore reports whether dir is in a git repository that does not ignore database files. Any pattern that names
// them will do: it is a hint, and git alone knows for certain.
func lacksIgnore(dir string) bool {
	for {
		if ignoresDatabases(filepath.Join(dir, ".gitignore")) {
			return false
		}
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return !ignoresDatabases(filepath.Join(dir, ".git", "info", "exclude"))
		}
		above := filepath.Dir(dir)
		if above == dir {
			return false
		}
		dir = above
	}
}

func ignoresDatabases(name string) bool {
	text, err := os.ReadFile(name)
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); strings.Contains(line, ".db") && line[0] != '#' && line[0] != '!' {
			return true
		}
	}
	return false
}
