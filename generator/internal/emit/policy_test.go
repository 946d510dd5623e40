package emit

import (
	"regexp"
	"strings"
	"testing"
)

var hashLine = regexp.MustCompile(`hash: "([0-9a-f]{12})"`)

func hashOf(t *testing.T, yaml string) string {
	t.Helper()
	m := hashLine.FindStringSubmatch(emitted(t, planOf(t, yaml), "jobs/policy_gen.go"))
	if m == nil {
		t.Fatal("the policy has no hash")
	}
	return m[1]
}

const hashed = `caps: {window: 30h}
error_classes:
  - {name: gone, outcome: permanent, when: [{http: [404, 410]}, {is: ErrGone}]}
unmatched: transient
queues: {q: {payload: {a: string}, timeout: 30s}}
`

func TestAnyChangeOfThePolicyChangesItsHash(t *testing.T) {
	before := hashOf(t, minimal(hashed))
	for from, to := range map[string]string{
		"window: 30h":               "window: 31h",
		"[404, 410]":                "[404, 411]",
		"permanent":                 "transient",
		"unmatched: transient":      "unmatched: permanent",
		"ErrGone":                   "ErrAway",
		"timeout: 30s":              "timeout: 31s",
		"rungs: [1s]":               "rungs: [2s]",
		"jitter: none":              "jitter: full",
		"ledger: {dialect: sqlite}": "ledger: {dialect: sqlite, error_detail: {max: 1KB}}",
	} {
		yaml := minimal(hashed)
		changed := strings.Replace(yaml, from, to, 1)
		if changed == yaml {
			t.Fatalf("there is no %s", from)
		}
		if after := hashOf(t, changed); after == before {
			t.Errorf("%s for %s leaves the hash", to, from)
		}
	}
}

func TestNothingElseChangesTheHash(t *testing.T) {
	before := hashOf(t, minimal(hashed))
	for from, to := range map[string]string{
		"package: jobs":        "package: other",
		"version: 1":           "# a comment\nversion: 1",
		"a: string":            "a: int",
		"unmatched: transient": "",
		"{dialect: sqlite}":    "{dialect: sqlite, prefix: x_}",
	} {
		if after := hashOf(t, strings.Replace(minimal(hashed), from, to, 1)); after != before {
			t.Errorf("%s for %s changes the hash", to, from)
		}
	}
}

func TestConditions(t *testing.T) {
	p := planOf(t, minimal(`error_classes:
  - name: all
    outcome: transient
    when:
      - {http: [429, 5xx]}
      - {is: ErrBusy}
      - {is: context.Canceled}
      - {is: github.com/acme/go-storage/v2.ErrBusy}
      - {as: "*encoding/json.SyntaxError"}
      - {as: net.Error}
      - {sqlstate: ["40001", "08*"]}
      - {message: 'a\d "b"'}
      - {message: "a`+"`"+`b"}
      - {timeout: true}
      - {crash: true}
      - {panic: true}
      - {payload: undecodable}
      - {payload: invalid}
queues: {}
`))
	wantIn(t, emitted(t, p, "jobs/policy_gen.go"), `when: []condition{
		httpStatus(429, any5xx), is(ErrBusy), is(context.Canceled),
		is(acmegostorage.ErrBusy), as[*json.SyntaxError](), as[net.Error](),
		sqlState("40001", "08*"), messageMatches(`+"`a\\d \"b\"`"+`), messageMatches("a`+"`"+`b"),
		timedOut,
	},
	on: []error{errTimeout, errCrashed, errPanic, errUndecodable, errInvalid},`)
}

func TestPackagesOfOthersAreImportedByTheNameOfThePlan(t *testing.T) {
	p := planOf(t, minimal(`error_classes:
  - {name: a, outcome: permanent, when: [{is: io.EOF}, {is: example.com/shop/go-bank.ErrA}, {is: shop/bank.ErrB}]}
queues: {}
`))
	src := emitted(t, p, "jobs/policy_gen.go")
	for _, w := range []int{1, 2} {
		ref := p.Classes[0].When[w].Is
		wantIn(t, src, ref.Import+` "`+ref.Path+`"`, "is("+ref.Import+"."+ref.Name+")")
	}
	wantIn(t, src, `"io"`)
}

func TestSentinelText(t *testing.T) {
	for name, want := range map[string]string{
		"ErrSourceDeleted": "source deleted", "ErrHTTPGone": "HTTP gone", "ErrNoID": "no ID", "ErrX": "x", "ErrBadURLForID": "bad URL for ID",
	} {
		if got := sentinelText(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
