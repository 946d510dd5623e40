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

func TestRuntimeFilesComeOutWhereThePlanUsesThem(t *testing.T) {
	conditional := []string{}
	for _, s := range runtimeSources() {
		if len(s.when) > 0 {
			conditional = append(conditional, generatedName(s.path))
		}
	}
	for part, want := range map[string][]string{
		"queues: {}": {},
		"queues: {q: {payload: {a: {type: int, optional: true}}}}":                                                  {},
		"queues: {q: {payload: {a: int}}}":                                                                          {"validate_breaches_gen.go", "validate_required_gen.go"},
		"queues: {q: {payload: {a: {type: string, optional: true}}}}":                                               {"validate_breaches_gen.go", "validate_text_gen.go"},
		"queues: {q: {payload: {a: {type: list, items: uuid, optional: true}}}}":                                    {"validate_breaches_gen.go", "validate_element_gen.go", "validate_uuid_gen.go"},
		"queues: {q: {payload: {a: {type: object, optional: true, fields: {b: {type: float64, optional: true}}}}}}": {"validate_breaches_gen.go", "validate_nested_gen.go"},
		"queues: {}\nerror_classes: [{name: a, outcome: transient, when: [{timeout: true}]}]":                       {"policycheck_timeout_gen_test.go", "when_timeout_gen.go"},
		"queues: {}\nerror_classes: [{name: a, outcome: transient, when: [{sqlstate: '08*'}]}]":                     {"policycheck_sqlstate_gen_test.go", "when_sqlstate_gen.go"},
	} {
		var got []string
		for _, name := range paths(t, minimal(part)) {
			if slices.Contains(conditional, name) {
				got = append(got, name)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", part, got, want)
		}
	}
}

func TestLocalFilesAndOtherStoresStayHere(t *testing.T) {
	for _, name := range paths(t, minimal("queues: {}")) {
		if strings.Contains(name, "_local") || strings.HasPrefix(name, "store_") && name != "store_gen.go" && !strings.HasPrefix(name, "store_sqlite_") {
			t.Errorf("%s came out", name)
		}
	}
}

func TestCopiedFilesChangeInPackageAndHeadAlone(t *testing.T) {
	p := planOf(t, minimal("queues: {}\nerror_classes: [{name: a, outcome: transient, when: [{http: 404}]}]"))
	for _, name := range []string{"decide", "when_http"} {
		src, err := templates.FS.ReadFile("worker/" + name + ".go")
		if err != nil {
			t.Fatal(err)
		}
		text := strings.TrimPrefix(string(src), "//retryc:when http\n\n")
		want := "// " + header + "\n\n" + strings.Replace(text, "package worker\n", "package jobs\n", 1)
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
