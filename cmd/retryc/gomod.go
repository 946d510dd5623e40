package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// module is the Go module that a folder belongs to.
type module struct {
	path string // example.com/shop
	dir  string // where its go.mod is
	text string // of its go.mod
}

// findModule reads the nearest go.mod upwards from dir, which is absolute.
func findModule(dir string) (module, error) {
	name, err := findUp(dir, "go.mod")
	if err != nil {
		return module{}, err
	}
	if name == "" {
		return module{}, fmt.Errorf("there is no go.mod in %s or in any folder above it: run go mod init first", dir)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return module{}, fmt.Errorf("cannot read go.mod: %w", err)
	}
	m := module{path: modulePathOf(string(text)), dir: filepath.Dir(name), text: string(text)}
	if m.path == "" {
		return module{}, fmt.Errorf("%s has no module line: run go mod init, or repair the file", short(name))
	}
	return m, nil
}

// modulePathOf is what the module directive of a go.mod says, which may be quoted or in parentheses.
func modulePathOf(text string) string {
	inBlock := false
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "//")
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case inBlock:
			return unquoted(words[0])
		case words[0] == "module" && len(words) > 1 && words[1] == "(":
			inBlock = true
		case words[0] == "module" && len(words) > 1:
			return unquoted(words[1])
		}
	}
	return ""
}

func unquoted(word string) string {
	if s, err := strconv.Unquote(word); err == nil {
		return s
	}
	return word
}

// names reports whether go.mod speaks of a module or a package in it.
func (m module) names(path string) bool {
	for _, word := range strings.Fields(m.text) {
		if unquoted(word) == path {
			return true
		}
	}
	return false
}
