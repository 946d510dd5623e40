package diag

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func write(t *testing.T, format, src string, l List) string {
	t.Helper()
	var out bytes.Buffer
	if err := l.Write(&out, format, "retry.yaml", []byte(src)); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestTextUnderlinesTheToken(t *testing.T) {
	long := strings.Repeat("a", 60) + "BAD" + strings.Repeat("z", 60)
	for _, tt := range []struct {
		name, src string
		d         Diagnostic
		want      string
	}{
		{
			"with a hint", "a: 1\n  timeout: 30\n",
			Diagnostic{Pos: Pos{2, 12}, Width: 2, Code: "RC104", Message: "duration without a unit: 30", Hint: "write 30s"},
			"retry.yaml:2:12: error RC104: duration without a unit: 30\n    2 |   timeout: 30\n      |            ^^\n   = write 30s\n",
		},
		{
			"with the other place", "a: 1\nb: 2\na: 3\n",
			Diagnostic{Pos: Pos{3, 1}, Width: 1, Code: "RC008", Message: "a is written twice", Related: &Related{Pos{1, 1}, 1, "first written here"}},
			"retry.yaml:3:1: error RC008: a is written twice\n    3 | a: 3\n      | ^\nretry.yaml:1:1: note: first written here\n    1 | a: 1\n      | ^\n",
		},
		{
			"behind tabs and in a line with CRLF", "\ta:\tx\r\n",
			Diagnostic{Pos: Pos{1, 5}, Width: 9, Code: "RC001", Severity: Warning, Message: "m"},
			"retry.yaml:1:5: warning RC001: m\n    1 | \ta:\tx\n      | \t  \t^\n",
		},
		{
			"in characters, not in bytes", "größe: x\n",
			Diagnostic{Pos: Pos{1, 8}, Width: 1, Code: "RC001", Message: "m"},
			"retry.yaml:1:8: error RC001: m\n    1 | größe: x\n      |        ^\n",
		},
		{
			"behind the end of the line", "a",
			Diagnostic{Pos: Pos{1, 2}, Code: "RC001", Message: "m"},
			"retry.yaml:1:2: error RC001: m\n    1 | a\n      |  ^\n",
		},
		{
			"in the middle of a long line", long,
			Diagnostic{Pos: Pos{1, 61}, Width: 3, Code: "RC001", Message: "m"},
			"retry.yaml:1:61: error RC001: m\n    1 | …" + strings.Repeat("a", 40) + "BAD" + strings.Repeat("z", 57) + "…\n      | " + strings.Repeat(" ", 41) + "^^^\n",
		},
		{
			"without a byte order mark that nobody sees", "\xef\xbb\xbfa: 1",
			Diagnostic{Pos: Pos{1, 1}, Width: 1, Code: "RC003", Message: "m"},
			"retry.yaml:1:1: error RC003: m\n    1 | a: 1\n      | ^\n",
		},
		{
			"nowhere", "a",
			Diagnostic{Code: "RC400", Message: "m"},
			"retry.yaml: error RC400: m\n",
		},
		{
			"without letting the file drive the terminal", "a: \x1b[31m",
			Diagnostic{Pos: Pos{1, 4}, Width: 1, Code: "RC017", Message: "bad\x1bkey\nb"},
			"retry.yaml:1:4: error RC017: bad\ufffdkey\ufffdb\n    1 | a: \ufffd[31m\n      |    ^\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, write(t, "text", tt.src, List{tt.d})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestGitHubEscapesWhatWouldEndACommand(t *testing.T) {
	l := List{{
		Pos: Pos{2, 3}, Width: 4, Code: "RC108", Message: "100% wrong: a,b\nc", Hint: "write x",
		Related: &Related{Pos{1, 1}, 1, "first written here"},
	}}
	var out bytes.Buffer
	if err := l.Write(&out, "github", "a,b:c.yaml", nil); err != nil {
		t.Fatal(err)
	}
	want := "::error file=a%2Cb%3Ac.yaml,line=2,col=3,endColumn=7,title=RC108::100%25 wrong: a,b%0Ac%0Awrite x%0Afirst written here: line 1\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestJSONHasEveryKeyAndIsAnArrayEvenWhenEmpty(t *testing.T) {
	if got := write(t, "json", "", nil); got != "[]\n" {
		t.Errorf("no findings = %q", got)
	}
	got := write(t, "json", "", List{
		{Pos: Pos{2, 3}, Width: 4, Code: "RC008", Message: "<a> & b", Related: &Related{Pos{1, 1}, 0, "first"}},
		{Code: "RC400", Severity: Warning, Message: "m", Hint: "h", Ignored: "why"},
	})
	want := []any{
		map[string]any{
			"file": "retry.yaml", "line": 2.0, "column": 3.0, "end_column": 7.0, "code": "RC008", "severity": "error", "message": "<a> & b", "hint": "",
			"related": map[string]any{"line": 1.0, "column": 1.0, "end_column": 2.0, "message": "first"}, "ignored": "",
		},
		map[string]any{
			"file": "retry.yaml", "line": 0.0, "column": 0.0, "end_column": 0.0, "code": "RC400", "severity": "warning", "message": "m", "hint": "h",
			"related": nil, "ignored": "why",
		},
	}
	var read []any
	if err := json.Unmarshal([]byte(got), &read); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, read); diff != "" {
		t.Error(diff)
	}
}

func TestPeopleAreShownTheFirstHundredAndProgramsAll(t *testing.T) {
	var l List
	for range 250 {
		l = append(l, Diagnostic{Pos: Pos{1, 1}, Code: "RC101", Message: "m"})
	}
	for format, counted := range map[string]string{"text": ": error RC101: m", "github": "::error ", "json": `"code": "RC101"`} {
		out := write(t, format, "a", l)
		want := map[bool]int{true: 250, false: 100}[format == "json"]
		if got := strings.Count(out, counted); got != want {
			t.Errorf("%s shows %d findings, want %d", format, got, want)
		}
		if told := strings.Contains(out, "… and 150 more\n"); told == (format == "json") {
			t.Errorf("%s says that there are more: %v", format, told)
		}
	}
	if out := write(t, "text", "a", l[:100]); strings.Contains(out, "more") {
		t.Error("a hundred findings are said to be more")
	}
}

func TestUnknownFormatNamesTheKnownOnes(t *testing.T) {
	err := List(nil).Write(&bytes.Buffer{}, "xml", "retry.yaml", nil)
	if err == nil || !strings.Contains(err.Error(), "text, json, github") {
		t.Errorf("error = %v", err)
	}
}

func TestSortOrdersByPlaceAndDropsWhatIsSaidTwice(t *testing.T) {
	a := Diagnostic{Pos: Pos{1, 2}, Code: "RC101", Message: "a"}
	b := Diagnostic{Pos: Pos{1, 2}, Code: "RC102", Message: "a"}
	c := Diagnostic{Pos: Pos{2, 1}, Code: "RC001", Message: "c"}
	l := List{c, b, a, b}
	l.Sort()
	if diff := cmp.Diff(List{a, b, c}, l); diff != "" {
		t.Error(diff)
	}
}
