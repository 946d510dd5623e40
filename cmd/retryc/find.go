package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

const specName = "retry.yaml"

// findSpec is the spec that a command works on: the one that -f names, else the nearest retry.yaml upwards.
func findSpec(flag string) (string, error) {
	if flag != "" {
		return flag, nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("cannot tell the working folder: %w", err)
	}
	found, err := findUp(dir, specName)
	if err != nil {
		return "", err
	}
	if found == "" {
		return "", fmt.Errorf("there is no %s in %s or in any folder above it: name one with --file, or start one with retryc init",
			specName, dir)
	}
	return short(found), nil
}

// findUp looks for a file in dir and in the folders above it; it answers "" where none has it.
func findUp(dir, name string) (string, error) {
	for {
		p := filepath.Join(dir, name)
		info, err := os.Stat(p)
		if err == nil && !info.IsDir() {
			return p, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("cannot look for %s: %w", name, err)
		}
		above := filepath.Dir(dir)
		if above == dir {
			return "", nil
		}
		dir = above
	}
}

// short is a path as a person in the working folder would type it.
func short(p string) string {
	dir, err := os.Getwd()
	if err != nil {
		return p
	}
	rel, err := filepath.Rel(dir, p)
	if err != nil {
		return p
	}
	return rel
}
