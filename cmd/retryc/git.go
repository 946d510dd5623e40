package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/retryc/retryc/generator"
	"github.com/retryc/retryc/spec/diag"
)

// git is the repository that a file is in. It is only read, and what is not on this machine is not fetched.
type git struct{ dir string }

// run answers what git prints. The error has the first line of what it complains about.
func (g git) run(args ...string) (string, error) {
	c := exec.Command("git", append([]string{"-C", g.dir, "-c", "core.fsmonitor=false", "-c", "core.quotePath=false"}, args...)...)
	c.Env = append(slices.DeleteFunc(os.Environ(), ofHook), "GIT_NO_LAZY_FETCH=1", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
	var out, complaint bytes.Buffer
	c.Stdout, c.Stderr = &out, &complaint
	if err := c.Run(); err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(complaint.String()), "\n")
		if first == "" {
			first = err.Error()
		}
		return "", errors.New(first)
	}
	return out.String(), nil
}

// ofHook reports a variable by which git tells a hook where it is, seen from the folder in which the hook runs.
func ofHook(variable string) bool {
	name, _, _ := strings.Cut(variable, "=")
	return slices.Contains([]string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"}, name)
}

// revisions are the names of those that git knows, for completion.
func revisions() []string {
	refs, _ := git{dir: "."}.run("for-each-ref", "--format=%(refname:short)")
	return strings.Fields(refs)
}

// inRevision is the policy at file as it is in a revision; base is REV, or REV:PATH where it has another path there.
func inRevision(file, base string) (generator.Source, error) {
	none := generator.Source{}
	rev, elsewhere, named := strings.Cut(base, ":")
	if rev == "" || strings.HasPrefix(rev, "-") {
		return none, fmt.Errorf("%q is neither a file nor a revision: name one with --base, such as --base main", base)
	}
	if _, err := exec.LookPath("git"); err != nil {
		return none, fmt.Errorf("there is no file %s, and no git that could know it as a revision: install git, or name a file with --base", base)
	}
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return none, fmt.Errorf("cannot follow %s: %w", file, err)
	}
	dir, name := filepath.Split(real)
	g := git{dir: filepath.Join(dir, ".")}
	if _, err := g.run("rev-parse", "--git-dir"); err != nil {
		return none, fmt.Errorf("there is no file %s, and no revision %s, since %s cannot be read in a git repository (%w): name a file with --base", base, rev, file, err)
	}
	commit, err := g.run("rev-parse", "--verify", "--quiet", rev+"^{commit}")
	if err != nil {
		return none, g.unknown(rev)
	}
	commit = strings.TrimSpace(commit)
	at := "./" + name
	if named {
		at = elsewhere
	}
	text, err := g.run("cat-file", "blob", commit+":"+at)
	if err != nil {
		return none, g.notThere(commit, rev, file, at, named)
	}
	shown := base
	if !named {
		shown = rev + ":" + filepath.ToSlash(file)
	}
	return generator.Source{Name: shown, Text: []byte(text)}, nil
}

// unknown says that there is no such revision, and which one may have been meant.
func (g git) unknown(rev string) error {
	refs, _ := g.run("for-each-ref", "--format=%(refname:short)")
	names := strings.Fields(refs)
	if guess := "origin/" + rev; slices.Contains(names, guess) {
		return fmt.Errorf("git knows no revision %s here, and no file has that name: did you mean %s?", rev, guess)
	}
	if guess := diag.Nearest(rev, names); guess != "" {
		return fmt.Errorf("git knows no revision %s here, and no file has that name: did you mean %s?", rev, guess)
	}
	if shallow, _ := g.run("rev-parse", "--is-shallow-repository"); strings.TrimSpace(shallow) == "true" {
		return fmt.Errorf("git knows no revision %s here, and no file has that name; this clone is shallow: fetch more of it first, such as with git fetch --unshallow, or fetch-depth: 0 of actions/checkout", rev)
	}
	return fmt.Errorf("git knows no revision %s here, and no file has that name: fetch it first, such as with git fetch origin %s", rev, rev)
}

// notThere says that a revision has no such file, and where it may have been then.
func (g git) notThere(commit, rev, file, at string, named bool) error {
	full := at
	if prefix, err := g.run("rev-parse", "--show-prefix"); err == nil && !named {
		full = path.Join(strings.TrimSpace(prefix), at)
	}
	renames, _ := g.run("diff", "--no-ext-diff", "--no-textconv", "--name-status", "--find-renames", "--diff-filter=R", "-z", commit)
	fields := strings.Split(renames, "\x00")
	for i := 0; i+2 < len(fields); i += 3 {
		if fields[i+2] == full {
			return fmt.Errorf("%s is not in %s: it was %s then, so compare with --base %s:%[3]s", file, rev, fields[i+1], rev)
		}
	}
	all, _ := g.run("ls-tree", "-r", "-z", "--name-only", "--full-tree", commit)
	var others []string
	for name := range strings.SplitSeq(all, "\x00") {
		if path.Base(name) == path.Base(full) {
			others = append(others, name)
		}
	}
	what := file
	if named {
		what = at
	}
	if len(others) > 0 {
		return fmt.Errorf("%s is not in %s, which has %s: compare with --base %s:%s", what, rev, strings.Join(others, ", "), rev, others[0])
	}
	return fmt.Errorf("%s is not in %s: it is new since then, or had another name, which --base %s:PATH takes", what, rev, rev)
}
