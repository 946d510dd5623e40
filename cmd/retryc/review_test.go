package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// workflow is what a test needs of examples/review/github-actions.yml.
type workflow struct {
	Env  map[string]string
	Jobs map[string]struct {
		Steps []struct {
			Name, Uses, Run, If string
			Env                 map[string]string
		}
	}
}

// reviewed is a repository in which a pull request was merged for its checks, and programs that stand in for go and gh.
type reviewed struct {
	t            *testing.T
	dir          string
	env          []string
	posted, list string // what gh has sent, and the comments that it lists
}

func newReviewed(t *testing.T) *reviewed {
	t.Helper()
	for _, name := range []string{"bash", "git"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, bin := t.TempDir(), t.TempDir()
	r := &reviewed{t: t, dir: dir, posted: filepath.Join(bin, "posted"), list: filepath.Join(bin, "list")}
	r.program(bin, "go", `test "$1 $2" = "tool retryc" && shift 2 && exec '`+filepath.Join(bin, "retryc")+`' "$@"`)
	r.program(bin, "gh", `case "$*" in *--jq*) cat '`+r.list+`' 2>/dev/null || true;; *) { echo "$@"; cat comment.md; } >>'`+r.posted+`';; esac`)
	if err := os.Symlink(self, filepath.Join(bin, "retryc")); err != nil {
		t.Fatal(err)
	}
	r.env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+bin, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com",
		"GITHUB_STEP_SUMMARY="+filepath.Join(bin, "summary"))
	return r
}

func (r *reviewed) program(dir, name, body string) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+body+"\n"), 0o700); err != nil {
		r.t.Fatal(err)
	}
}

func (r *reviewed) bash(script string, env ...string) (string, error) {
	c := exec.Command("bash", "-e", "-c", script)
	c.Dir, c.Env = r.dir, append(slices.Clone(r.env), env...)
	out, err := c.CombinedOutput()
	return string(out), err
}

func (r *reviewed) must(script string) {
	r.t.Helper()
	if out, err := r.bash(script); err != nil {
		r.t.Fatalf("%s: %v\n%s", script, err, out)
	}
}

func (r *reviewed) write(name, text string) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// review runs the steps of the example and answers which of them fail.
func (r *reviewed) review() (failed []string, out string) {
	r.t.Helper()
	src, err := os.ReadFile("../../examples/review/github-actions.yml")
	if err != nil {
		r.t.Fatal(err)
	}
	var w workflow
	if err := yaml.Unmarshal(src, &w); err != nil {
		r.t.Fatal(err)
	}
	var env []string
	for k, v := range w.Env {
		env = append(env, k+"="+v)
	}
	expressions := strings.NewReplacer("${{ github.token }}", "secret", "${{ github.repository }}", "shop/pay", "${{ github.event.pull_request.number }}", "7")
	for _, s := range w.Jobs["review"].Steps {
		if s.Run == "" {
			continue
		}
		own := slices.Clone(env)
		for k, v := range s.Env {
			own = append(own, k+"="+expressions.Replace(v))
		}
		text, err := r.bash(s.Run, own...)
		out += "== " + s.Name + "\n" + text
		if err != nil {
			failed = append(failed, s.Name)
		}
	}
	return failed, out
}

func (r *reviewed) comment() string {
	text, _ := os.ReadFile(r.posted)
	_ = os.Remove(r.posted)
	return string(text)
}

const reviewedPolicy = `version: 1
generate: {package: jobs, go: internal/jobs, migrations: {format: plain}}
ladders: {standard: {rungs: [30s, 2m, 10m]}}
default_ladder: standard
queues: {letters: {payload: {id: string}, idempotency_key: [id]}}
ledger: {dialect: sqlite}
review: {max_increase: {attempts: 50%}}
`

// merged commits the text as main has it, and then as the pull request has it, with the code.
func (r *reviewed) merged(before, after string) {
	r.t.Helper()
	r.must("git init -q -b main . && git commit -q --allow-empty -m start")
	if before != "" {
		r.write("retry.yaml", before)
		r.must("go tool retryc generate -q && git add -A && git commit -q -m before")
	}
	r.must("git switch -q -c change")
	r.write("retry.yaml", after)
	r.must("go tool retryc generate -q || true; git add -A && git commit -q -m change && git switch -q --detach main && git merge -q --no-ff -m merge change")
}

func TestReviewOfAPullRequestComments(t *testing.T) {
	r := newReviewed(t)
	r.merged(reviewedPolicy, strings.Replace(reviewedPolicy, "10m]", "10m, 30m]", 1))
	failed, out := r.review()
	if len(failed) != 0 {
		t.Errorf("%q fail\n%s", failed, out)
	}
	first := r.comment()
	if !strings.HasPrefix(first, "api --method POST repos/shop/pay/issues/7/comments --field body=@comment.md --silent\n<!-- what retryc") || !strings.Contains(first, "letters") {
		t.Errorf("the comment is\n%s\n%s", first, out)
	}
	if err := os.WriteFile(r.list, []byte("4711\n4712\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.review()
	if again := r.comment(); !strings.HasPrefix(again, "api --method PATCH repos/shop/pay/issues/comments/4711 --field") {
		t.Errorf("the comment is not written anew:\n%s", again)
	}
}

func TestReviewOfAPullRequestFails(t *testing.T) {
	const check, diff = "Check the policy and the code", "Say what the change means"
	for name, tt := range map[string]struct {
		after, stale string
		want         []string
		out          string
	}{
		"on a warning":          {strings.Replace(reviewedPolicy, "idempotency_key: [id]", "lease: 10ms, idempotency_key: [id]", 1), "", []string{check}, "::warning file=retry.yaml,line=5,"},
		"on an error":           {strings.Replace(reviewedPolicy, "30s", "30", 1), "", []string{check, diff}, "::error file=retry.yaml,line=3,"},
		"on a change too large": {strings.Replace(reviewedPolicy, "10m]", "10m, 30m, 30m, 30m, 30m]", 1), "", []string{diff}, ""},
		"on stale code":         {reviewedPolicy, "rm internal/jobs/queues_gen.go", []string{check}, "::error file=internal/jobs/queues_gen.go,title=missing"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReviewed(t)
			r.merged(reviewedPolicy, tt.after+"# changed\n")
			r.must(tt.stale)
			failed, out := r.review()
			if !slices.Equal(failed, tt.want) || !strings.Contains(out, tt.out) {
				t.Errorf("%q fail, want %q\n%s", failed, tt.want, out)
			}
		})
	}
}

func TestReviewOfANewPolicy(t *testing.T) {
	r := newReviewed(t)
	r.merged("", reviewedPolicy)
	if failed, out := r.review(); len(failed) != 0 {
		t.Errorf("%q fail\n%s", failed, out)
	}
	if got := r.comment(); !strings.Contains(got, "retry.yaml is new.") {
		t.Errorf("the comment is\n%s", got)
	}
}

// The hooks of pre-commit run commands that there are, and look at the files that they are about.
func TestHooksOfPreCommit(t *testing.T) {
	type hook struct {
		ID, Entry, Files string
		PassFilenames    *bool `yaml:"pass_filenames"`
	}
	var ours []hook
	var config struct {
		Repos []struct{ Hooks []hook }
	}
	for file, into := range map[string]any{"../../.pre-commit-hooks.yaml": &ours, "../../examples/review/pre-commit-config.yaml": &config} {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := yaml.Unmarshal(src, into); err != nil {
			t.Fatal(err)
		}
	}
	all := append(ours, config.Repos[0].Hooks...)
	for _, h := range all {
		files, err := regexp.Compile(h.Files)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]bool{
			"retry.yaml": true, "services/pay/retry.yaml": true, "my-retry.yaml": false, "main.go": false,
			"internal/jobs/queues_gen.go": h.ID == "retryc-check", "db/migrations/00001_retryc.sql": h.ID == "retryc-check", ".retryc.json": h.ID == "retryc-check",
		} {
			if files.MatchString(name) != want {
				t.Errorf("%s looks at %s: %v", h.ID, name, !want)
			}
		}
		if h.PassFilenames == nil || *h.PassFilenames {
			t.Errorf("%s is given the names of files", h.ID)
		}
		words := strings.Fields(strings.TrimPrefix(h.Entry, "go tool "))
		path := filepath.Join(t.TempDir(), "retry.yaml")
		if err := os.WriteFile(path, []byte(strings.Replace(reviewedPolicy, "idempotency_key", "lease: 10ms, idempotency_key", 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, trouble strings.Builder
		if code := run(append(words[1:], "--file", path), &out, &trouble); words[0] != "retryc" || code != exitFindings || !strings.Contains(out.String(), "RC322") {
			t.Errorf("%s: exit code %d\n%s%s", h.Entry, code, out.String(), trouble.String())
		}
	}
	if len(ours) != 2 || len(all) != 3 {
		t.Errorf("%d hooks, %d in all", len(ours), len(all))
	}
}
