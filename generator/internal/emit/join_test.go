package emit

import (
	"bytes"
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
