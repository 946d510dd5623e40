package emit

import (
	"slices"
	"strings"
	"testing"

	"github.com/retryc/retryc/templates"
)

func paths(t *testing.T, yaml string) []string {
	t.Helper()
	files, err := Files(planOf(t, yaml))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, f := range files {
		all = append(all, strings.TrimPrefix(f.Path, "jobs/"))
	}
	return all
}

// What a plan does not use does not come out; which files there are hardly depends on the plan.
func TestRuntimePartsComeOutWhereThePlanUsesThem(t *testing.T) {
	parts := map[string]string{ // a word that only this part has
		"breaches": "type breaches", "required": "func requireFields", "text": ") text(", "element": "func element(", "uuid": ") uuid(", "nested": ") under(",
		"timeout": "func timedOut(", "sqlstate": "func sqlState(", "http": "func httpStatus(", "family": "any5xx", "response": "func CheckResponse(",
	}
	for part, want := range map[string][]string{
		"queues: {}": {},
		"queues: {q: {payload: {a: {type: int, optional: true}}}}":                                                  {},
		"queues: {q: {payload: {a: int}}}":                                                                          {"breaches", "required"},
		"queues: {q: {payload: {a: {type: string, optional: true}}}}":                                               {"breaches", "text"},
		"queues: {q: {payload: {a: {type: list, items: uuid, optional: true}}}}":                                    {"breaches", "element", "uuid"},
		"queues: {q: {payload: {a: {type: object, optional: true, fields: {b: {type: float64, optional: true}}}}}}": {"breaches", "nested"},
		"queues: {}\nerror_classes: [{name: a, outcome: transient, when: [{timeout: true}]}]":                       {"timeout"},
		"queues: {}\nerror_classes: [{name: a, outcome: transient, when: [{sqlstate: '08*'}]}]":                     {"sqlstate"},
		"queues: {}\nerror_classes: [{name: a, outcome: transient, when: [{http: 503}]}]":                           {"http", "response"},
		"queues: {}\nerror_classes: [{name: a, outcome: transient, when: [{http: 5xx}]}]":                           {"family", "http", "response"},
	} {
		files, err := runtime(planOf(t, minimal(part)))
		if err != nil {
			t.Fatal(err)
		}
		got := []string{}
		for name, word := range parts {
			if slices.ContainsFunc(files, func(f File) bool { return strings.Contains(string(f.Data), word) }) {
				got = append(got, name)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", part, got, want)
		}
	}
	if bare, full := paths(t, minimal("queues: {}")), paths(t, minimal("queues: {q: {payload: {a: uuid}}}\nerror_classes: [{name: a, outcome: transient, when: [{http: 5xx}, {timeout: true}]}]")); len(full) > len(bare)+1 {
		t.Errorf("another policy has other files: %v, then %v", bare, full)
	}
}

func TestLocalFilesAndThoseOfOtherDialectsStayHere(t *testing.T) {
	for _, name := range paths(t, minimal("queues: {}")) {
		if strings.Contains(name, "_local") || strings.Contains(name, "postgres") {
			t.Errorf("%s came out", name)
		}
	}
}

func TestCopiedFilesChangeInPackageAndHeadAlone(t *testing.T) {
	p := planOf(t, minimal("queues: {}\nerror_classes: [{name: a, outcome: transient, when: [{http: 404}]}]"))
	for _, name := range []string{"decide", "store_sqlite"} {
		src, err := templates.FS.ReadFile("worker/" + name + ".go")
		if err != nil {
			t.Fatal(err)
		}
		want := "// " + header + "\n\n" + strings.Replace(string(src), "package worker\n", "package jobs\n", 1)
		if got := emitted(t, p, "jobs/"+name+"_gen.go"); got != want {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}

func TestEveryFeatureThatAFileNamesIsOneThatAPlanCanUse(t *testing.T) {
	used := features(everyPlan(t))
	for _, s := range runtimeSources() {
		for _, feature := range s.when {
			if !used[feature] {
				t.Errorf("%s is for %s, which the plan of every.yaml does not use", s.path, feature)
			}
		}
	}
}
