package emit

import (
	"bytes"
	"go/format"
	"strings"
	"testing"
)

func TestPartsOfAFileAreTakenApart(t *testing.T) {
	for src, want := range map[string]part{
		"package p\n\nvar a = 1\n":                                               {nil, []byte("var a = 1\n")},
		"package p\n\nimport \"io\"\n\nvar a = io.EOF\n":                         {[]string{`"io"`}, []byte("var a = io.EOF\n")},
		"package p\n\nimport (\n\tx \"a.b/c\"\n\t\"io\"\n)\n\n// a\nvar a int\n": {[]string{`x "a.b/c"`, `"io"`}, []byte("// a\nvar a int\n")},
		"package p\n": {nil, nil},
	} {
		got := partOf("p", []byte(src))
		if strings.Join(got.imports, "; ") != strings.Join(want.imports, "; ") || !bytes.Equal(got.body, want.body) {
			t.Errorf("%q: %q %q", src, got.imports, got.body)
		}
	}
}

// A section that calls a package as another section calls another one cannot stand beside it: the file is rendered whole.
func TestSectionsThatDoNotGoTogetherAreRenderedAsOne(t *testing.T) {
	src := emitted(t, planOf(t, minimal(`error_classes: [{name: late, outcome: permanent, when: [{is: acme/time.ErrLate}]}]
queues: {q: {payload: {id: string}}}
`)), "jobs/policy_gen_test.go")
	formatted, err := format.Source([]byte(src))
	if err != nil || string(formatted) != src {
		t.Error(err)
	}
	wantIn(t, src, `time1 "acme/time" "errors" "testing" "time" )`, "{time.Second, time.Second}", `{time1.ErrLate, "late", permanent, failures}`, "&policy, time.Hour,")
}

func TestImportsOfPartsMustGoTogether(t *testing.T) {
	for name, c := range map[string]struct {
		a, b []string
		want bool
	}{
		"none":                     {nil, nil, true},
		"the same":                 {[]string{`"time"`}, []string{`"time"`}, true},
		"different":                {[]string{`"time"`}, []string{`"io"`}, true},
		"one name for two":         {[]string{`"time"`}, []string{`time "acme/time"`}, false},
		"two names for one":        {[]string{`"time"`}, []string{`time1 "time"`}, false},
		"one last part, two names": {[]string{`"html/template"`}, []string{`template1 "text/template"`}, true},
	} {
		if got := oneImportEach([]part{{imports: c.a}, {imports: c.b}}); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
